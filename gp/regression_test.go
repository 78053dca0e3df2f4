package gp

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// draw makes rows and outputs that wave.
func draw(seed uint64, n, dim int) (*mat.Dense, []float64) {
	r := rand.New(rand.NewPCG(seed, 3))
	x, y := mat.NewDense(n, dim, nil), make([]float64, n)
	for i := range n {
		for a := range dim {
			x.Set(i, a, 2*r.NormFloat64())
			y[i] += math.Sin(float64(a+1) * x.At(i, a))
		}
		y[i] += 0.2 * r.NormFloat64()
	}
	return x, y
}

// brute is S at some rows against others, from Kernel.At.
func brute(k kernels.Kernel, p Params, x, z *mat.Dense, noise bool) *mat.Dense {
	n, _ := x.Dims()
	m, _ := z.Dims()
	s := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			v := p.Signal * p.Signal * k.At(x.RawRowView(i), z.RawRowView(j))
			if noise && i == j {
				v += p.Noise * p.Noise
			}
			s.Set(i, j, v)
		}
	}
	return s
}

// Predictions, residuals and leave-one-out against the formulas with an inverse matrix, and fits
// without each point.
func TestBruteForce(t *testing.T) {
	for _, kernel := range []kernels.Radial{nil, kernels.Matern{Nu: 1.5}} {
		x, y := draw(1, 25, 2)
		m, err := New(x, y, Options{Kernel: kernel, ARD: true})
		if err != nil {
			t.Fatal(err)
		}
		p := Params{Signal: 1.3, Noise: 0.3, Theta: []float64{1.1, 0.7}}
		r, err := m.At(p)
		if err != nil {
			t.Fatal(err)
		}
		k := m.kernel(p)
		var inverse mat.Dense
		if err := inverse.Inverse(brute(k, p, x, x, true)); err != nil {
			t.Fatal(err)
		}
		at, _ := draw(2, 6, 2)
		cross := brute(k, p, at, x, false)
		var weights, spread mat.Dense
		weights.Mul(cross, &inverse)
		spread.Mul(&weights, cross.T())
		mean, variance, err := r.Predict(at)
		if err != nil {
			t.Fatal(err)
		}
		for i := range mean {
			want := mat.Dot(weights.RowView(i), mat.NewVecDense(25, y))
			near(t, "mean", mean[i], want)
			near(t, "variance", variance[i], p.Signal*p.Signal-spread.At(i, i))
		}
		own, _, err := r.Predict(x)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range r.Residuals() {
			near(t, "residual", v, y[i]-own[i])
		}
		checkWithout(t, r, x, y)
	}
}

// checkWithout compares leave-one-out with regressions on the other points.
func checkWithout(t *testing.T, r *Regression, x *mat.Dense, y []float64) {
	t.Helper()
	mean, variance, err := r.LeaveOneOut()
	if err != nil {
		t.Fatal(err)
	}
	n, dim := x.Dims()
	for out := range n {
		rest := mat.NewDense(n-1, dim, nil)
		for i := range n - 1 {
			rest.SetRow(i, x.RawRowView(i+min(1, max(0, i-out+1))))
		}
		m, err := New(rest, slices.Delete(slices.Clone(y), out, out+1), r.m.o)
		if err != nil {
			t.Fatal(err)
		}
		without, err := m.At(r.Params)
		if err != nil {
			t.Fatal(err)
		}
		a, v, err := without.Predict(mat.NewDense(1, dim, x.RawRowView(out)))
		if err != nil {
			t.Fatal(err)
		}
		near(t, "mean without", mean[out], a[0])
		near(t, "variance without", variance[out], v[0]+r.Params.Noise*r.Params.Noise)
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// The gradient against central differences for kernels of several kinds, with one lengthscale or
// one for each column, and two equal rows.
func TestGradient(t *testing.T) {
	for _, kernel := range []kernels.Radial{nil, kernels.Matern{Nu: 1.5}, kernels.Matern{Nu: 2.5},
		kernels.RQ{Alpha: 1.5}} {
		for _, ard := range []bool{false, true} {
			x, y := draw(4, 30, 3)
			x.SetRow(7, x.RawRowView(9))
			m, err := New(x, y, Options{Kernel: kernel, ARD: ard})
			if err != nil {
				t.Fatal(err)
			}
			u := append([]float64{0.2, -1}, []float64{0.1, 0.4, -0.3}[:m.Lengthscales()]...)
			grad := make([]float64, len(u))
			r, err := m.At(params(u))
			if err == nil {
				err = r.Gradient(grad)
			}
			if err != nil {
				t.Fatal(err)
			}
			for a := range u {
				const h = 1e-5
				var value [2]float64
				for side, step := range []float64{h, -h} {
					at := slices.Clone(u)
					at[a] += step
					r, err := m.At(params(at))
					if err != nil {
						t.Fatal(err)
					}
					value[side] = r.LogLikelihood
				}
				want := (value[0] - value[1]) / (2 * h)
				if math.Abs(grad[a]-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("%v, ARD %v: derivative %d is %v, by differences %v", kernel, ard, a, grad[a],
						want)
				}
			}
		}
	}
}

// Seven points of a wave: as a wave with little noise, or as a slow curve with much. Both are
// found, and the gradient is 0 at both.
func TestSeveralMaxima(t *testing.T) {
	x := mat.NewDense(7, 1, []float64{-2.1, -1.5, -0.3, 0.3, 0.7, 1.5, 2.9})
	y := []float64{-1.2, 0.6, 0.9, 0.6, -1.0, -0.3, 1.0}
	m, err := New(x, y, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Learn(t.Context(), LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Maxima) < 2 {
		t.Fatalf("%d maxima: %+v", len(f.Maxima), f.Maxima)
	}
	for k, mode := range f.Maxima {
		if k > 0 && mode.LogLikelihood > f.Maxima[k-1].LogLikelihood {
			t.Error("the maxima are not in order")
		}
		r, err := m.At(mode.Params)
		if err != nil {
			t.Fatal(err)
		}
		grad := make([]float64, 3)
		if err := r.Gradient(grad); err != nil {
			t.Fatal(err)
		}
		for _, g := range grad {
			if math.Abs(g) > 1e-3 && !mode.AtBound {
				t.Errorf("maximum %d %+v: gradient %v", k, mode, grad)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	x, y := draw(1, 10, 1)
	good, err := New(x, y, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	flat, _ := New(mat.NewDense(3, 1, []float64{1, 1, 1}), []float64{1, 2, 3}, Options{})
	zero, _ := New(mat.NewDense(3, 1, []float64{1, 2, 3}), []float64{0, 0, 0}, Options{})
	second := func(_ any, err error) error { return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{second(New(x, y[:9], Options{})), "9 outputs, want one for each of 10 rows"},
		{second(New(x, append([]float64{math.NaN()}, y[1:]...), Options{})), "output 1 is NaN"},
		{second(New(mat.NewDense(1, 1, nil), y[:1], Options{})), "at least 2"},
		{second(New(x, y, Options{Kernel: kernels.Matern{Nu: -1}})), "gp: "},
		{second(good.At(Params{Signal: 1, Noise: 0, Theta: []float64{1}})), "want positive"},
		{second(good.At(Params{Signal: 1, Noise: 1, Theta: []float64{1, 1}})), "2 lengthscales, want 1"},
		{second(good.At(Params{Signal: 1, Noise: 1, Theta: []float64{-1}})), "gp: "},
		{second(good.Learn(ended, LearnOptions{})), "context canceled"},
		{second(good.Learn(t.Context(), LearnOptions{Shortest: 3, Longest: 2})), "lengthscales from 3 to 2"},
		{second(flat.Learn(t.Context(), LearnOptions{})), "column 1 of x is constant"},
		{second(zero.Learn(t.Context(), LearnOptions{})), "all outputs are 0"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}
