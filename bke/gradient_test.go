package bke

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/long"
	"bayeskernel/kernels"
)

// gradients returns the derivatives of the two parts, in the order of Free.
func gradients(e *Evaluator, p Params) (gaussian, jacobian []float64) {
	mod := e.model
	total := make([]float64, len(mod.Free()))
	e.Gradient(total, p)
	p, _ = mod.resolve(p)
	s := e.sums(p, true)
	jacobian = make([]float64, len(total))
	copy(jacobian, s.dlog)
	gaussian = make([]float64, len(total))
	k := mod.thetas()
	e.gradTheta(gaussian[:k], s, p)
	if mod.freeTau2() {
		gaussian[k] = e.gradTau2(s, p)
		k++
	}
	if mod.freeEta() {
		gaussian[k] = -e.tr.eta / 2
	}
	for i := range total {
		sum := mod.opts.Weight*gaussian[i] + jacobian[i]
		if math.Abs(total[i]-sum) > 1e-12*(math.Abs(sum)+math.Abs(jacobian[i])) {
			panic("the gradient is not the sum of its parts")
		}
	}
	return gaussian, jacobian
}

// shifted returns p with its i-th free parameter multiplied by e^h.
func shifted(mod *Model, p Params, i int, h float64) Params {
	q := Params{Theta: append([]float64(nil), p.Theta...), Tau2: p.Tau2, Eta: p.Eta}
	switch k := len(q.Theta); {
	case i < k:
		q.Theta[i] *= math.Exp(h)
	case i == k && mod.freeTau2():
		q.Tau2 *= math.Exp(h)
	default:
		q.Eta *= math.Exp(h)
	}
	return q
}

// valueNoise bounds the rounding errors of the two parts at p: a few units in the last place of
// every term that is added up, and what an error of as much in each kernel value and in each
// element of R does.
func valueNoise(e *Evaluator, p Params) (gaussian, jacobian float64) {
	mod, c := e.model, e.cov
	g, _ := e.Value(p)
	p, _ = mod.resolve(p)
	s := e.sums(p, false)
	n, m := float64(mod.n), float64(mod.m)
	const eps = 0x1p-51
	terms := math.Abs(g) + m*math.Abs(c.logS) + math.Abs(c.logDet) + m*n*math.Abs(math.Log(p.Tau2)) +
		c.quad + s.spread/p.Tau2 + m*n*3
	kernels := (math.Sqrt(m*n*s.spread) + m*n*eps) / p.Tau2
	for _, a := range c.alpha {
		kernels += math.Abs(a) * c.invS
	}
	c.traces(&e.tr)
	element := eps
	if c.long {
		element = 0x1p-98
	}
	inverse := 0.0
	for _, a := range c.alpha {
		inverse += a * a * c.invS
	}
	inverse += math.Abs(e.tr.trace + inverse)
	gaussian = eps*(terms+kernels) + element*m*inverse

	weights := math.Abs(s.logGamma)
	for _, t := range p.Theta {
		weights += 2 * n * float64(mod.dim/len(p.Theta)) * (math.Abs(math.Log(t)) + 1)
	}
	return gaussian, eps * weights
}

// difference is the derivative at 0 of the two functions in f by central differences of fourth
// order, at the steps where their own errors, by the change from twice the step and by the noise of
// f, are smallest. The change from twice the step can be small by chance, so where two steps
// contradict each other the shorter is believed: the noise is a bound.
func difference(f func(h float64) [2]float64, noise [2]float64) (d, own [2]float64) {
	own = [2]float64{math.Inf(1), math.Inf(1)}
	for _, h := range []float64{3e-2, 4e-3, 3e-4, 1e-5} {
		var odd [3][2]float64 // f(h)-f(-h), and at twice and four times h
		for s := range odd {
			up, down := f(math.Ldexp(h, s)), f(-math.Ldexp(h, s))
			odd[s] = [2]float64{up[0] - down[0], up[1] - down[1]}
		}
		for k := range d {
			v := (8*odd[0][k] - odd[1][k]) / (12 * h)
			w := (8*odd[1][k] - odd[2][k]) / (24 * h)
			err := math.Abs(v-w) + 1.5*noise[k]/h
			if err < own[k] || math.Abs(v-d[k]) > err+own[k] {
				d[k], own[k] = v, err
			}
		}
	}
	return d, own
}

// checkGradient compares the gradient of each part with differences of its value. Where theta is so
// small that log gamma is near enough a maximum of parabolas, differences may straddle its edges at
// all steps, and their own error may look small. So where they disagree about log gamma, or are
// rough, the exact derivative decides. It returns the number of derivatives looked at, of those for
// which the difference itself was too rough, and of those which it would have refused.
func checkGradient(t *testing.T, c hardCase) (looked, rough, refused int) {
	t.Helper()
	e := c.model.Evaluator()
	var g [2][]float64
	var noise [2]float64
	g[0], g[1] = gradients(e, c.p)
	noise[0], noise[1] = valueNoise(e, c.p)
	var exact, slack []float64 // made when needed
	for i, name := range c.model.Free() {
		d, own := difference(func(h float64) (v [2]float64) {
			v[0], v[1] = e.Value(shifted(c.model, c.p, i, h))
			return v
		}, noise)
		for k, part := range []string{"Gaussian", "Jacobian"} {
			g := g[k][i]
			tol := 1e-6 * (math.Abs(g) + 1)
			looked++
			if own[k] > tol {
				rough++
			}
			agree := math.Abs(g-d[k]) <= tol+own[k] // so that NaN does not
			if _, se := c.model.opts.Kernel.(kernels.SE); se && k == 1 && i < c.model.thetas() &&
				(!agree || own[k] > tol) {
				if exact == nil {
					p, _ := c.model.resolve(c.p)
					exact, slack = exactJacobian(c.model, p, c.unit)
				}
				if !agree {
					refused++
				}
				if !(math.Abs(g-exact[i]) <= 1e-9*(math.Abs(g)+1)+slack[i]) {
					t.Errorf("%s: d/d log %s of log gamma = %v, exactly %v (off by %.2g, slack %.2g)",
						c.what, name, g, exact[i], g-exact[i], slack[i])
				}
				continue
			}
			if !agree {
				t.Errorf("%s: %s part, d/d log %s = %v, difference %v (off by %.2g, own error %.2g)",
					c.what, part, name, g, d[k], g-d[k], own[k])
			}
		}
	}
	return looked, rough, refused
}

// gradientCases checks cases of dimension 1 to 10.
func gradientCases(t *testing.T, r *rand.Rand, cases int) {
	looked, rough, refused := 0, 0, 0
	for done := 0; done < cases && !t.Failed(); {
		d := 1 + r.IntN(10)
		c, err := newHardCase(r, d, 3+r.IntN(10), d+1+r.IntN(8))
		if err != nil {
			continue // fewer than D+1 distinct pseudo-inputs, or data on a plane with ARD
		}
		done++
		l, b, f := checkGradient(t, c)
		looked, rough, refused = looked+l, rough+b, refused+f
	}
	t.Logf("%d derivatives, of which %d where the difference is rougher than the bar and %d where it is "+
		"wrong", looked, rough, refused)
	if refused > 1+looked/5000 {
		t.Errorf("the difference was wrong for %d of %d derivatives", refused, looked)
	}
	// Where theta is far below the spacing a part is as large as 1e10, and no difference of it can
	// show a derivative of order one to 1e-6.
	if rough > looked/8 {
		t.Errorf("the difference was too rough for %d of %d derivatives", rough, looked)
	}
}

func TestGradientAgainstDifferences(t *testing.T) {
	gradientCases(t, rand.New(rand.NewPCG(3, 4)), 500)
}

func TestGradientAgainstDifferencesLong(t *testing.T) {
	long.Skip(t)
	gradientCases(t, rand.New(rand.NewPCG(5, 6)), 10000)
}

func FuzzGradient(f *testing.F) {
	for d := range uint8(10) {
		f.Add(uint64(d), d, uint8(5), uint8(3))
	}
	f.Fuzz(func(t *testing.T, seed uint64, d, n, m uint8) {
		dim := 1 + int(d)%10
		r := rand.New(rand.NewPCG(seed, 7))
		c, err := newHardCase(r, dim, 2+int(n)%20, dim+1+int(m)%12)
		if err != nil {
			t.Skip(err)
		}
		checkGradient(t, c)
	})
}
