package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/engine"

	"gonum.org/v1/gonum/mathext"
)

// drawn are draws of size values from a distribution whose arguments are constants.
func drawn(t *testing.T, m *Model, d Dist, size, n int) [][]float64 {
	t.Helper()
	in := d.in(m, "x", "here")
	if in == nil {
		t.Fatal(m.wrong)
	}
	c := &engine.Memory{Value: make([][]float64, len(m.graph.Nodes)), Adjoint: make([][]float64, len(m.graph.Nodes))}
	for _, a := range m.graph.Nodes {
		c.Value[a.ID] = a.Value
	}
	term, r := in.Bind(c, nil), rand.New(rand.NewPCG(11, 1))
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, size)
		term.Draw(r, out[i])
	}
	return out
}

// uniform wants values between 0 and 1 with that distribution: their Kolmogorov-Smirnov distance is
// above 2.69/sqrt n by chance with probability 1e-6.
func uniform(t *testing.T, name string, u []float64) {
	t.Helper()
	slices.Sort(u)
	n, worst := float64(len(u)), 0.0
	for i, v := range u {
		worst = max(worst, math.Abs(v-float64(i)/n), math.Abs(v-float64(i+1)/n))
	}
	if !(worst <= 2.69/math.Sqrt(n)) {
		t.Errorf("%s: draws are %v from their distribution", name, worst)
	}
}

// Draws of joint distributions by the distributions of parts: 17 tests at 1e-6 each. Were the seed
// changed, one would fail with probability 2e-5.
func TestJointDraws(t *testing.T) {
	const n = 10_000
	part := func(name string, draws [][]float64, of func(v []float64) float64) {
		t.Helper()
		u := make([]float64, len(draws))
		for i, v := range draws {
			u[i] = of(v)
		}
		uniform(t, name, u)
	}
	phi := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

	// L⁻¹(y - mean) has independent standard normal values.
	m := New()
	l := []float64{2, 0, 0, -1, 0.5, 0, 0.3, 0.4, 1.5}
	mean := []float64{1, -2, 5}
	normal := drawn(t, m, MvNormal(mean, MatOf(3, 3, m.Values(l))), 3, n)
	student := drawn(t, m, MvStudentT(4, mean, MatOf(3, 3, m.Values(l))), 3, n)
	white := func(v []float64) []float64 {
		w := make([]float64, 3)
		for i := range w {
			w[i] = v[i] - mean[i]
			for j, z := range w[:i] {
				w[i] -= l[3*i+j] * z
			}
			w[i] /= l[4*i]
		}
		return w
	}
	for i := range 3 {
		part("normal", normal, func(v []float64) float64 { return phi(white(v)[i]) })
	}
	part("normal, sums", normal, func(v []float64) float64 {
		w := white(v)
		return phi((w[0] + w[1] - w[2]) / math.Sqrt(3))
	})
	part("t", student, func(v []float64) float64 { // q/3 has the F distribution with 3 and 4
		q := 0.0
		for _, w := range white(v) {
			q += w * w
		}
		return mathext.RegIncBeta(1.5, 2, q/(q+4))
	})
	// With LKJ(eta), n rows, each correlation is 2 b - 1 for b ~ beta(eta + n/2 - 1, the same).
	corr := drawn(t, New(), LKJ(0.8), 16, n)
	for i := range 4 {
		for j := range i {
			part("lkj", corr, func(v []float64) float64 {
				r := 0.0
				for k := range 4 {
					r += v[i*4+k] * v[j*4+k]
				}
				return mathext.RegIncBeta(1.8, 1.8, (1+r)/2)
			})
		}
	}
	alpha := []float64{0.3, 2, 1, 4}
	simplex := drawn(t, New(), Dirichlet(alpha), 4, n)
	for i, a := range alpha {
		part("dirichlet", simplex, func(v []float64) float64 {
			return mathext.RegIncBeta(a, 7.3-a, v[i])
		})
	}
	// Categories, and multinomial counts by their totals, to 5 standard deviations each: 7 tests with
	// a chance of 6e-7.
	p := []float64{0.2, 0.1, 0.7}
	m = New()
	totals := map[string][]float64{"categorical": make([]float64, 3), "logit": make([]float64, 3),
		"multinomial": make([]float64, 3)}
	for _, v := range drawn(t, m, Categorical(p), 1, n) {
		totals["categorical"][int(v[0])-1]++
	}
	for _, v := range drawn(t, m, CategoricalLogit([]float64{math.Log(2), 0, math.Log(7)}), 1, n) {
		totals["logit"][int(v[0])-1]++
	}
	for _, v := range drawn(t, m, Multinomial(10, p), 3, n/10) {
		if v[0]+v[1]+v[2] != 10 {
			t.Fatalf("counts %v, want 10 in all", v)
		}
		for k, c := range v {
			totals["multinomial"][k] += c
		}
	}
	for name, of := range totals {
		for k, c := range of {
			if math.Abs(c-n*p[k]) > 5*math.Sqrt(n*p[k]*(1-p[k])) {
				t.Errorf("%s: %v of category %d among %d, want about %v", name, c, k+1, n, n*p[k])
			}
		}
	}
}

// Draws from ranges that have little of the probability, by the shares of these above or below the draws in
// closed form: 12 tests at 1e-6 each. Were the seed changed, one would fail with probability 1.2e-5.
func TestTruncatedDraws(t *testing.T) {
	const n = 1000
	inf := math.Inf(1)
	above := func(z float64) float64 { return math.Erfc(z / math.Sqrt2) }
	// The asymptotic series of Mills' ratio is right to 105/z⁸.
	mills := func(z float64) float64 { return (1 - (1-(3-15/z/z)/z/z)/z/z) / z }
	beyond40 := func(t float64) float64 { return math.Exp(-t*(40+t/2)) * mills(40+t) / mills(40) }
	for name, c := range map[string]struct {
		d      Dist
		lo, hi float64
		share  func(v float64) float64
	}{
		"normal above":      {Normal(1, 2).Truncate(17, inf), 17, inf, func(v float64) float64 { return above((v-1)/2) / above(8) }},
		"normal below":      {Normal(1, 2).Truncate(-inf, -15), -inf, -15, func(v float64) float64 { return above((1-v)/2) / above(8) }},
		"normal between":    {Normal(0, 1).Truncate(40, 41), 40, 41, func(v float64) float64 { return beyond40(v - 40) }},
		"normal, all of it": {Normal(0, 1).Truncate(-2, inf), -2, inf, func(v float64) float64 { return above(v) / above(-2) }},
		// The density near 0 is that of an exponential distribution to 1e-18.
		"normal, far above": {Normal(-1e9, 1).Truncate(0, inf), 0, inf, func(v float64) float64 { return math.Exp(-v * 1e9) }},
		"normal, far below": {Normal(1e9, 1).Truncate(-1e-9, 0), -1e-9, 0,
			func(v float64) float64 { return math.Expm1(v*1e9) / math.Expm1(-1) }},
		"exponential": {Exponential(2).Truncate(30, 30.5), 30, 30.5,
			func(v float64) float64 { return math.Expm1(-2*(v-30)) / math.Expm1(-1) }},
		"gamma":    {Gamma(2, 1).Truncate(30, inf), 30, inf, func(v float64) float64 { return (1 + v) / 31 * math.Exp(30-v) }},
		"cauchy":   {Cauchy(0, 1).Truncate(1e6, inf), 1e6, inf, func(v float64) float64 { return math.Atan(1/v) / math.Atan(1e-6) }},
		"weibull":  {Weibull(2, 1).Truncate(7, inf), 7, inf, func(v float64) float64 { return math.Exp(49 - v*v) }},
		"beta":     {Beta(2, 1).Truncate(0, 0.01), 0, 0.01, func(v float64) float64 { return v * v / 1e-4 }},
		"at exprs": {TruncateAt(Normal(0, 1), 8.0, 9.0), 8, 9, func(v float64) float64 { return (above(v) - above(9)) / (above(8) - above(9)) }},
	} {
		u := make([]float64, n)
		for i, v := range drawn(t, New(), c.d, 1, n) {
			if u[i] = c.share(v[0]); !(v[0] >= c.lo && v[0] <= c.hi) {
				t.Fatalf("%s: %v is not within (%v, %v)", name, v[0], c.lo, c.hi)
			}
		}
		uniform(t, name, u)
	}
}

// Counts from ranges that have little of the probability, to 5 standard deviations of how often each comes
// that is expected 20 times or more: 15 tests with a chance of 2e-6 each.
func TestTruncatedCounts(t *testing.T) {
	const n = 1000
	poisson := func(rate float64) func(k float64) float64 {
		return func(k float64) float64 {
			lg, _ := math.Lgamma(k + 1)
			return k*math.Log(rate) - lg
		}
	}
	for name, c := range map[string]struct {
		d      Dist
		lo, hi int                     // beyond hi nothing shows
		log    func(k float64) float64 // of the density, but for a constant
	}{
		"poisson above": {Poisson(2).Truncate(19.5, math.Inf(1)), 20, 60, poisson(2)},
		"poisson below": {Poisson(200).Truncate(math.Inf(-1), 100), 0, 100, poisson(200)},
		"geometric":     {NegBinomial2(1, 1).Truncate(100, 105.5), 100, 105, func(k float64) float64 { return -k * math.Ln2 }},
	} {
		times, p, total := map[int]float64{}, map[int]float64{}, 0.0
		for _, v := range drawn(t, New(), c.d, 1, n) {
			times[int(v[0])]++
		}
		for k := c.lo; k <= c.hi; k++ {
			p[k] = math.Exp(c.log(float64(k)) - c.log(float64(c.lo)))
			total += p[k]
		}
		for k, w := range p {
			w /= total
			if n*w >= 20 && math.Abs(times[k]-n*w) > 5*math.Sqrt(n*w*(1-w)) {
				t.Errorf("%s: %v of %d draws are %d, want about %v", name, times[k], n, k, n*w)
			}
			delete(times, k)
		}
		if len(times) > 0 {
			t.Errorf("%s: draws outside the range: %v", name, times)
		}
	}
}
