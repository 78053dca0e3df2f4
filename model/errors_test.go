package model_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/draws"
	"bayeskernel/model"
)

// Declarations without an Expr, of wrong sizes, of other models: none panics, and what is wrong is
// said with file and line.
func TestErrorsInWords(t *testing.T) {
	inf := math.Inf(1)
	for want, declare := range map[string]func(m *model.Model){
		"Add: 3 values from parameter theta and 4 from data x do not match": func(m *model.Model) {
			m.Reals("theta", 3, model.Normal(0, 1)).Add(m.Data("x", numbers(4)))
		},
		"Of: parameter alpha runs over county, the index over state": func(m *model.Model) {
			county, _ := m.Factor("county", []string{"a", "b"})
			_, in := m.Factor("state", []string{"c", "d"})
			county.Reals("alpha", model.Normal(0, 1)).Of(in)
		},
		"y[2] is 2.5, want a whole number: outside the support of poisson_log": func(m *model.Model) {
			m.Observe(m.Data("y", []float64{1, 2.5}), model.PoissonLog(m.Real("a", model.Normal(0, 1))))
		},
		"s: normal cut off at (0, +Inf) needs a constant that depends on its parameters": func(m *model.Model) {
			m.Positive("s", model.Normal(m.Real("a", model.Normal(0, 1)), 1))
		},
		"k: a parameter cannot have the discrete poisson_log: sum it out, with Mix": func(m *model.Model) {
			m.Real("k", model.PoissonLog(0))
		},
		"b: beta is no location-scale distribution: it cannot be non-centred": func(m *model.Model) {
			m.Real("b", model.Beta(1, 1), model.NonCentred)
		},
		"parameter tau is used by nothing that is observed or recorded": func(m *model.Model) {
			m.Positive("tau", model.HalfNormal(1))
		},
		"the name a is taken": func(m *model.Model) {
			m.Real("a", model.Normal(0, 1))
			m.Data("a", numbers(2))
		},
		"AddRow: 2 values from parameter v for 3 columns of parameter a": func(m *model.Model) {
			model.MatOf(2, 3, m.Reals("a", 6, model.Normal(0, 1))).AddRow(m.Reals("v", 2, model.Normal(0, 1)))
		},
		"AddCol: a number from parameter v for 2 rows of parameter a": func(m *model.Model) {
			model.MatOf(2, 3, m.Reals("a", 6, model.Normal(0, 1))).AddCol(m.Real("v", model.Normal(0, 1)))
		},
		"Of: parameter a has 2 rows, the index g chooses from 3": func(m *model.Model) {
			_, in := m.Codes("g", 3, []int{1, 3})
			model.MatOf(2, 3, m.Reals("a", 6, model.Normal(0, 1))).Of(in)
		},
		"point_mass is confined to (2, 2)": func(m *model.Model) { m.Real("a", model.PointMass(2)) },
		"a declaration has no name":        func(m *model.Model) { m.Real(" ", model.Normal(0, 1)) },
		"the sd of normal is -1, want a positive number": func(m *model.Model) {
			m.Real("a", model.Normal(0, -1))
		},
		"the sd of normal has 2 values and y 3 values": func(m *model.Model) {
			m.Observe(m.Data("y", numbers(3)), model.Normal(0, []float64{1, 2}))
		},
		"row 2 is 7, want a number from 1 to 3": func(m *model.Model) { m.Codes("f", 3, []int{1, 7}) },
		"data x: value 2 is NaN":                func(m *model.Model) { m.Data("x", []float64{1, math.NaN()}) },
		"it has no distribution":                func(m *model.Model) { m.Real("a", model.Dist{}) },
		"it has no parameters":                  func(m *model.Model) {},
		"gamma is no distribution of a simplex": func(m *model.Model) { m.Simplex("p", 3, model.Gamma(1, 1)) },
		"dirichlet is the distribution of a Simplex": func(m *model.Model) {
			m.Reals("p", 3, model.Dirichlet(1))
		},
		"lkj_corr is the distribution of a Correlation or a CorrCholesky": func(m *model.Model) {
			m.Reals("p", 3, model.LKJ(1))
		},
		"the alpha of dirichlet has 2 values and the parameter 3 values": func(m *model.Model) {
			m.Simplex("p", 3, model.Dirichlet([]float64{1, 2}))
		},
		"the probabilities add up to 0.5, want 1": func(m *model.Model) {
			m.Observe(m.Data("y", []float64{1}), model.Categorical([]float64{.25, .25}))
		},
		"y[1] is 4, want a whole number from 1 to 2": func(m *model.Model) {
			m.Observe(m.Data("y", []float64{4}), model.Categorical([]float64{.5, .5}))
		},
		"add up to 3, want the number of trials, 4": func(m *model.Model) {
			m.Observe(m.Data("y", []float64{1, 2}), model.Multinomial(4, []float64{.5, .5}))
		},
		"a mixture of 2 parts with 3 weights": func(m *model.Model) {
			m.Observe(m.Data("y", numbers(2)), model.Mix(m.Values([]float64{.2, .3, .5}),
				model.Normal(0, 1), model.Normal(0, 2)))
		},
		"poisson and normal cannot be parts of one mixture": func(m *model.Model) {
			m.Observe(m.Data("y", wholes(2, 3)), model.Mix(m.Values([]float64{.5, .5}), model.Poisson(1),
				model.Normal(0, 2)))
		},
		"y depends on parameters, and the discrete poisson is for data": func(m *model.Model) {
			m.Observe(m.Missing("y", []float64{1, math.NaN()}), model.Poisson(1))
		},
		"gamma is confined to (1, 5) and the parameter to (0, +Inf)": func(m *model.Model) {
			m.Positive("a", model.Gamma(1, 1).Truncate(1, 5))
		},
		"skew_normal cannot be cut off at (0, +Inf): its distribution function is not here": func(m *model.Model) {
			m.Positive("a", model.SkewNormal(m.Real("b", model.Normal(0, 1)), 1, 2).Truncate(0, inf))
		},
		"Solve: 2 values from data b and 3 rows": func(m *model.Model) {
			model.MatOf(3, 3, m.Data("a", numbers(9))).Solve(m.Data("b", numbers(2)))
		},
		"want a square matrix": func(m *model.Model) { model.MatOf(2, 3, m.Data("a", numbers(6))).Cholesky() },
		"MatOf: 5 values from data a for 2 rows of 3": func(m *model.Model) {
			model.MatOf(2, 3, m.Data("a", numbers(5)))
		},
		"its points depend on parameters": func(m *model.Model) {
			model.SquaredExponential(m.Reals("a", 3, model.Normal(0, 1)), 1, 1, 0)
		},
		"belongs to another model": func(m *model.Model) {
			m.Quantity("b", m.Real("a", model.Normal(model.New().Const(1), 1)))
		},
		"1 value from its location or scale for a number": func(m *model.Model) {
			m.Real("a", model.Normal([]float64{1}, 1), model.NonCentred)
		},
		"a probability is -0.5, want a number from 0 to 1": func(m *model.Model) {
			m.Observe(m.Data("y", []float64{1}), model.Categorical([]float64{1.5, -0.5}))
		},
		"W: the df of wishart of 3 rows is 2, want more than 2": func(m *model.Model) {
			m.Covariance("W", 3, model.Wishart(2, matrixOf(m, "A", 1, 0, 0, 0, 1, 0, 0, 0, 1)))
		},
		"W: the scale of wishart: matrix 1 is not positive definite": func(m *model.Model) {
			m.Covariance("W", 2, model.Wishart(4, matrixOf(m, "A", 1, 2, 2, 1)))
		},
		"S: normal is no distribution of a covariance matrix, want wishart, inv_wishart or flat": func(m *model.Model) {
			m.Covariance("S", 2, model.Normal(0, 1))
		},
		"R: a correlation matrix of 1 row, want 2 to 128": func(m *model.Model) {
			m.Correlation("R", 1, model.LKJ(1))
		},
		"z: values with sum 0 have a mean of 1 and sds of 1, want 0 and a number": func(m *model.Model) {
			m.SumToZero("z", 3, model.Normal(1, 1))
		},
		"phi: icar: nodes 0 and 2 are not connected": func(m *model.Model) {
			m.Reals("phi", 4, model.ICAR(4, []int{0, 2}, []int{1, 3}))
		},
		"x: the parameter has 2 values, want more than the 2 of the coefficients of autoregression": func(m *model.Model) {
			m.Reals("x", 2, model.Autoregression([]float64{1, 0}, model.Normal(0, 1), model.Normal(0, 1)))
		},
		"f depends on parameters, and the discrete poisson is for data": func(m *model.Model) {
			m.Density("f", m.Real("k", model.Normal(0, 1)), model.Poisson(1))
		},
		"the eta of lkj_corr has 2 values": func(m *model.Model) {
			m.CorrCholesky("L", 2, model.LKJ([]float64{1, 2}))
		},
		"the eta of lkj_corr is -1":               func(m *model.Model) { m.CorrCholesky("L", 2, model.LKJ(-1)) },
		"Custom: 0 values and function nil: true": func(m *model.Model) { m.Custom(0, nil) },
		"the alpha of dirichlet is -1":            func(m *model.Model) { m.Simplex("p", 2, model.Dirichlet(-1)) },
		"a simplex of 1 value, want at least 2":   func(m *model.Model) { m.Simplex("p", 1, model.Dirichlet(1)) },
		"of binomial depends on parameters, want data": func(m *model.Model) {
			m.Observe(m.Data("y", []float64{1}), model.Binomial(m.Positive("n", model.Gamma(1, 1)), 0.5))
		},
		"normal cannot be cut off": func(m *model.Model) {
			m.Real("a", model.Normal(0, 1).Truncate(0, 3).Truncate(1, 2))
		},
		"cut off at (3, 1), want the first end below": func(m *model.Model) {
			m.Real("a", model.Normal(0, 1).Truncate(3, 1))
		},
		"a parameter cannot have a censored normal": func(m *model.Model) {
			m.Real("a", model.Normal(0, 1).Censor(0, 1))
		},
		"y: von_mises cannot be cut off at (0, +Inf)": func(m *model.Model) {
			m.Observe(m.Data("y", []float64{1}),
				model.VonMises(m.Real("a", model.Normal(0, 1)), 1).Truncate(0, inf))
		},
		"value 2 of an argument is NaN": func(m *model.Model) {
			m.Reals("a", 2, model.Normal([]float64{1, math.NaN()}, 1))
		},
		"HiddenMarkov: the transitions have 2 rows of 3": func(m *model.Model) {
			hidden(m, 2, 3, 2)
		},
		"HiddenMarkov: the emissions have":             func(m *model.Model) { hidden(m, 2, 2, 3) },
		"factor f: it has no rows, want at least one":  func(m *model.Model) { m.Factor("f", nil) },
		"factor f: it has 0 values, want at least one": func(m *model.Model) { m.Codes("f", 0, []int{1}) },
		"At: no places, want at least one":             func(m *model.Model) { m.Data("x", numbers(2)).At(nil) },
		"there is no value 5":                          func(m *model.Model) { m.Data("x", numbers(2)).El(5) },
		"Col: x has 2 columns, there is no column 4": func(m *model.Model) {
			m.Matrix("x", mat.NewDense(3, 2, numbers(6))).Col(4)
		},
		"MatVec: 3 values from data b and 2 columns of x do not match": func(m *model.Model) {
			m.Matrix("x", mat.NewDense(3, 2, numbers(6))).MatVec(m.Data("b", numbers(3)))
		},
		"a mixture of 0 parts with 1 weight": func(m *model.Model) {
			m.Observe(m.Data("y", numbers(2)), model.Mix(m.Values([]float64{1})))
		},
		"dirichlet cannot be part of a mixture": func(m *model.Model) {
			m.Observe(m.Data("y", numbers(2)), model.Mix(m.Values([]float64{1}), model.Dirichlet(1)))
		},
		"skew_normal cannot be cut off at (0, 1)": func(m *model.Model) {
			m.Observe(m.Data("y", numbers(2)), model.Mix(m.Simplex("w", 2, model.Dirichlet(1)),
				model.SkewNormal(0, 1, 2).Truncate(0, 1), model.Normal(0, 1)))
		},
		"a: its ends are 3 and 1, want the first below the second": func(m *model.Model) {
			m.Interval("a", 3, 1, model.Uniform(1, 3))
		},
		"only what may be any number can be non-centred": func(m *model.Model) {
			m.Positive("a", model.Normal(0, 1), model.NonCentred)
		},
		"the name a[1] is that of a value of a vector": func(m *model.Model) {
			m.Quantity("q", m.Real("a[1]", model.Normal(0, 1)).Add(m.Reals("a", 2, model.Normal(5, 1)).El(0)))
		},
		"the name R[2,1] is that of":         func(m *model.Model) { m.Data("R[2,1]", numbers(2)) },
		`the name "a b\n," has a line break`: func(m *model.Model) { m.Real("a b\n,", model.Normal(0, 1)) },
		"Of: the index is nil, want one":     func(m *model.Model) { m.Quantity("q", m.Reals("a", 2, model.Normal(0, 1)).Of(nil)) },
		"data y: all values are missing":     func(m *model.Model) { m.Missing("y", []float64{math.NaN()}) },
		"the number of trials of multinomial is -1": func(m *model.Model) {
			m.Observe(m.Data("y", []float64{1, 2}), model.Multinomial(-1, []float64{.5, .5}))
		},
		"y[1] is -1, want a whole number of at least 0": func(m *model.Model) {
			m.Observe(m.Data("y", []float64{-1, 2}), model.Multinomial(1, []float64{.5, .5}))
		},
		"the df of multi_student_t is -3": func(m *model.Model) {
			m.Reals("a", 2, model.MvStudentT(-3, 0, model.MatOf(2, 2, m.Values([]float64{1, 0, 0, 1}))))
		},
		"the Cholesky factor of multi_normal has 2 rows of 1": func(m *model.Model) {
			m.Reals("a", 2, model.MvNormal(0, model.MatOf(2, 1, m.Values([]float64{1, 0}))))
		},
	} {
		m := model.New()
		declare(m)
		_, err := m.Compile()
		message := fmt.Sprint(err)
		if err == nil || !strings.Contains(message, want) ||
			want != "it has no parameters" && !strings.Contains(message, "errors_test.go:") {
			t.Errorf("error %v\nwant %s, with file and line", err, want)
		}
	}
}

// hidden declares a hidden Markov chain with matrices of these sizes.
func hidden(m *model.Model, rows, cols, states int) {
	a := m.Real("a", model.Normal(0, 1))
	of := func(n int) model.Expr { return a.Mul(m.Values(make([]float64, n))) }
	m.AddLogDensity(model.HiddenMarkov(of(rows), model.MatOf(rows, cols, of(rows*cols)),
		model.MatOf(4, states, of(4*states))))
}

// Programs that are asked for what they cannot do.
func TestProgramErrors(t *testing.T) {
	m := model.New()
	b := m.Real("b", model.Normal(0, 1))
	m.Quantity("q", b.Exp())
	p := compile(t, m)
	empty := &draws.Run{Names: p.Names(), Chains: make([]draws.Chain, 1)}
	other := &draws.Run{Names: []string{"c"}}

	m = model.New()
	pair := m.Real("a", model.Normal(0, 1))
	y := m.Data("y", []float64{1, 2})
	m.Observe(y, model.MvNormal(pair, model.MatOf(2, 2, m.Data("l", []float64{1, 0, 0.5, 1}))))
	joint := compile(t, m)

	m = model.New()
	y = m.Data("y", []float64{1, 2})
	l := model.MatOf(2, 2, m.Data("l", []float64{1, 0, 0.5, 1}))
	m.Observe(y, model.MvNormal(y.Scale(0.5).Add(m.Real("a", model.Normal(0, 1))), l))
	itself := compile(t, m)
	drawn, err := itself.Prior(t.Context(), 2, 1)
	if err != nil {
		t.Fatal(err)
	}

	m = model.New()
	y = m.Data("y", []float64{1, 2, 3})
	m.Observe(y.Log(), model.Normal(m.Real("a", model.Normal(0, 1)), 1))
	computed := compile(t, m)

	m = model.New()
	lo := m.Real("lo", model.Normal(0, 1))
	m.Observe(m.Data("y", []float64{1}), model.Normal(m.Between("far", lo, lo.Shift(1),
		model.Uniform(1e6, 2e6)), 1))
	far := compile(t, m)

	m = model.New()
	m.Observe(m.Data("y", []float64{1, 2, 3}), model.Normal(m.Real("a", model.Normal(0, 1)), m.Data("s", []float64{1, 2, 3})))
	scaled := compile(t, m)

	for want, call := range map[string]func() error{
		"y: the sd of normal is -2 in row 2, want a positive number": func() error {
			_, err := scaled.With("s", []float64{1, -2, 3})
			return err
		},
		"row 3 is to be left out, want rows from 0 to 2": func() error { _, err := scaled.Without([]int{0, 3}); return err },
		"0 prior draws, want at least 1":                 func() error { _, err := p.Prior(t.Context(), 0, 1); return err },
		"nothing was observed, and nothing is to be predicted": func() error {
			_, err := p.Predictive(t.Context(), empty, 1)
			return err
		},
		"nothing was observed":            func() error { _, err := p.LogLik(t.Context(), empty); return err },
		"model: nothing was observed":     func() error { _, err := p.Calibration(); return err },
		"the draws are not of this model": func() error { _, err := joint.Predictive(t.Context(), other, 1); return err },
		"there are 1 values, want one for each of [b q]": func() error {
			_, err := p.Unconstrain([]float64{1})
			return err
		},
		"rows of multi_normal cannot be left out": func() error {
			_, err := joint.Without([]int{0})
			return err
		},
		"values of multi_normal cannot be drawn one by one": func() error {
			_, err := itself.Predictive(t.Context(), drawn, 1)
			return err
		},
		"what was observed is computed of data":                                                func() error { _, err := computed.Calibration(); return err },
		"parameter far: there is no draw from uniform(1e+06, 2e+06) truncated to (lo, lo + 1)": func() error { _, err := far.Prior(t.Context(), 1, 1); return err },
		"prior: a run with 0 columns is not of this model": func() error {
			return p.Write(t.TempDir(), drawn, model.Content{Prior: &draws.Run{}})
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "model: ") {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
