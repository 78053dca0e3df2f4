package model_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/draws"
	"bayeskernel/gp"
	"bayeskernel/hmc"
	"bayeskernel/model"
	"bayeskernel/nuts"
)

// shapes are the kernels, with their formulas.
var shapes = []struct {
	name  string
	of    func(x *model.Matrix, s, l, j model.Expr) model.Mat
	value func(r float64) float64 // of the distance over the lengthscale
}{
	{"squared exponential", model.SquaredExponential[*model.Matrix, model.Expr, model.Expr, model.Expr],
		func(r float64) float64 { return math.Exp(-r * r / 2) }},
	{"Matern 3/2", model.Matern32[*model.Matrix, model.Expr, model.Expr, model.Expr],
		func(r float64) float64 { return (1 + math.Sqrt(3)*r) * math.Exp(-math.Sqrt(3)*r) }},
	{"Matern 5/2", model.Matern52[*model.Matrix, model.Expr, model.Expr, model.Expr],
		func(r float64) float64 {
			return (1 + math.Sqrt(5)*r + 5*r*r/3) * math.Exp(-math.Sqrt(5)*r)
		}},
}

// gram is the kernel matrix of two sets of points.
func gram(x, y *mat.Dense, s, l float64, value func(r float64) float64) *mat.Dense {
	n, _ := x.Dims()
	m, _ := y.Dims()
	k := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			var d mat.VecDense
			d.SubVec(x.RowView(i), y.RowView(j))
			k.Set(i, j, s*s*value(mat.Norm(&d, 2)/l))
		}
	}
	return k
}

// given is the mean and the covariance of a Gaussian process at new points, by the inverse of the
// kernel matrix.
func given(x, at *mat.Dense, f []float64, s, l, j float64, value func(r float64) float64) (mean,
	cov mat.Dense) {
	k := gram(x, x, s, l, value)
	for i := range f {
		k.Set(i, i, k.At(i, i)+j)
	}
	var inverse, part, less mat.Dense
	if err := inverse.Inverse(k); err != nil {
		panic(err)
	}
	cross := gram(at, x, s, l, value)
	part.Mul(cross, &inverse)
	mean.Mul(&part, mat.NewDense(len(f), 1, f))
	less.Mul(&part, cross.T())
	cov.Sub(gram(at, at, s, l, value), &less)
	return mean, cov
}

// The mean by the inverse of the kernel matrix, for parameters drawn from the prior; and the
// covariance, from draws that are mean + F z of independent normal z: their moments are off by more
// than 5.5 standard errors with a probability of 4e-8, for each of 3 x 15 of them.
func TestConditional(t *testing.T) {
	const n, to, count = 6, 5, 20_000
	x, at := mat.NewDense(n, 2, numbers(2*n)), mat.NewDense(to, 2, numbers(2*to))
	for _, c := range shapes {
		m := model.New()
		s, l := m.Positive("s", model.LogNormal(0, 0.3)), m.Positive("l", model.LogNormal(0, 0.3))
		j := m.Positive("j", model.LogNormal(-1, 0.5))
		k := c.of(m.Matrix("x", x), s, l, j)
		f := k.Cholesky().MatVec(m.Reals("z", n, model.Normal(0, 1)))
		m.Quantity("f", f)
		m.Quantity("mean", model.ConditionalMean(k, f, m.Matrix("at", at)))
		m.Predict("new", to, model.Conditional(k, f, m.Matrix("again", at)))
		p := compile(t, m)
		run, err := p.Prior(t.Context(), 20, 3)
		if err != nil {
			t.Fatal(err)
		}
		var cov mat.Dense
		var mean []float64
		for _, row := range run.Chains[0].Values {
			var want mat.Dense
			f, means := row[3+n:3+2*n], row[3+2*n:]
			want, cov = given(x, at, f, row[0], row[1], row[2], c.value)
			for i, v := range means {
				if w := want.At(i, 0); !(math.Abs(v-w) <= 1e-10*(1+math.Abs(w))) {
					t.Errorf("%s: the mean of value %d is %v, want %v", c.name, i, v, w)
				}
			}
			mean = means
		}
		last := run.Chains[0].Values[19]
		run.Chains[0].Values = slices.Repeat([][]float64{last}, count)
		got, err := p.Predictive(t.Context(), run, 4)
		if err != nil {
			t.Fatal(err)
		}
		for i := range to {
			for k := range i + 1 {
				sum := 0.0
				for _, row := range got.Chains[0].Values {
					sum += (row[i] - mean[i]) * (row[k] - mean[k]) / count
				}
				ii, kk, ik := cov.At(i, i), cov.At(k, k), cov.At(i, k)
				se := math.Sqrt((ii*kk + ik*ik) / count)
				if !(math.Abs(sum-ik) <= 5.5*se) {
					t.Errorf("%s: covariance (%d, %d) is %v, want %v", c.name, i, k, sum, ik)
				}
			}
		}
	}
}

// The derivatives of the mean.
func TestConditionalMeanGradient(t *testing.T) {
	for _, c := range shapes {
		t.Run(c.name, func(t *testing.T) {
			checkGradient(t, func(m *model.Model) {
				s, l := m.Positive("s", model.HalfNormal(1)), m.Positive("l", model.InvGamma(3, 2))
				j := m.Positive("j", model.HalfNormal(1))
				k := c.of(m.Matrix("x", mat.NewDense(5, 2, numbers(10))), s, l, j)
				f := m.Reals("f", 5, model.Normal(0, 1))
				weighed(m, model.ConditionalMean(k, f, m.Matrix("at", mat.NewDense(4, 2, numbers(8)))))
				for _, e := range []model.Expr{s, l, j, f} {
					weighed(m, e)
				}
			}, 0.7)
		})
	}
}

// A regression with hyperparameters that are known: package gp has the same mean, and variance.
// The new points are then exchanged.
func TestConditionalOfRegression(t *testing.T) {
	const signal, length, noise, n, to = 1.3, 0.7, 0.4, 12, 4
	x, y, at := numbers(n), numbers(n + 1)[:n], numbers(to)
	m := model.New()
	k := model.SquaredExponential(m.Data("x", x), signal, length, noise*noise)
	level := m.Real("level", model.Normal(0, 1))
	seen := m.Data("y", y)
	m.Observe(seen, model.MvNormal(level, k.Cholesky()))
	new := m.Data("new", at)
	m.Quantity("mean", model.ConditionalMean(k, seen.Sub(level), new).Add(level))
	f := m.Predict("f", to, model.Conditional(k, seen.Sub(level), new))
	m.Predict("again", to, model.Normal(f.Add(level), noise))
	p := compile(t, m)
	for _, want := range []string{"f[4] ~ the Gaussian process at new, given y - level",
		"again[4] ~ normal(f + level, 0.4), to be predicted"} {
		if !strings.Contains(p.String(), want) {
			t.Errorf("%q is not in\n%v", want, p)
		}
	}

	const count = 20_000
	check := func(p *model.Program, at []float64) {
		t.Helper()
		r, err := gp.New(mat.NewDense(n, 1, x), less(y, 0.5), gp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		fit, err := r.At(gp.Params{Signal: signal, Noise: noise, Theta: []float64{length}})
		if err != nil {
			t.Fatal(err)
		}
		mean, variance, err := fit.Predict(mat.NewDense(len(at), 1, at))
		if err != nil {
			t.Fatal(err)
		}
		run := &draws.Run{Names: compile(t, m).Names(), Chains: make([]draws.Chain, 1)}
		run.Chains[0].Values = slices.Repeat([][]float64{{0.5, 0, 0, 0, 0}}, count)
		got, err := p.Predictive(t.Context(), run, 1)
		if err != nil {
			t.Fatal(err)
		}
		width := len(got.Names)
		for i := range at {
			for _, w := range []struct {
				place       int
				mean, sigma float64
			}{{width - 2*len(at) + i, mean[i], math.Sqrt(variance[i])},
				{width - len(at) + i, mean[i] + 0.5, math.Sqrt(variance[i] + noise*noise)}} {
				first, second := 0.0, 0.0
				for _, row := range got.Chains[0].Values {
					z := (row[w.place] - w.mean) / w.sigma
					first, second = first+z/count, second+z*z/count
				}
				// 5.5 standard errors, as above.
				if !(math.Abs(first) <= 5.5/math.Sqrt(count)) ||
					!(math.Abs(second-1) <= 5.5*math.Sqrt(2./count)) {
					t.Errorf("%s: standardised mean %v, second moment %v", got.Names[w.place], first, second)
				}
			}
		}
	}
	check(p, at)
	run, err := nuts.Sample(t.Context(), p.Target, nuts.Config{Settings: hmc.Settings{Chains: 1,
		Warmup: 50, Draws: 20}})
	if err != nil {
		t.Fatal(err)
	}
	predicted, err := p.Predictive(t.Context(), run, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "zarr")
	if err := p.Write(dir, run, model.Content{Predictive: predicted}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f", "again"} {
		if _, err := os.Stat(filepath.Join(dir, "posterior_predictive", name)); err != nil {
			t.Error(err)
		}
	}
	other, err := p.With("new", []float64{-2, 0.3})
	if err != nil {
		t.Fatal(err)
	}
	check(other, []float64{-2, 0.3})
	if _, err := p.With("x", []float64{1, 2}); err == nil {
		t.Error("two points for twelve values")
	}
}

func less(v []float64, c float64) []float64 {
	out := slices.Clone(v)
	for i := range out {
		out[i] -= c
	}
	return out
}

// New points that coincide with each other, and with those of the kernel matrix: the covariance has
// rank 1, and draws are the values there, which a jitter of 1e-9 lets move by 1e-4.
func TestConditionalWherePointsCoincide(t *testing.T) {
	m := model.New()
	k := model.Matern52(m.Data("x", []float64{0, 1, 2}), 1, 1, 1e-9)
	f := m.Reals("f", 3, model.Normal(0, 1))
	m.Predict("new", 5, model.Conditional(k, f, m.Data("at", []float64{1, 5, 5, 0, 1})))
	p := compile(t, m)
	run := &draws.Run{Names: p.Names(), Chains: []draws.Chain{{Values: [][]float64{{0.3, -1, 0.7}}}}}
	for seed := range uint64(20) {
		got, err := p.Predictive(t.Context(), run, seed)
		if err != nil {
			t.Fatal(err)
		}
		v := got.Chains[0].Values[0]
		for _, d := range []float64{v[0] + 1, v[4] + 1, v[3] - 0.3} {
			if !(math.Abs(d) < 1e-3) {
				t.Errorf("draws %v, want -1, any two that are equal, 0.3 and -1", v)
			}
		}
		if !(math.Abs(v[1]-v[2]) < 1e-6) || math.IsNaN(v[1]) {
			t.Errorf("draws %v: the second and third are at the same point", v)
		}
	}
}

// Predictions that depend on one another, in a chain of three, exactly.
func TestPredictOfPredictions(t *testing.T) {
	m := model.New()
	mu := m.Real("mu", model.Normal(0, 1))
	m.Observe(m.Data("y", []float64{0}), model.Normal(mu, 1))
	a := m.Predict("a", 2, model.Normal(mu.Scale(100), []float64{1, 2}))
	b := m.Predict("b", 2, model.Normal(a.Scale(2), 1e-9))
	m.Predict("c", 3, model.Normal(b.Sum(), []float64{1e-9, 1e-9, 1e-9}))
	m.Quantity("d", b.Add(mu))
	p := compile(t, m)
	run, err := p.Prior(t.Context(), 30, 1)
	if err != nil {
		t.Fatal(err)
	}
	q, err := p.With("y", []float64{4})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*model.Program{p, q} {
		got, err := p.Predictive(t.Context(), run, 2)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got.Chains[0].Values {
			if !(math.Abs(v[3]-2*v[1]) < 1e-7) || !(math.Abs(v[7]-v[3]-v[4]) < 1e-7) ||
				!(math.Abs(v[9]-v[4]-run.Chains[0].Values[i][0]) < 1e-10) {
				t.Fatalf("draws %v, want b = 2 a, c = the sum of b, and d = b + mu", v)
			}
		}
	}
}

func TestConditionalErrors(t *testing.T) {
	m := model.New()
	x, y := m.Data("x", []float64{1, 2, 3}), m.Data("y", []float64{1, 2, 3})
	l := m.Positive("l", model.LogNormal(0, 1))
	k := model.SquaredExponential(x, 1, l, 0.1)
	m.Observe(y, model.Conditional(k, y, x))
	m.Predict("two", 2, model.Conditional(k, y, x))
	m.Predict("short", 3, model.Conditional(k, y.Slice(0, 2), x))
	m.Predict("plain", 3, model.Conditional(k.Cholesky(), y, x))
	m.Predict("wide", 3, model.Conditional(k, y, m.Matrix("w", mat.NewDense(3, 2, numbers(6)))))
	m.Predict("moved", 3, model.Conditional(k, y, x.Mul(l)))
	m.Predict("nothing", 3, model.Conditional(k, y, model.Expr{}))
	m.Reals("f", 3, model.Conditional(k, y, x))
	_, err := m.Compile()
	wantErrors(t, err, "y: what was observed cannot have a conditional distribution: it is for Predict",
		"two has 2 values, and conditional 3 points",
		"Conditional: 2 values from an expression and 3 points of the kernel matrix do not match",
		"Conditional: an expression is no kernel matrix, want one of KernelMatrix, SquaredExponential",
		"Conditional: its points have 2 columns, want 1 as in the kernel matrix",
		"Conditional: its points depend on parameters, want data",
		"nothing: an argument of conditional is of no model or of another one",
		"f: a parameter cannot have a conditional distribution")

	m = model.New()
	mu := m.Real("mu", model.Normal(0, 1))
	a := m.Predict("a", 2, model.Normal(mu, 1))
	m.Observe(m.Data("y", []float64{1, 2}), model.Normal(a, 1))
	m.AddLogDensity(a.Sum())
	m.Real("nu", model.Normal(a.El(0), 1))
	_, err = m.Compile()
	wantErrors(t, err, "y depends on the prediction a: only what Predict declares can",
		"the log density depends on the prediction a", "parameter nu depends on the prediction a")
}

func wantErrors(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, s := range want {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%q is missing in\n%v", s, err)
		}
	}
	if n := strings.Count(err.Error(), "_test.go:"); n != len(want) {
		t.Errorf("%d errors, want %d:\n%v", n, len(want), err)
	}
}
