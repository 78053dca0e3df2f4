package bke

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/bigfloat"
	"bayeskernel/internal/fixture"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// The oracle computes the two parts by the plainest formulas there are: the Gaussian part as in
// the model's definition in 600-bit arithmetic, and the determinant in log gamma by the
// Cauchy-Binet formula, a sum of positive terms over all choices of D pseudo-inputs.

// oracleGaussian is log N(vec K'; 0, 1 1' (x) R + tau2 I).
func oracleGaussian(mod *Model, p Params) float64 {
	n, m, d := mod.n, mod.m, mod.dim
	half := func(x, y []float64, scale float64) *big.Float { // exp(-d/scale)
		s := bigfloat.New()
		for a := range d {
			u := bigfloat.New().Sub(bigfloat.Of(x[a]), bigfloat.Of(y[a]))
			u.Quo(u, bigfloat.Of(p.theta(a)))
			s.Add(s, u.Mul(u, u))
		}
		return bigfloat.Exp(s.Neg(s.Quo(s, bigfloat.Of(scale))))
	}
	r := func(x, y []float64) *big.Float {
		v := half(x, y, 4)
		for a := range d {
			t2, e2 := bigfloat.Of(p.theta(a)), bigfloat.Of(p.Eta)
			t2.Mul(t2, t2)
			e2.Mul(bigfloat.Of(2), e2.Mul(e2, e2))
			switch mod.opts.Nu {
			case Lebesgue:
				// sqrt(pi) in double precision, twice, as the model has it.
				v.Mul(v, bigfloat.Of(p.theta(a)))
				pi, _ := bigfloat.New().SetString("3.14159265358979323846264338327950288419716939937510582")
				v.Mul(v, pi.Sqrt(pi))
			case Gaussian:
				one := bigfloat.New().Quo(e2, t2)
				one.Add(one, bigfloat.Of(1))
				v.Quo(v, one.Sqrt(one))
				c := bigfloat.New().Add(bigfloat.Of(x[a]), bigfloat.Of(y[a]))
				c.Mul(c, bigfloat.Of(0.5))
				c.Mul(c, c)
				c.Quo(c, bigfloat.New().Add(t2, e2))
				v.Mul(v, bigfloat.Exp(c.Neg(c)))
			}
		}
		return v
	}
	row := func(s []float64, i int) []float64 { return s[i*d : (i+1)*d] }

	spread, muhat := bigfloat.New(), make([]*big.Float, m)
	for l := range m {
		k := make([]*big.Float, n)
		muhat[l] = bigfloat.New()
		for i := range n {
			k[i] = half(row(mod.x, i), row(mod.z, l), 2)
			muhat[l].Add(muhat[l], k[i])
		}
		muhat[l].Quo(muhat[l], bigfloat.Of(float64(n)))
		for i := range n {
			c := bigfloat.New().Sub(k[i], muhat[l])
			spread.Add(spread, c.Mul(c, c))
		}
	}
	tau2 := bigfloat.Of(p.Tau2)
	c := bigfloat.New().Quo(tau2, bigfloat.Of(float64(n)))
	// LDL' of A = R + cI, and y = L^-1 muhat.
	lower := make([][]*big.Float, m)
	pivots := make([]*big.Float, m)
	y := make([]*big.Float, m)
	logDet, quad := 0.0, bigfloat.New()
	for j := range m {
		lower[j] = make([]*big.Float, j+1)
		for l := range j + 1 {
			s := r(row(mod.z, j), row(mod.z, l))
			if l == j {
				s.Add(s, c)
			}
			for k := range l {
				t := bigfloat.New().Mul(lower[j][k], lower[l][k])
				s.Sub(s, t.Mul(t, pivots[k]))
			}
			if l == j {
				pivots[j] = s
				logDet += bigfloat.Log(s)
			} else {
				lower[j][l] = s.Quo(s, pivots[l])
			}
		}
		y[j] = bigfloat.New().Set(muhat[j])
		for l := range j {
			y[j].Sub(y[j], bigfloat.New().Mul(lower[j][l], y[l]))
		}
		q := bigfloat.New().Mul(y[j], y[j])
		quad.Add(quad, q.Quo(q, pivots[j]))
	}
	rest, _ := quad.Add(quad, spread.Quo(spread, tau2)).Float64()
	fn, fm := float64(n), float64(m)
	return -(logDet + fm*math.Log(fn) + fm*(fn-1)*math.Log(p.Tau2) + rest +
		fm*fn*math.Log(2*math.Pi)) / 2
}

// oracleLogGamma is the sum over the rows of log gamma.
func oracleLogGamma(mod *Model, p Params, unit []float64) float64 {
	d, m := mod.dim, mod.m
	sum := 0.0
	for i := range mod.n {
		var terms []float64 // 2 log |det V_S| + 2 sum of w
		w := make([]float64, m)
		v := make([][]float64, m)
		for l := range m {
			v[l] = make([]float64, d)
			for a := range d {
				v[l][a] = mod.x[i*d+a] - mod.z[l*d+a]
				u := v[l][a] / p.theta(a)
				w[l] -= u * u / 2
				v[l][a] = inUnit(v[l][a], unit, a)
			}
		}
		subsets(m, d, func(s []int) {
			if det := exactDet(v, s); det != 0 {
				t := 2 * math.Log(math.Abs(det))
				for _, l := range s {
					t += 2 * w[l]
				}
				terms = append(terms, t)
			}
		})
		sum += logSumExpOf(terms) / 2
		for a := range d {
			sum -= 2 * math.Log(p.theta(a))
			if unit != nil {
				sum += math.Log(unit[a])
			}
		}
	}
	return sum
}

// inUnit returns the whole number that a difference on a lattice is in units of its spacing. Numbers that
// were rounded on their way to the lattice, such as 0.3 and 0.9, would else be on a line with 0 but for
// their last bits, and at small theta the determinant would be that of these bits.
func inUnit(v float64, unit []float64, a int) float64 {
	if unit == nil {
		return v
	}
	return math.Round(v / unit[a])
}

// subsets calls f for each choice of d of m numbers.
func subsets(m, d int, f func([]int)) {
	s := make([]int, 0, d)
	var rec func(from int)
	rec = func(from int) {
		if len(s) == d {
			f(s)
			return
		}
		for l := from; l < m; l++ {
			s = append(s, l)
			rec(l + 1)
			s = s[:len(s)-1]
		}
	}
	rec(0)
}

// exactDet is the determinant of the rows s of v, by elimination in rational numbers.
func exactDet(v [][]float64, s []int) float64 {
	d := len(s)
	a := make([][]*big.Rat, d)
	for i, l := range s {
		for _, x := range v[l] {
			a[i] = append(a[i], new(big.Rat).SetFloat64(x))
		}
	}
	det := big.NewRat(1, 1)
	for k := range d {
		p := k
		for p < d && a[p][k].Sign() == 0 {
			p++
		}
		if p == d {
			return 0
		}
		a[k], a[p] = a[p], a[k]
		det.Mul(det, a[k][k])
		for i := k + 1; i < d; i++ {
			f := new(big.Rat).Quo(a[i][k], a[k][k])
			for j := k; j < d; j++ {
				a[i][j] = new(big.Rat).Sub(a[i][j], new(big.Rat).Mul(f, a[k][j]))
			}
		}
	}
	f, _ := det.Float64()
	return f
}

func logSumExpOf(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	if math.IsInf(top, -1) {
		return top
	}
	s := 0.0
	for _, v := range x {
		s += math.Exp(v - top)
	}
	return top + math.Log(s)
}

// hardCase is a model with parameters drawn from the whole range over which the pseudolikelihood
// is promised to be finite.
type hardCase struct {
	model *Model
	p     Params
	what  string
	unit  []float64 // the spacing of the lattice, nil if there is none
}

// newHardCase draws data of dimension d in one of four layouts, n rows and m pseudo-inputs, some of
// them equal to rows, some rows repeated; on the lattice, with another spacing for each coordinate in
// one case of two; theta from 1e-3 times the smallest spacing to 1e4 times
// the diameter, tau2 from 1e-10 to 1e2.
func newHardCase(r *rand.Rand, d, n, m int) (hardCase, error) {
	layout := r.IntN(4)
	space := make([]float64, d)
	unlike := r.IntN(2) == 0
	for a := range space {
		space[a] = 1
		if unlike {
			space[a] = math.Exp(2 * r.NormFloat64())
		}
	}
	draw := func() []float64 {
		x := make([]float64, d)
		cluster := 10 * float64(r.IntN(3))
		for a := range x {
			switch layout {
			case 0:
				x[a] = r.NormFloat64()
			case 1:
				x[a] = space[a] * float64(r.IntN(5))
			case 2:
				x[a] = cluster + r.NormFloat64()/10
			case 3:
				x[a] = 1e3 + 50*r.ExpFloat64()
			}
		}
		return x
	}
	z := make([][]float64, m)
	for l := range z {
		z[l] = draw()
	}
	x := make([][]float64, n)
	for i := range x {
		switch r.IntN(6) {
		case 0:
			x[i] = z[r.IntN(m)]
		case 1:
			x[i] = x[max(i-1, 0)]
		}
		if x[i] == nil {
			x[i] = draw()
		}
	}
	o := Options{Nu: Nu(r.IntN(3)), ARD: r.IntN(2) == 0, Weight: 1, Path: pathOf(r.IntN(3))}
	mod, err := NewModel(fixture.Matrix(x), fixture.Matrix(z), o)
	if err != nil {
		return hardCase{}, err
	}
	near, far := spacings(fixture.Matrix(append(x, z...)))
	theta := func() float64 {
		lo, hi := math.Log(1e-3*near), math.Log(1e4*far)
		return math.Exp(lo + (hi-lo)*r.Float64())
	}
	p := Params{Theta: make([]float64, mod.thetas()), Tau2: math.Pow(10, -10+12*r.Float64()),
		Eta: far * math.Pow(10, -2+3*r.Float64())}
	for a := range p.Theta {
		p.Theta[a] = theta()
	}
	if layout != 1 {
		space = nil
	} else if mod.plane != nil {
		return hardCase{}, errors.New("the lattice is on a plane, and its projection no lattice")
	}
	return hardCase{mod, p, fmt.Sprintf("layout %d, D = %d, n = %d, m = %d, %+v, %+v",
		layout, d, n, m, o, p), space}, nil
}

// spacings returns the smallest non-zero distance between rows and the largest.
func spacings(a *mat.Dense) (near, far float64) {
	near = math.Inf(1)
	n, _ := a.Dims()
	for i := range n {
		for j := range i {
			if r := rows.Distance(a.RawRowView(i), a.RawRowView(j)); r > 0 {
				near, far = min(near, r), max(far, r)
			}
		}
	}
	return near, far
}

// beyondDD says whether tau2/n is below what 32 digits can resolve beside the amplitude of R, as
// happens for Lebesgue measure in high dimension.
func (c hardCase) beyondDD() bool {
	r, err := kernels.NewPrior(c.model.opts.Kernel, c.model.opts.Nu, c.model.dim)
	if err != nil {
		panic(err)
	}
	r.Set(c.p.Theta, c.p.Eta)
	amp := r.LogAmplitude()
	return math.Log(c.p.Tau2/float64(c.model.n))-amp < math.Log(1e-26)
}

func TestValueAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	worstG, worstJ, beyond := 0.0, 0.0, 0
	for done := 0; done < 150; {
		d := 1 + r.IntN(4)
		c, err := newHardCase(r, d, 3+r.IntN(5), d+1+r.IntN(5))
		if err != nil {
			continue
		}
		done++
		g, j := c.model.Evaluator().Value(c.p)
		if math.IsNaN(g) || math.IsInf(g, 0) || math.IsNaN(j) || math.IsInf(j, 0) {
			t.Errorf("%s: parts %v and %v", c.what, g, j)
			continue
		}
		wantJ := oracleLogGamma(c.model, c.p, c.unit)
		errJ := math.Abs(j-wantJ) / (math.Abs(wantJ) + 1)
		worstJ = max(worstJ, errJ)
		if errJ > 1e-12 {
			t.Errorf("%s: Jacobian part %v, want %v (off by %.2g)", c.what, j, wantJ, errJ)
		}
		if c.beyondDD() {
			beyond++
			continue
		}
		wantG := oracleGaussian(c.model, c.p)
		errG := math.Abs(g-wantG) / (math.Abs(wantG) + 1)
		worstG = max(worstG, errG)
		if errG > 1e-9 {
			t.Errorf("%s: Gaussian part %v, want %v (off by %.2g)", c.what, g, wantG, errG)
		}
	}
	t.Logf("largest relative errors: Gaussian part %.2g, Jacobian part %.2g; %d left out",
		worstG, worstJ, beyond)
}

// theta returns the lengthscale of coordinate a.
func (p Params) theta(a int) float64 {
	if len(p.Theta) == 1 {
		return p.Theta[0]
	}
	return p.Theta[a]
}
