package model_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/model"
)

// gradientHolds compares gradients with differences at a few points.
func gradientHolds(t *testing.T, m *model.Model, o ...model.CompileOption) hmc.Target {
	t.Helper()
	target, err := compile(t, m, o...).Target()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 5 {
		x := make([]float64, target.Dim())
		for i := range x {
			x[i] = r.NormFloat64()
		}
		if err := hmc.CheckGradient(target, x); err != nil {
			t.Error(err)
		}
	}
	return target
}

// The density of a truncated parameter is that of its support: it integrates to 1.
func TestTruncatedParameters(t *testing.T) {
	for name, m := range map[string]*model.Model{
		"by its declaration": func() *model.Model {
			m := model.New()
			m.Quantity("q", m.Positive("p", model.Normal(0.5, 1)))
			return m
		}(),
		"by its distribution": func() *model.Model {
			m := model.New()
			m.Quantity("q", m.Positive("p", model.Normal(0.5, 1).Truncate(0, math.Inf(1))))
			return m
		}(),
		"by both": func() *model.Model {
			m := model.New()
			m.Quantity("q", m.Interval("p", 0.25, 2, model.Normal(0.5, 1).Truncate(0, 3)))
			return m
		}(),
		"one by one": func() *model.Model {
			m := model.New()
			m.Quantity("q", m.Positives("p", 1, model.Normal([]float64{0.5}, 1)))
			return m
		}(),
	} {
		target := gradientHolds(t, m)
		sum, grad := 0.0, make([]float64, 1)
		const step = 1e-3
		for x := -30.0; x < 30; x += step { // a smooth function: the trapezium rule is exact
			sum += step * math.Exp(target.LogDensity([]float64{x}, grad))
		}
		if math.Abs(sum-1) > 1e-8 {
			t.Errorf("truncated %s: the density integrates to %v", name, sum)
		}
	}
}

func TestTruncatedErrors(t *testing.T) {
	m := model.New()
	m.Quantity("q", m.Real("p", model.Normal(0, 1).Truncate(0, 1)))
	_, err := m.Compile()
	if err == nil || !strings.Contains(err.Error(), "normal is confined to (0, 1) and the parameter to "+
		"(-Inf, +Inf)") {
		t.Errorf("a parameter beyond its distribution: %v", err)
	}
	// A missing value is a parameter without limits: outside the range its density is 0.
	m = model.New()
	m.Observe(m.Missing("y", []float64{0.5, math.NaN()}), model.Normal(0, 1).Truncate(0, 1))
	target, err := compile(t, m).Target()
	if err != nil {
		t.Fatal(err)
	}
	if lp := target.LogDensity([]float64{2}, make([]float64, 1)); !math.IsInf(lp, -1) {
		t.Errorf("the log density at a missing value outside the range is %v", lp)
	}
	if lp := target.LogDensity([]float64{0.7}, make([]float64, 1)); math.IsInf(lp, -1) {
		t.Errorf("the log density at a missing value inside the range is %v", lp)
	}
}

func TestPositiveOrdered(t *testing.T) {
	m := model.New()
	m.Quantity("q", m.PositiveOrdered("p", 3, model.LogNormal(0, 1)))
	target := gradientHolds(t, m)
	x, v := []float64{-1, 0.5, 2}, make([]float64, 6)
	target.(hmc.Constrainer).Constrain(v, x)
	if !(v[0] > 0 && v[0] < v[1] && v[1] < v[2]) {
		t.Errorf("values %v, want them positive and increasing", v[:3])
	}
}

// Draws of ordered values whose distributions differ are those of independent ones given the order:
// of normal(0, 1) and normal(1, 1) the first is below the second with probability Phi(1/sqrt 2),
// and their difference d ~ normal(1, sqrt 2) given d > 0 has the mean 1 + sqrt 2 phi(a)/Phi(a) with
// a = 1/sqrt 2, which is 1.5784 with a standard deviation below 1.1. The mean of 4000 draws is off
// by more than .1 with a probability below 1e-8.
func TestOrderedDrawsWithDistributionsOfTheirOwn(t *testing.T) {
	m := model.New()
	m.Quantity("q", m.Ordered("p", 2, model.Normal([]float64{0, 1}, 1)))
	p := compile(t, m)
	run, err := p.Prior(t.Context(), 4000, 3)
	if err != nil {
		t.Fatal(err)
	}
	a := 1 / math.Sqrt2
	want := 1 + math.Sqrt2*math.Exp(-a*a/2)/math.Sqrt(2*math.Pi)/(math.Erfc(-a/math.Sqrt2)/2)
	sum := 0.0
	for _, row := range run.Chains[0].Values {
		sum += (row[1] - row[0]) / 4000
	}
	if math.Abs(sum-want) > 0.1 {
		t.Errorf("mean difference %v, want %v", sum, want)
	}
	if _, err := p.Reference(); err == nil || !strings.Contains(err.Error(), "constant is not known") {
		t.Errorf("a reference whose constant is not known: %v", err)
	}
}
