package bke

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Value and gradient are finite at the corners of the promised range, for every dimension, nu and
// kind of lengthscale.
func TestFiniteAtTheEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 33))
	for d := 1; d <= 10; d++ {
		n, m := 12, d+8
		x, z := normalRows(r, n, d), normalRows(r, m, d)
		x.SetRow(0, z.RawRowView(0))
		x.SetRow(1, x.RawRowView(2))
		z.SetRow(1, z.RawRowView(2))
		var all mat.Dense
		all.Stack(x, z)
		near, far := spacings(&all)
		for k := range 12 {
			nu, ard := Nu(k%3), k%2 == 0
			mod, err := NewModel(x, z, Options{Nu: nu, ARD: ard})
			if err != nil {
				t.Fatal(err)
			}
			e, grad := mod.Evaluator(), make([]float64, len(mod.Free()))
			for corner := range 8 {
				p := Params{Theta: make([]float64, mod.thetas()), Tau2: 1e-10, Eta: far}
				for a := range p.Theta {
					p.Theta[a] = 1e-3 * near
					if corner&1 != 0 {
						p.Theta[a] = 1e4 * far
					}
				}
				if corner&2 != 0 {
					p.Tau2 = 1e2
				}
				if corner&4 != 0 {
					p.Theta[0] = far
				}
				sum := e.Gradient(grad, p)
				for _, g := range grad {
					sum += g
				}
				g, j := e.Value(p)
				if sum += g + j; math.IsNaN(sum) || math.IsInf(sum, 0) {
					t.Errorf("D = %d, %v, ard = %v, %+v: parts %v and %v, gradient %v",
						d, nu, ard, p, g, j, grad)
				}
			}
		}
	}
}

// Three vectors in line, but for the last bits of their decimals, and one across that weighs much less:
// it decides the determinant, and not those bits.
func TestLogGammaOfPointsInLine(t *testing.T) {
	z := mat.NewDense(5, 2, []float64{-0.1, -0.3, -0.3, -0.9, -0.7, -2.1, -0.2, -0.6, 6, -2})
	for _, far := range []float64{1, 2, 4, 6} {
		z.Set(4, 0, far)
		x := mat.NewDense(2, 2, []float64{0, 0, 1, 5})
		for _, theta := range []float64{0.05, 0.2, 0.5, 2, 50} {
			mod, err := NewModel(x, z, Options{})
			if err != nil {
				t.Fatal(err)
			}
			p := Params{Theta: []float64{theta}, Tau2: 1}
			_, got := mod.Evaluator().Value(p)
			nearly(t, "Jacobian part", got, oracleLogGamma(mod, p, []float64{0.1, 0.1}), 1e-13)
		}
	}
}

// The mean may be far from the kernel values of some rows: the centred sum must not suffer.
func TestSpreadKeepsItsDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 35))
	for _, d := range []int{1, 2} {
		x, z := normalRows(r, 300, d), normalRows(r, d+2, d)
		mod, err := NewModel(x, z, Options{Nu: Lebesgue})
		if err != nil {
			t.Fatal(err)
		}
		for _, theta := range []float64{0.2, 1, 30, 1e3, 1e5} {
			s := mod.Evaluator().sums(Params{Theta: []float64{theta}, Tau2: 1}, true)
			want, wantD := 0.0, 0.0
			for l := range mod.m {
				// k - 1, so that nothing is lost at large theta.
				k, q := make([]float64, mod.n), make([]float64, mod.n)
				mean, meanD := 0.0, 0.0
				for i := range mod.n {
					u := rows.Distance(mod.x[i*d:(i+1)*d], mod.z[l*d:(l+1)*d]) / theta
					k[i], q[i] = math.Expm1(-u*u/2), math.Exp(-u*u/2)*u*u
					mean += k[i] / float64(mod.n)
					meanD += q[i] / float64(mod.n)
				}
				for i := range mod.n {
					want += (k[i] - mean) * (k[i] - mean)
					wantD += 2 * (k[i] - mean) * (q[i] - meanD)
				}
			}
			// What the rounding of each kernel value does, with room for three of its units.
			tol := 1e-12 + 3*0x1p-52*math.Sqrt(float64(mod.n*mod.m)/want)
			nearly(t, "spread", s.spread, want, tol)
			nearly(t, "its derivative", s.dspread[0], wantD, tol)
		}
	}
}

// The numerical kernels agree with each other and with the pass for any dimension. The smaller
// lengthscales leave many rows to the elimination.
func TestKernelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 37))
	for _, c := range []struct {
		d     int
		ard   bool
		theta float64
	}{
		{1, false, 0.4}, {2, false, 0.6}, {2, false, 0.15}, {2, false, 40}, {2, true, 0.6},
		{2, true, 0.15}, {2, true, 40}, {3, false, 0.9}, {3, false, 0.3}, {3, false, 40},
		{3, true, 0.9}, {3, true, 0.3}, {3, true, 40},
	} {
		x, z := normalRows(r, 700, c.d), normalRows(r, 13, c.d)
		p := Params{Tau2: 0.1}
		for k := range 3 {
			mod, err := NewModel(x, z, Options{Path: pathOf(k), ARD: c.ard})
			if err != nil {
				t.Fatal(err)
			}
			if name := mod.Path(); name != pathOf(k) {
				t.Errorf("kernel %q, want %q", name, pathOf(k))
			}
			p.Theta = p.Theta[:0]
			for a := range mod.thetas() {
				p.Theta = append(p.Theta, c.theta*(1+float64(a)/2))
			}
			what := fmt.Sprintf("%+v, %s: ", c, mod.Path())
			s, g := mod.Evaluator().sums(p, true), newRowPass(mod).run(p.Theta, true)
			nearly(t, what+"log gamma", s.logGamma, g.logGamma, 1e-12)
			nearly(t, what+"spread", s.spread, g.spread, 1e-12)
			for a := range s.dlog {
				nearly(t, what+"d log gamma", s.dlog[a], g.dlog[a], 1e-12)
				nearly(t, what+"d spread", s.dspread[a], g.dspread[a], 1e-12)
			}
			for l := range s.muhat {
				nearly(t, what+"muhat", s.muhat[l], g.muhat[l], 1e-12)
			}
			for l := range s.dmuhat {
				nearly(t, what+"d muhat", s.dmuhat[l], g.dmuhat[l], 1e-12)
			}
		}
	}
}

// Data on a plane are projected, and the model on the plane is the model of its coordinates.
func TestDataOnAPlane(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 39))
	x, z := normalRows(r, 20, 1), normalRows(r, 6, 1)
	raise := func(a *mat.Dense) *mat.Dense { // onto the line 3 (1, 2, 2)/3 + (0, 0, 7)
		n, _ := a.Dims()
		b := mat.NewDense(n, 3, nil)
		for i := range n {
			v := a.At(i, 0)
			b.SetRow(i, []float64{v, 2 * v, 2*v + 7})
		}
		return b
	}
	flat, err := NewModel(x, z, Options{})
	if err != nil {
		t.Fatal(err)
	}
	high, err := NewModel(raise(x), raise(z), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if high.Rank() != 1 || high.Dim() != 3 || high.Weight() != flat.Weight() {
		t.Errorf("rank %d, dim %d, weight %v", high.Rank(), high.Dim(), high.Weight())
	}
	nearly(t, "pooled sd", high.PooledSD(), 3*flat.PooledSD(), 1e-12)
	g1, j1 := flat.Evaluator().Value(Params{Theta: []float64{0.5}, Tau2: 0.1})
	g3, j3 := high.Evaluator().Value(Params{Theta: []float64{1.5}, Tau2: 0.1})
	nearly(t, "Gaussian part", g3, g1, 1e-11)
	nearly(t, "Jacobian part", j3, j1-20*math.Log(3), 1e-11)
	if _, err := NewModel(raise(x), raise(z), Options{ARD: true}); err == nil {
		t.Error("ARD on a plane: no error")
	}
}

// The log pseudolikelihood falls as theta goes to zero, in any dimension, until it is out of range: it is
// never +Inf, at which a chain that steps far out would fail.
func TestFarOut(t *testing.T) {
	for _, d := range []int{1, 2, 3, 4, 5, 8, 30} {
		r := rand.New(rand.NewPCG(1, uint64(d)))
		x := mat.NewDense(60, d, nil)
		for i := range 60 {
			for j := range d {
				x.Set(i, j, r.NormFloat64())
			}
		}
		for _, ard := range []bool{false, true} {
			m, err := NewModel(x, mat.DenseCopyOf(x.Slice(0, 40, 0, d)), Options{ARD: ard})
			if err != nil {
				t.Fatal(err)
			}
			e, last := m.Evaluator(), math.Inf(1)
			for u := -2.0; u > -700; u -= 7.3 {
				theta := []float64{math.Exp(u)}
				for ard && len(theta) < d {
					theta = append(theta, theta[0])
				}
				_, lp := e.Value(Params{Theta: theta, Tau2: 0.1})
				if !(lp < last) && !(last < -1e300 && !(lp > last)) {
					t.Fatalf("D = %d, ARD %v: %v at log theta = %.1f, after %v", d, ard, lp, u, last)
				}
				if lp < last {
					last = lp
				}
			}
		}
	}
}
