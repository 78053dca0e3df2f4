package studentt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

type text float64

func (v *text) UnmarshalText(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	*v = text(f)
	return err
}

type reference struct {
	SE struct {
		X     [][]float64
		Ell   float64
		Cases []struct {
			Alpha, Beta, Sigma02 float64
			Test                 []struct {
				X       []float64
				Delta   text
				LogQ    text
				Grad    []text
				Printed text `json:"logq_printed_eq4"`
			}
			Infinity text `json:"logq_at_infinity"`
		}
	}
	Toy struct {
		X     []float64
		Cases []struct {
			Alpha, Beta, Sigma02 float64
			LogNorm              text `json:"log_norm_const"`
			Test                 []struct {
				X      float64
				LogQ   text
				LogJac text `json:"log_jac"`
			}
		}
	}
	Jacobians []struct {
		Kernel string
		C      float64
		P      int
		X      []float64
		LogJac text `json:"log_jac"`
	}
}

func read(t *testing.T) (r reference) {
	t.Helper()
	fixture.JSON(t, "testdata/kst.json", &r)
	return r
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s is %.17g, want %.17g", what, got, want)
	}
}

func build(t testing.TB, k kernels.Kernel, p Params, x mat.Matrix) *Model {
	t.Helper()
	_, d := x.Dims()
	m := fixture.Get[*Model](t)(New(k, d, p))
	if err := m.AddAll(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	return m
}

// parabola has the features (x, x²).
func parabola() kernels.Kernel {
	return kernels.Sum{kernels.Linear{}, kernels.Polynomial{Degree: 2}}
}

func TestReferenceSE(t *testing.T) {
	ref := read(t).SE
	k := kernels.SquaredExponential(ref.Ell)
	x := fixture.Matrix(ref.X)
	for i, c := range ref.Cases {
		p := Params{Alpha: c.Alpha, Beta: c.Beta, Scale2: c.Sigma02}
		m := build(t, k, p, x)
		e := m.Evaluator()
		p.Form = Printed
		printed := build(t, k, p, x).Evaluator()
		logJ := -2 * math.Log(ref.Ell)
		g := make([]float64, 2)
		for _, want := range c.Test {
			what := fmt.Sprint("case ", i, " at ", want.X)
			near(t, what+": D", e.Form(want.X), float64(want.Delta), 1e-10)
			near(t, what+": log q", e.LogDensity(want.X, g)-logJ, float64(want.LogQ), 1e-10)
			near(t, what+": printed", printed.LogDensity(want.X, nil)-logJ, float64(want.Printed), 1e-10)
			for a := range g {
				near(t, what+": gradient", g[a], float64(want.Grad[a]), 1e-10)
			}
		}
		far := []float64{1e6, 1e6}
		near(t, "far away", e.LogDensity(far, nil)-logJ, float64(c.Infinity), 1e-10)
	}
}

// The toy: the reference, the normalising constant by quadrature, and the density in the space of
// features, computed there.
func TestReferenceToy(t *testing.T) {
	ref := read(t).Toy
	x := mat.NewDense(len(ref.X), 1, ref.X)
	for i, c := range ref.Cases {
		m := build(t, parabola(), Params{Alpha: c.Alpha, Beta: c.Beta, Scale2: c.Sigma02}, x)
		e := m.Evaluator()
		for _, want := range c.Test {
			at := []float64{want.X}
			what := fmt.Sprint("case ", i, " at ", want.X)
			near(t, what, e.LogDensity(at, nil), float64(want.LogQ)+float64(want.LogJac), 1e-10)
			d := explicit(ref.X, want.X, c.Beta, c.Sigma02)
			near(t, what+": D", e.Form(at), d, 1e-10)
		}
		for v := -4.0; v < 4; v += 0.37 {
			near(t, fmt.Sprint("D at ", v), e.Form([]float64{v}),
				explicit(ref.X, v, c.Beta, c.Sigma02), 1e-10)
		}
		// By x = sinh u, with which the trapezoidal rule converges fast; D is of order x^4, and the
		// smallest power is (1+14+0.5)/2.
		sum, h := 0.0, 1.0/512
		for u := -6.0; u <= 6; u += h {
			sum += h * math.Cosh(u) * math.Exp(e.LogDensity([]float64{math.Sinh(u)}, nil))
		}
		near(t, "log normalising constant", math.Log(sum), float64(c.LogNorm), 1e-11)
	}
}

// explicit is D of the Student-t distribution of the features (x, x²).
func explicit(rows []float64, x, beta, s2 float64) float64 {
	n := float64(len(rows))
	a, b, d := s2, 0.0, s2 // Psi
	var m1, m2 float64
	for _, v := range rows {
		m1 += v
		m2 += v * v
		a += v * v
		b += v * v * v
		d += v * v * v * v
	}
	a -= m1 * m1 / (n + beta)
	b -= m1 * m2 / (n + beta)
	d -= m2 * m2 / (n + beta)
	u, v := x-m1/(n+beta), x*x-m2/(n+beta)
	return (1+beta+n)/(beta+n) + (d*u*u-2*b*u*v+a*v*v)/(a*d-b*b)
}

func TestReferenceJacobians(t *testing.T) {
	for _, c := range read(t).Jacobians {
		var k kernels.Kernel = kernels.Polynomial{Degree: c.P, Offset: c.C}
		if c.P == 0 {
			k = kernels.AllSubsets{}
		}
		m := fixture.Get[*Model](t)(New(k, len(c.X), Params{1, 1, 1, NIW}))
		near(t, c.Kernel, m.Evaluator().jacobian(c.X, nil), float64(c.LogJac), 1e-13)
	}
}

// Gradients of both forms and many kernels, with few rows and more, against differences.
func TestGradient(t *testing.T) {
	x := fixture.Normals(1, 9, 3, 0)
	se := kernels.SquaredExponential(1.2)
	at := []float64{0.4, -0.3, 0.8}
	for name, k := range map[string]kernels.Kernel{
		"se":          se,
		"se, ARD":     kernels.SquaredExponential(1, 2, 0.5),
		"matern52":    kernels.Matern52(1.2),
		"linear":      kernels.Linear{},
		"polynomial":  kernels.Polynomial{Degree: 3, Offset: 1},
		"all subsets": kernels.AllSubsets{},
		"mixed":       kernels.Sum{se, kernels.Product{kernels.Polynomial{Degree: 2, Offset: 1}, se}},
	} {
		for _, form := range []Form{NIW, Printed} {
			for _, n := range []int{0, 1, 2, 9} {
				m := fixture.Get[*Model](t)(New(k, 3, Params{2, 0.7, 0.2, form}))
				for i := range n {
					if err := m.Add(x.RawRowView(i)); err != nil {
						t.Fatal(err)
					}
				}
				e := m.Evaluator()
				g := make([]float64, 3)
				v := e.LogDensity(at, g)
				if w := e.LogDensity(at, nil); w != v {
					t.Errorf("%s: %v with gradient, %v without", name, v, w)
				}
				for i := range at {
					f := func(h float64) float64 {
						z := append([]float64(nil), at...)
						z[i] += h
						return e.LogDensity(z, nil)
					}
					d := func(h float64) float64 { return (f(h) - f(-h)) / (2 * h) }
					near(t, fmt.Sprint(name, " ", form, " ", n, " rows"), g[i],
						(4*d(5e-4)-d(1e-3))/3, 1e-8)
				}
			}
		}
	}
}

// The form with W itself, dense, for small and large beta.
func TestFormDense(t *testing.T) {
	x := fixture.Normals(2, 12, 2, 0.5)
	k := kernels.Matern52(1.5)
	at := []float64{0.2, -0.7}
	for _, beta := range []float64{1e-4, 0.3, 5} {
		m := build(t, k, Params{1, beta, 0.05, NIW}, x)
		w := mat.NewSymDense(12, nil)
		gram := fixture.Gram(t, k, x)
		tt, sums, total, own := mat.NewVecDense(12, nil), make([]float64, 12), 0.0, 0.0
		c := 1 / (12 + beta)
		for i := range 12 {
			for j := range 12 {
				sums[i] += gram.At(i, j)
				v := gram.At(i, j) + 0.05/beta
				if i == j {
					v += 0.05
				}
				w.SetSym(i, j, v)
			}
			total += sums[i]
			kx := k.At(at, x.RawRowView(i))
			own += kx
			tt.SetVec(i, kx-c*sums[i])
		}
		var chol mat.Cholesky
		if !chol.Factorize(w) {
			t.Fatal("not positive definite")
		}
		var s mat.VecDense
		if err := chol.SolveVecTo(&s, tt); err != nil {
			t.Fatal(err)
		}
		want := 1 + c + (1-2*c*own+c*c*total-mat.Dot(tt, &s))/0.05
		near(t, fmt.Sprint("beta ", beta), m.Evaluator().Form(at), want, 1e-9)
	}
}

// The order of the rows makes no difference.
func TestOrder(t *testing.T) {
	x := fixture.Normals(3, 30, 2, 0)
	back := mat.NewDense(30, 2, nil)
	for i := range 30 {
		back.SetRow(29-i, x.RawRowView(i))
	}
	k := kernels.SquaredExponential(1)
	for _, form := range []Form{NIW, Printed} {
		p := Params{1, 0.01, 0.01, form}
		a, b := build(t, k, p, x).Evaluator(), build(t, k, p, back).Evaluator()
		for _, at := range [][]float64{{0, 0}, {1, -1}, {4, 4}} {
			near(t, "reversed", b.LogDensity(at, nil), a.LogDensity(at, nil), 1e-11)
		}
	}
}

func TestNovelty(t *testing.T) {
	x := fixture.Normals(3, 60, 2, 0)
	k := kernels.SquaredExponential(1)
	p := Params{1, 0.01, 0.01, NIW}
	m := build(t, k, p, x)
	other := build(t, k, p, fixture.Normals(4, 60, 2, 3))
	points := mat.NewDense(3, 2, []float64{0, 0, 3, 3, 20, 20})
	n := make([]float64, 3)
	if err := m.Novelty(t.Context(), n, points); err != nil {
		t.Fatal(err)
	}
	if !(n[0] < n[1] && n[1] < n[2]) {
		t.Errorf("novelties are %v", n)
	}
	if err := RelativeNovelty(t.Context(), n, m, other, points); err != nil {
		t.Fatal(err)
	}
	if !(n[0] < 0 && n[1] > 0) || math.Abs(n[2]) > n[1]/10 {
		t.Errorf("relative novelties are %v", n)
	}
	// What is missing of a row: the second column is the square of the first.
	curve := mat.NewDense(80, 2, nil)
	for i := range 80 {
		v := float64(i)/20 - 2
		curve.SetRow(i, []float64{v, v * v})
	}
	c := build(t, k, p, curve)
	best, logs, err := c.Reconstruct([]float64{1.5, math.NaN()}, []int{1},
		mat.NewDense(4, 1, []float64{0, 1, 2.25, 4}))
	if err != nil || best != 2 || len(logs) != 4 {
		t.Errorf("candidate %d of %v, %v", best, logs, err)
	}
}

func TestErrors(t *testing.T) {
	se := kernels.SquaredExponential(1)
	good := Params{1, 1, 1, NIW}
	m := build(t, se, good, fixture.Normals(1, 3, 2, 0))
	make := func(k kernels.Kernel, d int, p Params) error { _, err := New(k, d, p); return err }
	_, _, missing := m.Reconstruct([]float64{1, 2}, []int{2}, mat.NewDense(1, 1, nil))
	_, _, width := m.Reconstruct([]float64{1, 2}, []int{0, 1}, mat.NewDense(1, 1, nil))
	for want, err := range map[string]error{
		"kernel is nil":                make(nil, 2, good),
		"number of columns is 0":       make(se, 0, good),
		"Alpha is 0":                   make(se, 2, Params{0, 1, 1, NIW}),
		"Beta is -1":                   make(se, 2, Params{1, -1, 1, NIW}),
		"Scale2 is NaN":                make(se, 2, Params{1, 1, math.NaN(), NIW}),
		"form is 2":                    make(se, 2, Params{1, 1, 1, 2}),
		"want one with derivatives":    make(kernels.Laplacian{Theta: []float64{1}}, 2, good),
		"row has 1 column, want 2":     m.Add([]float64{1}),
		"column 2 of a row is +Inf":    m.Add([]float64{1, math.Inf(1)}),
		"rows have 3 columns, want 2":  m.AddAll(t.Context(), fixture.Normals(1, 3, 3, 0)),
		"missing column is 2, want 0":  missing,
		"1 candidates of 1, want 2":    width,
		"points have 1 column, want 2": m.LogDensities(t.Context(), nil, mat.NewDense(1, 1, nil)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "studentt: ") {
			t.Errorf("error is %v, want %q in it", err, want)
		}
	}
	// The same row again and again, with hardly any scale, and nothing is lost of what was there.
	tiny := fixture.Get[*Model](t)(New(se, 2, Params{1, 1, 1e-300, NIW}))
	var err error
	for range 3 {
		if err == nil {
			err = tiny.Add([]float64{1, 1})
		}
	}
	if err == nil || !strings.Contains(err.Error(), "want more") || tiny.Rows() > 2 ||
		len(tiny.scale) != tiny.Rows() {
		t.Errorf("error is %v with %d rows", err, tiny.Rows())
	}
}

func TestDensityDoesNotAllocate(t *testing.T) {
	x := fixture.Normals(1, 50, 2, 0)
	for _, k := range []kernels.Kernel{kernels.SquaredExponential(1),
		kernels.AllSubsets{}} {
		e := build(t, k, Params{1, 1, 1, NIW}, x).Evaluator()
		g, at := make([]float64, 2), []float64{0.1, 0.2}
		e.LogDensity(at, g)
		if n := testing.AllocsPerRun(10, func() { e.LogDensity(at, g) }); n > 0 {
			t.Errorf("%T: %v allocations", k, n)
		}
	}
}

func TestEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k, p, x := kernels.SquaredExponential(1), Params{Alpha: 1, Beta: 1, Scale2: 1},
		mat.NewDense(2, 1, []float64{0, 1})
	m := fixture.Get[*Model](t)(New(k, 1, p))
	c := fixture.Get[*Conformal](t)(NewConformal(context.Background(), k, x, 0, p))
	dst := make([]float64, 2)
	for name, err := range map[string]error{
		"AddAll": m.AddAll(ctx, x), "Novelty": m.Novelty(ctx, dst, x), "PValues": c.PValues(ctx, dst, x),
		"RelativeNovelty": RelativeNovelty(ctx, dst, m, m, x),
	} {
		if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "studentt: stopped") {
			t.Errorf("%s: error is %v, want that of the context", name, err)
		}
	}
}
