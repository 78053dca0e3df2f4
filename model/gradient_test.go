package model_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/model"
)

// everyRewrite lists them.
var everyRewrite = []model.Rewrite{model.Regressions, model.EqualRows, model.Sums, model.Variances}

func targetOf(t *testing.T, m *model.Model, o ...model.CompileOption) hmc.Target {
	t.Helper()
	p, err := m.Compile(o...)
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.Target()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// checkGradient compares gradients with differences of the log density, relative to the size of the
// gradient, with and without rewrites, and wants no allocation. Points are at that distance from 0.
func checkGradient(t *testing.T, declare func(m *model.Model), radius float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 1))
	m := model.New()
	declare(m)
	g, plain := targetOf(t, m), targetOf(t, m, model.Without(everyRewrite...))
	d := g.Dim()
	x, grad, other := make([]float64, d), make([]float64, d), make([]float64, d)
	for range 8 {
		for i := range x {
			x[i] = radius * (2*r.Float64() - 1)
		}
		lp, size := g.LogDensity(x, grad), 0.0
		if math.IsInf(lp, 0) || math.IsNaN(lp) {
			t.Fatalf("log density %v at %v", lp, x)
		}
		for _, v := range grad {
			size = math.Max(size, math.Abs(v))
		}
		if l := plain.LogDensity(x, other); !(math.Abs(l-lp) <= 1e-10*(1+math.Abs(lp))) {
			t.Errorf("log density %v, without rewrites %v", lp, l)
		}
		for i, v := range other {
			if !(math.Abs(v-grad[i]) <= 1e-10*(1+size)) {
				t.Errorf("derivative %d is %v, without rewrites %v", i, grad[i], v)
			}
		}
		for i := range x {
			const h = 1e-3 // five points: errors of h^4 and 1e-16 |lp|/h
			at, diff := x[i], 0.0
			for _, s := range []struct{ steps, weight float64 }{{1, 8}, {-1, -8}, {2, -1}, {-2, 1}} {
				x[i] = at + s.steps*h
				diff += s.weight * g.LogDensity(x, other) / (12 * h)
			}
			x[i] = at
			if !(math.Abs(grad[i]-diff) <= 1e-7*(1+size)+1e-12*math.Abs(lp)/h) {
				t.Errorf("derivative %d is %v, by differences %v", i, grad[i], diff)
			}
		}
	}
	if n := testing.AllocsPerRun(10, func() { g.LogDensity(x, grad) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if n := testing.AllocsPerRun(10, func() { plain.LogDensity(x, grad) }); n != 0 {
		t.Errorf("%v allocations without rewrites", n)
	}
}

// numbers are data that look like nothing in particular.
func numbers(n int) []float64 {
	r := rand.New(rand.NewPCG(9, uint64(n)))
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}

// wholes are counts from 0 to most.
func wholes(n, most int) []float64 {
	r := rand.New(rand.NewPCG(10, uint64(n)))
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(r.IntN(most + 1))
	}
	return out
}
