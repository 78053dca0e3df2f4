package hmc

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/draws"
	"bayeskernel/internal/testmodels"
)

// smooth is a non-Gaussian target in three dimensions whose forces couple all coordinates.
func smooth() testmodels.Func {
	return testmodels.Func{N: 3, F: func(x, g []float64) float64 {
		lp := 0.0
		for i := range x {
			j := (i + 1) % 3
			lp -= math.Pow(x[i], 4)/4 + 0.5*math.Sin(x[i])*x[j]
		}
		for i := range x {
			j, k := (i+1)%3, (i+2)%3
			g[i] = -math.Pow(x[i], 3) - 0.5*math.Cos(x[i])*x[j] - 0.5*math.Sin(x[k])
		}
		return lp
	}}
}

func testMetrics(t *testing.T) map[string]Metric {
	t.Helper()
	diag, err := NewDiagMetric([]float64{0.5, 1.5, 2})
	if err != nil {
		t.Fatal(err)
	}
	dense, err := NewDenseMetric([][]float64{{1, -0.5, 0.1}, {-0.5, 1.5, -0.6}, {0.1, -0.6, 2}})
	if err != nil {
		t.Fatal(err)
	}
	low, err := NewLowRankMetric([]float64{1, 0.7, 1.5}, [][]float64{{0.6, 0.8, 0}, {-0.8, 0.6, 0}},
		[]float64{0.3, 2.5})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Metric{"unit": NewUnitMetric(3), "diag": diag, "dense": dense, "low": low}
}

func startAt(h *Hamiltonian, x ...float64) *Point {
	z := NewPoint(len(x))
	copy(z.X, x)
	h.Evaluate(z)
	return z
}

// TestLeapfrogReversible: there and back again is where one began, to 1e-12 a step.
func TestLeapfrogReversible(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, m := range testMetrics(t) {
		h := NewHamiltonian(smooth(), m)
		for trial := range 100 {
			z := startAt(h, r.NormFloat64(), r.NormFloat64(), r.NormFloat64())
			h.Momentum(z, r)
			from := NewPoint(3)
			from.CopyFrom(z)
			steps := 1 + trial%64
			for range steps {
				h.Leapfrog(z, 0.1)
			}
			for i := range z.P {
				z.P[i], z.V[i] = -z.P[i], -z.V[i]
			}
			for range steps {
				h.Leapfrog(z, 0.1)
			}
			for i := range z.X {
				ex := math.Abs(z.X[i]-from.X[i]) / math.Max(1, math.Abs(from.X[i]))
				ep := math.Abs(z.P[i]+from.P[i]) / math.Max(1, math.Abs(from.P[i]))
				if tol := 1e-12 * float64(steps); !(ex <= tol && ep <= tol) {
					t.Fatalf("%s, %d steps: component %d off by %.1e and %.1e", name, steps, i, ex, ep)
				}
			}
			// Backwards in time is the same as with the momentum turned round.
			b := NewPoint(3)
			b.CopyFrom(from)
			h.Leapfrog(b, 0.1)
			h.Leapfrog(b, -0.1)
			for i := range b.X {
				if math.Abs(b.X[i]-from.X[i]) > 1e-13*math.Max(1, math.Abs(from.X[i])) {
					t.Fatalf("%s: a step back does not undo a step", name)
				}
			}
		}
	}
}

// TestLeapfrogVelocity: the velocity carried along is W p after any number of steps.
func TestLeapfrogVelocity(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, m := range testMetrics(t) {
		h := NewHamiltonian(smooth(), m)
		z := startAt(h, 0.3, -0.8, 1.1)
		h.Momentum(z, r)
		want := make([]float64, 3)
		for step := range 200 {
			h.Leapfrog(z, 0.07)
			m.apply(want, z.P)
			for i := range want {
				if math.Abs(z.V[i]-want[i]) > 1e-12*math.Max(1, math.Abs(want[i])) {
					t.Fatalf("%s, step %d: velocity %v, W p = %v", name, step, z.V, want)
				}
			}
		}
	}
}

// TestLeapfrogSymplectic: the Jacobian J of a trajectory, by differences, keeps J' Omega J = Omega.
func TestLeapfrogSymplectic(t *testing.T) {
	const d, step, tol = 3, 1e-5, 1e-6
	start := []float64{0.4, -0.7, 1.2, 0.9, -0.3, 0.5}
	for name, m := range testMetrics(t) {
		h := NewHamiltonian(smooth(), m)
		flow := func(s []float64) []float64 {
			z := startAt(h, s[:d]...)
			copy(z.P, s[d:])
			h.metric.apply(z.V, z.P)
			m.apply(z.wg, z.Grad)
			for range 5 {
				h.Leapfrog(z, 0.15)
			}
			return append(append([]float64(nil), z.X...), z.P...)
		}
		j := mat.NewDense(2*d, 2*d, nil)
		for c := range 2 * d {
			up, down := append([]float64(nil), start...), append([]float64(nil), start...)
			up[c] += step
			down[c] -= step
			a, b := flow(up), flow(down)
			for i := range a {
				j.Set(i, c, (a[i]-b[i])/(2*step))
			}
		}
		omega := mat.NewDense(2*d, 2*d, nil)
		for i := range d {
			omega.Set(i, d+i, 1)
			omega.Set(d+i, i, -1)
		}
		var a, b mat.Dense
		a.Mul(j.T(), omega)
		b.Mul(&a, j)
		b.Sub(&b, omega)
		if e := mat.Norm(&b, math.Inf(1)); !(e < tol) {
			t.Errorf("%s: ||J'OJ - O|| = %.1e", name, e)
		}
	}
}

// TestLeapfrogOrder: the energy error is of second order, so half the step size leaves a quarter.
func TestLeapfrogOrder(t *testing.T) {
	for name, m := range testMetrics(t) {
		h := NewHamiltonian(smooth(), m)
		worst := func(eps float64) float64 {
			z := startAt(h, 0.4, -0.7, 1.2)
			h.Momentum(z, &testmodels.Scripted{State: 3})
			h0, w := h.Energy(z), 0.0
			for range int(math.Round(2 / eps)) {
				h.Leapfrog(z, eps)
				w = math.Max(w, math.Abs(h.Energy(z)-h0))
			}
			return w
		}
		for _, eps := range []float64{0.02, 0.01} {
			if q := worst(eps) / worst(eps/2); math.Abs(q-4) > 0.2 {
				t.Errorf("%s: halving a step of %v divides the energy error by %.3f", name, eps, q)
			}
		}
	}
}

// TestMomentum: the momenta have covariance W^-1. Each of the 6 sample moments of n draws is
// compared with its own standard error at |z| < 5: false alarm 5.7e-7 each.
func TestMomentum(t *testing.T) {
	const n = 40000
	r := rand.New(rand.NewPCG(5, 6))
	for name, m := range testMetrics(t) {
		// W^-1 by solving W c = e_j.
		w := mat.NewDense(3, 3, nil)
		e, col := make([]float64, 3), make([]float64, 3)
		for j := range 3 {
			clear(e)
			e[j] = 1
			m.apply(col, e)
			w.SetCol(j, col)
		}
		var inv mat.Dense
		if err := inv.Inverse(w); err != nil {
			t.Fatal(err)
		}
		var sum, sq [3][3]float64
		z := NewPoint(3)
		p := z.P
		for range n {
			m.momentum(z, r)
			for i := range 3 {
				for j := range 3 {
					v := p[i] * p[j]
					sum[i][j] += v
					sq[i][j] += v * v
				}
			}
		}
		for i := range 3 {
			for j := 0; j <= i; j++ {
				mean := sum[i][j] / n
				se := math.Sqrt((sq[i][j]/n - mean*mean) / n)
				if z := (mean - inv.At(i, j)) / se; math.Abs(z) > 5 {
					t.Errorf("%s: E p%d p%d = %v, want %v (z = %.1f)", name, i, j, mean,
						inv.At(i, j), z)
				}
			}
		}
	}
}

func TestMetricErrors(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, w := range [][]float64{{0}, {-1}, {inf}, {nan}, {1, 0}} {
		if _, err := NewDiagMetric(w); err == nil {
			t.Errorf("diagonal metric %v was taken", w)
		}
	}
	for _, w := range [][][]float64{{{1, 2}}, {{1, 2}, {2, 1}}, {{1, 0.5}, {0.4, 1}}, {{nan}}, {{inf}},
		{{1, nan}, {nan, 1}}, {{0}}} {
		if _, err := NewDenseMetric(w); err == nil {
			t.Errorf("dense metric %v was taken", w)
		}
	}
	for name, m := range testMetrics(t) {
		back, err := NewMetric(m.Record())
		if err != nil {
			t.Fatal(err)
		}
		a, b := make([]float64, 3), make([]float64, 3)
		m.apply(a, []float64{1, 2, 3})
		back.apply(b, []float64{1, 2, 3})
		for i := range a {
			if a[i] != b[i] {
				t.Errorf("%s: a metric and its record differ", name)
			}
		}
	}
}

func TestSymv(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for d := 1; d < 14; d++ {
		w, p, got := make([]float64, d*d), make([]float64, d), make([]float64, d)
		for i := range w {
			w[i] = r.NormFloat64()
		}
		for i := range p {
			p[i] = r.NormFloat64()
		}
		var want mat.VecDense
		want.MulVec(mat.NewDense(d, d, w), mat.NewVecDense(d, p))
		symv(got, w, p)
		for i := range got {
			if math.Abs(got[i]-want.AtVec(i)) > 1e-13 {
				t.Errorf("d = %d: row %d is %v, want %v", d, i, got[i], want.AtVec(i))
			}
		}
	}
}

// A kind that this package does not list is refused in one line that names it and those that are.
func TestUnknownKind(t *testing.T) {
	r := draws.Metric{Kind: "other", Diag: []float64{1, 2}, Parts: []draws.Part{{Name: "w"}}}
	_, direct := NewMetric(r)
	warm := Settings{Start: Start{Warm: []WarmStart{{Metric: r}}}}
	_, started := Sample(t.Context(), Shared(testmodels.Gauss2()), Config{Settings: warm})
	for _, err := range []error{direct, started} {
		if err == nil || !strings.HasPrefix(err.Error(),
			`hmc: kind of metric is "other", want unit_e, diag_e, dense_e, low_rank`) {
			t.Errorf("error %v", err)
		}
	}
}
