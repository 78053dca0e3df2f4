package model_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/model"
)

func matrixOf(m *model.Model, name string, v ...float64) model.Mat {
	n := int(math.Sqrt(float64(len(v))))
	return m.Matrix(name, mat.NewDense(n, n, v)).Mat()
}

// Parameters that are matrices, a unit vector, and operations on matrices, against the log density and the
// gradient of Stan's C++ for testdata/stan_matrices.stan, all constants included.
func TestMatricesAgainstStan(t *testing.T) {
	var want struct {
		Points []struct {
			U, Grad []float64
			LP      float64
		}
	}
	raw, err := os.ReadFile("testdata/stan_matrices.json")
	if err == nil {
		err = json.Unmarshal(raw, &want)
	}
	if err != nil || len(want.Points) != 4 {
		t.Fatal(err, len(want.Points))
	}
	m := model.New()
	a := matrixOf(m, "A", 1.2, .3, -.1, .3, .8, .2, -.1, .2, .5)
	b := matrixOf(m, "B", .9, -.2, .1, -.2, 1.1, .3, .1, .3, .7)
	s := m.Covariance("S", 3, model.Flat())
	v := m.Covariance("V", 3, model.Flat())
	eta := m.Positive("eta", model.Gamma(2, 1))
	m.Quantity("r", m.Correlation("R", 4, model.LKJ(eta)).El(1, 0))
	u := m.UnitVector("u", 3)
	nu := m.Interval("nu", 3, math.Inf(1), model.Flat())
	m.Density("nu is", nu, model.Exponential(.5))
	m.Density("S is", s.Values(), model.Wishart(nu, a))
	m.Density("V is", v.Values(), model.InvWishart(nu.Shift(1.5), b))
	m.Observe(m.Data("y", []float64{.3, -1.2, .5, 1.1, .2, -.4}), model.MvNormal(u, s.Cholesky()))
	m.AddLogDensity(s.Add(v).LogDet())
	m.AddLogDensity(m.Values([]float64{1, -.5, 2}).Dot(s.Add(b).Inverse().MatVec(u)))
	m.AddLogDensity(s.Add(v).LeftDivide(a).Values())
	m.AddLogDensity(nu.Lgamma().Add(nu.Min(m.Const(3.7))).Add(eta.Max(m.Const(.4))).Add(nu.Shift(-3.5).Step()))
	both := func(x, y model.Expr) model.Expr { return x.Add(y.Scale(2)) }
	m.AddLogDensity(s.Combine(v, model.Expr.Mul).Combine(a.Combine(b, both), model.Expr.Div).Values())
	g := targetOf(t, m)
	ours := func(v []float64) []float64 { // Stan's program has eta after R and u
		return slices.Concat(v[:12], v[21:22], v[12:21], v[22:])
	}
	for i, p := range want.Points {
		grad := make([]float64, g.Dim())
		p.U, p.Grad = ours(p.U), ours(p.Grad)
		// The uniform direction is normalised here: its coordinates are standard normal.
		lp := g.LogDensity(p.U, grad) + 1.5*math.Log(2*math.Pi)
		if !(math.Abs(lp-p.LP) <= 1e-11*(1+math.Abs(p.LP))) {
			t.Errorf("point %d: log density %v, Stan's %v", i+1, lp, p.LP)
		}
		for k, w := range p.Grad {
			if !(math.Abs(grad[k]-w) <= 1e-10*(1+math.Abs(w))) {
				t.Errorf("point %d: derivative %d is %v, Stan's %v", i+1, k+1, grad[k], w)
			}
		}
	}
}

// Distributions of matrices as those of parameters and of data, operations on matrices and sums by
// groups: gradients by differences, no allocations.
func TestMatrixGradients(t *testing.T) {
	for name, declare := range map[string]func(m *model.Model){
		"wishart": func(m *model.Model) {
			nu := m.Interval("nu", 4, 20, model.Flat())
			w := m.Covariance("W", 3, model.Wishart(nu, matrixOf(m, "A", 1.2, .3, -.1, .3, .8, .2, -.1, .2, .5)))
			x := m.Covariance("X", 3, model.InvWishart(nu, w))
			weighed(m, x.Values())
			m.Observe(m.Data("y", []float64{1, .2, 0, .2, 2, .1, 0, .1, 1.5, 2, 0, 0, 0, 1, 0, 0, 0, 1}),
				model.Wishart(nu, x))
			m.Observe(m.Data("z", []float64{1, .2, 0, .2, 2, .1, 0, .1, 1.5}), model.InvWishart(6, w))
		},
		"lkj": func(m *model.Model) {
			weighed(m, m.Correlation("R", 4, model.LKJ(m.Positive("eta", model.Gamma(2, 1)))).Values())
			weighed(m, m.Correlation("Q", 3, model.LKJ(1)).Values())
		},
		"sum to zero": func(m *model.Model) {
			weighed(m, m.SumToZero("x", 5, model.Normal(0, m.Positive("s", model.Gamma(2, 1)))))
			weighed(m, m.UnitVector("u", 3))
		},
		"operations": func(m *model.Model) {
			a := model.MatOf(3, 3, m.Reals("a", 9, model.Normal(0, 1)))
			b := model.MatOf(3, 2, m.Reals("b", 6, model.Normal(0, 1)))
			shift := matrixOf(m, "shift", 4, 0, 9, -1, 5, 0, 2, 7, 3) // rows are exchanged
			weighed(m, a.Add(shift).LeftDivide(b).Values())
			weighed(m, a.Add(shift).Inverse().Values())
			m.AddLogDensity(a.Add(shift).LogDet())
			weighed(m, b.Col(1))
			weighed(m, b.SumRows())
			weighed(m, b.LogSumExpRows())
			weighed(m, model.Columns(b.Col(0), m.Const(2), b.Col(1)).Each(model.Expr.Exp).Values())
			_, in := m.Codes("g", 3, []int{3, 1, 1, 2, 3, 3})
			weighed(m, b.Values().SumBy(in))
			weighed(m, b.Values().LogSumExpBy(in))
			weighed(m, b.Values().Exp().Lgamma())
			weighed(m, b.Values().Exp().Digamma())
			weighed(m, b.Values().Max(m.Const(-40)).Min(m.Const(40)))
		},
		"series": func(m *model.Model) {
			c, s := m.Reals("c", 2, model.Normal(0, .3)), m.Positive("s", model.LogNormal(0, .4))
			weighed(m, m.Reals("x", 6, model.Autoregression(c, model.Normal(0, s.Scale(2)), model.Normal(0, s))))
			weighed(m, m.Reals("w", 5, model.RandomWalk(model.Normal(0, 1), model.StudentT(4, c.El(0), s))))
			m.Observe(m.Data("y", numbers(7)), model.Autoregression(c, model.Normal(1, s), model.Normal(c.El(1), s)))
			m.Density("walk", m.Reals("v", 4, model.Flat()), model.RandomWalk(model.Normal(0, 3), model.Normal(0, s)))
		},
		"factors": func(m *model.Model) {
			x, s := m.Reals("x", 6, model.Flat()), m.Positive("s", model.LogNormal(0, .4))
			m.Density("walk", x.Slice(1, 6), model.Normal(x.Slice(0, 5), s))
			m.Density("sum", x.Sum(), model.Normal(0, .1))
			weighed(m, m.Reals("phi", 4, model.ICAR(4, []int{0, 1, 2, 0}, []int{1, 2, 3, 3})).Scale(1e-3))
		},
	} {
		t.Run(name, func(t *testing.T) { checkGradient(t, declare, .6) })
	}
}

// A random walk of order 2 and an ICAR as multivariate normal distributions, and values with sum 0 as the
// normal distribution given the sum: densities from their covariance matrices.
func TestSeriesDensities(t *testing.T) {
	x := []float64{.3, -.2, .5, 1.1, .4}
	normal := func(v []float64, precision *mat.SymDense) float64 {
		var c mat.Cholesky
		if !c.Factorize(precision) {
			t.Fatal("not positive definite")
		}
		y := mat.NewVecDense(len(v), v)
		return -mat.Inner(y, precision, y)/2 + c.LogDet()/2 - float64(len(v))*math.Log(2*math.Pi)/2
	}
	square := func(p *mat.SymDense, w float64, row ...float64) {
		p.SymRankOne(p, w, mat.NewVecDense(len(row), row))
	}
	check := func(name string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
			t.Errorf("%s: log density %v, want %v", name, got, want)
		}
	}
	p := mat.NewSymDense(5, nil)
	square(p, 1./4, 1, 0, 0, 0, 0)
	square(p, 1./4, 0, 1, 0, 0, 0)
	square(p, 1/.49, 1, -2, 1, 0, 0)
	square(p, 1/.49, 0, 1, -2, 1, 0)
	square(p, 1/.49, 0, 0, 1, -2, 1)
	check("random walk", at(t, model.New(), model.Autoregression([]float64{2, -1}, model.Normal(0, 2),
		model.Normal(0, .7)), x), normal(x, p))
	p = mat.NewSymDense(5, nil)
	square(p, 1/(.005*.005), 1, 1, 1, 1, 1)
	square(p, 1, 1, -1, 0, 0, 0)
	square(p, 1, 0, 1, -1, 0, 0)
	square(p, 1, 1, 0, -1, 0, 0)
	square(p, 1, 0, 0, 1, -1, 0)
	square(p, 1, 0, 0, 0, 1, -1)
	check("icar", at(t, model.New(), model.ICAR(5, []int{0, 1, 0, 2, 3}, []int{1, 2, 2, 3, 4}), x),
		normal(x, p))

	m := model.New()
	weighed(m, m.SumToZero("x", 3, model.Normal(0, 1.7)).Scale(0))
	g, grad := targetOf(t, m), make([]float64, 2)
	with := g.LogDensity([]float64{.4, -1.1}, grad)
	without := g.LogDensity([]float64{0, 0}, grad)
	check("sum to zero", with-without, -(.16+1.21)/(2*1.7*1.7))
	m = model.New()
	weighed(m, m.SumToZero("x", 3, model.Normal(0, 1)).Scale(0))
	one := targetOf(t, m).LogDensity([]float64{0, 0}, grad)
	check("sum to zero, scale", without-one, -2*math.Log(1.7))
}

// Draws from the prior: the means of a Wishart matrix and of the inverse, correlations of LKJ, variances of
// values with sum 0, of a random walk and of an ICAR, and directions. Each of 23 means leaves 5 standard errors
// with probability 6e-7.
func TestMatrixDraws(t *testing.T) {
	const n = 4000
	m := model.New()
	scale := []float64{1.2, .3, -.1, .3, .8, .2, -.1, .2, .5}
	m.Quantity("w", m.Covariance("W", 3, model.Wishart(7, matrixOf(m, "A", scale...))).LogDet())
	m.Quantity("x", m.Covariance("X", 3, model.InvWishart(13, matrixOf(m, "B", scale...))).LogDet())
	r := m.Correlation("R", 4, model.LKJ(1.5))
	m.Quantity("r2", r.El(3, 1).Square())
	m.Quantity("z2", m.SumToZero("z", 4, model.Normal(0, 1.5)).Square())
	m.Quantity("last", m.Reals("y", 6, model.RandomWalk(model.Normal(0, 2), model.Normal(0, .5))).El(5).Square())
	phi := m.Reals("phi", 3, model.ICAR(3, []int{0, 1}, []int{1, 2}))
	m.Quantity("d", phi.El(0).Sub(phi.El(2)).Square())
	m.Quantity("u2", m.UnitVector("u", 3).El(1).Square())
	run, err := compile(t, m).Prior(t.Context(), n, 3)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, want float64) {
		t.Helper()
		d, ok := run.Draws(name)
		if !ok {
			t.Fatalf("no %s", name)
		}
		sum, square := 0.0, 0.0
		for _, v := range d[0] {
			sum += v
			square += v * v
		}
		mean := sum / n
		if se := math.Sqrt((square/n - mean*mean) / n); !(math.Abs(mean-want) <= 5*se) {
			t.Errorf("%s: mean %v (%v), want %v", name, mean, se, want)
		}
	}
	for i, v := range scale {
		place := fmt.Sprintf("[%d,%d]", i/3+1, i%3+1)
		check("W"+place, 7*v)
		check("X"+place, v/9)
	}
	// A correlation of LKJ(eta) of n rows is 2 b - 1 with b ~ beta(a, a), a = eta + n/2 - 1.
	check("r2", 1/(2*2.5+1))
	check("z2[1]", 1.5*1.5*3/4)
	check("last", 4+5*.25)
	check("d", 2)
	check("u2", 1./3)
}

// A random walk that is observed has log likelihoods given the past, predictions, and copies with other
// data; a factor is told of, and simulations are refused where there is one.
func TestSeriesProgram(t *testing.T) {
	m := model.New()
	s := m.Positive("s", model.LogNormal(0, .4))
	y := []float64{.3, -.2, .5, 1.1, .4}
	m.Observe(m.Data("y", y), model.RandomWalk(model.Normal(0, 2), model.Normal(0, s)))
	p := compile(t, m)
	run, err := p.Prior(t.Context(), 400, 5)
	if err != nil {
		t.Fatal(err)
	}
	ll, err := p.LogLik(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.Predictive(t.Context(), run, 1)
	if err != nil || len(again.Names) != 5 {
		t.Fatal(err, again)
	}
	z := 0.0
	for i, row := range run.Chains[0].Values {
		sd := row[0]
		want := -(y[3]-y[2])*(y[3]-y[2])/(2*sd*sd) - math.Log(sd) - math.Log(2*math.Pi)/2
		if got := ll.Chains[0].Values[i][3]; !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
			t.Fatalf("log likelihood %v, want %v", got, want)
		}
		v := again.Chains[0].Values[i]
		z += (v[4] - v[0]) * (v[4] - v[0]) / (4 * sd * sd)
	}
	// 400 squares of standard normal values: within 5 standard deviations but for 1e-6.
	if !(math.Abs(z/400-1) <= 5*math.Sqrt(2./400)) {
		t.Errorf("squares of predictions: mean %v, want 1", z/400)
	}
	if c, err := p.Calibration(); err != nil {
		t.Error(err)
	} else if _, err := c.Simulate(rand.New(rand.NewPCG(1, 1))); err != nil {
		t.Error(err)
	}
	m.Density("ratio", s.Log(), model.Normal(0, 1))
	p = compile(t, m)
	if _, err := p.Calibration(); err == nil {
		t.Error("no error for simulations of a model with a factor")
	}
	if _, err := p.With("y", []float64{1, 2, 3, 4, 5}); err != nil {
		t.Error(err)
	}
}

// Sums by groups follow the labels of new data.
func TestSumByWithLabels(t *testing.T) {
	m := model.New()
	b := m.Reals("b", 3, model.Normal(0, 1))
	_, in := m.Factor("g", []string{"p", "q", "p"})
	m.Quantity("sum", b.SumBy(in))
	p := compile(t, m)
	q, err := p.WithLabels("g", []string{"q", "p", "q"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p    *model.Program
		want []float64
	}{{p, []float64{5, 2}}, {q, []float64{2, 5}}} {
		row := make([]float64, 5)
		target(t, c.p).(interface{ Constrain(dst, x []float64) }).Constrain(row, []float64{1, 2, 4})
		if row[3] != c.want[0] || row[4] != c.want[1] {
			t.Errorf("sums %v, want %v", row[3:], c.want)
		}
	}
}
