package bke

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestEvaluatorDoesNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 21))
	for _, c := range []struct {
		d     int
		o     Options
		theta float64
		tau2  float64
	}{
		{1, Options{}, 0.5, 0.1},
		{1, Options{}, 1e-3, 0.1},  // log gamma in logarithms
		{1, Options{}, 1e4, 1e-10}, // 32 digits
		{2, Options{ARD: true}, 0.5, 0.1},
		{3, Options{Nu: Gaussian}, 1e-3, 0.1},
		{3, Options{Nu: Gaussian, ARD: true}, 1e4, 1e-10},
		{2, Options{Path: "portable"}, 0.3, 0.1},
		{2, Options{}, 0.3, 0.1},
		{3, Options{ARD: true}, 0.5, 0.1},
		{4, Options{ARD: true}, 0.5, 0.1},
	} {
		mod, err := NewModel(normalRows(r, 70, c.d), normalRows(r, 70, c.d), c.o)
		if err != nil {
			t.Fatal(err)
		}
		p := Params{Theta: make([]float64, mod.thetas()), Tau2: c.tau2, Eta: 1}
		for a := range p.Theta {
			p.Theta[a] = c.theta
		}
		e := mod.Evaluator()
		grad := make([]float64, len(mod.Free()))
		e.Gradient(grad, p)
		if k := testing.AllocsPerRun(3, func() { e.Gradient(grad, p) }); k != 0 {
			t.Errorf("%+v: %v allocations per gradient", c, k)
		}
		if k := testing.AllocsPerRun(3, func() { e.Value(p) }); k != 0 {
			t.Errorf("%+v: %v allocations per value", c, k)
		}
		if k := testing.AllocsPerRun(3, func() { e.Omega(p.Theta, 1) }); k != 0 {
			t.Errorf("%+v: %v allocations per profile", c, k)
		}
	}
}

// A value depends on nothing but the model and the point, whatever was evaluated before.
func TestEvaluatorHasNoMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 23))
	for range 40 {
		d := 1 + r.IntN(3)
		c, err := newHardCase(r, d, 9, d+4)
		if err != nil {
			continue
		}
		used, fresh := c.model.Evaluator(), c.model.Evaluator()
		for range 3 {
			q := Params{Tau2: math.Exp(4 * r.NormFloat64()), Eta: 1}
			for range c.p.Theta {
				q.Theta = append(q.Theta, math.Exp(6*r.NormFloat64()))
			}
			used.Gradient(make([]float64, len(c.model.Free())), q)
		}
		g1, g2 := make([]float64, len(c.model.Free())), make([]float64, len(c.model.Free()))
		v1, v2 := used.Gradient(g1, c.p), fresh.Gradient(g2, c.p)
		if v1 != v2 {
			t.Errorf("%s: %v and %v", c.what, v1, v2)
		}
		for i := range g1 {
			if g1[i] != g2[i] {
				t.Errorf("%s: derivative %d is %v and %v", c.what, i, g1[i], g2[i])
			}
		}
		a, b := used.Value(c.p)
		if sum := c.model.Weight()*a + b; sum != v1 {
			t.Errorf("%s: Value %v, Gradient %v", c.what, sum, v1)
		}
	}
}

func TestValueOutsideTheSupport(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 25))
	mod, err := NewModel(normalRows(r, 9, 1), normalRows(r, 4, 1), Options{Nu: Gaussian})
	if err != nil {
		t.Fatal(err)
	}
	e, nan, inf := mod.Evaluator(), math.NaN(), math.Inf(1)
	for _, p := range []Params{
		{[]float64{0}, 1, 1}, {[]float64{-1}, 1, 1}, {[]float64{nan}, 1, 1}, {[]float64{inf}, 1, 1},
		{[]float64{1}, 0, 1}, {[]float64{1}, nan, 1}, {[]float64{1}, inf, 1}, {[]float64{1}, -1, 1},
		{[]float64{1}, 1, 0}, {[]float64{1}, 1, nan}, {[]float64{1}, 1, inf},
	} {
		g, j := e.Value(p)
		v := e.Gradient(make([]float64, 3), p)
		if !math.IsNaN(g) || !math.IsNaN(j) || !math.IsNaN(v) {
			t.Errorf("%+v: %v, %v, %v, want NaN", p, g, j, v)
		}
	}
	for _, theta := range [][]float64{nil, {1, 2}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Theta of length %d does not panic", len(theta))
				}
			}()
			e.Value(Params{Theta: theta, Tau2: 1, Eta: 1})
		}()
	}
}

// Fixed parameters come from the model, whatever Params say, and leave the gradient.
func TestFixedParameters(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 27))
	x, z := normalRows(r, 11, 2), normalRows(r, 5, 2)
	free, err := NewModel(x, z, Options{Nu: Gaussian, Weight: 0.7})
	if err != nil {
		t.Fatal(err)
	}
	p := Params{Theta: []float64{0.8}, Tau2: 0.3, Eta: 2}
	all := make([]float64, 3)
	want := free.Evaluator().Gradient(all, p)
	for _, c := range []struct {
		tau2, eta float64
		at        []int
		free      []string
	}{
		{0.3, 0, []int{0, 2}, []string{"theta", "eta"}},
		{0, 2, []int{0, 1}, []string{"theta", "tau2"}},
		{0.3, 2, []int{0}, []string{"theta"}},
	} {
		mod, err := NewModel(x, z, Options{Nu: Gaussian, Weight: 0.7, Tau2: c.tau2, Eta: c.eta})
		if err != nil {
			t.Fatal(err)
		}
		q := p
		if c.tau2 > 0 {
			q.Tau2 = 77
		}
		if c.eta > 0 {
			q.Eta = 77
		}
		grad := make([]float64, len(c.at))
		if v := mod.Evaluator().Gradient(grad, q); v != want {
			t.Errorf("%v: value %v, want %v", c.free, v, want)
		}
		for i, k := range c.at {
			if grad[i] != all[k] || mod.Free()[i] != c.free[i] {
				t.Errorf("%v: d/d log %s = %v, want %v", c.free, mod.Free()[i], grad[i], all[k])
			}
		}
	}
}

// The isotropic likelihood does not change when data and pseudo-inputs are turned, and Nu.R is the
// covariance that the likelihood uses.
func TestRotation(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 29))
	x, z := normalRows(r, 11, 2), normalRows(r, 5, 2)
	c, s := math.Cos(0.7), math.Sin(0.7)
	turn := mat.NewDense(2, 2, []float64{c, -s, s, c})
	var tx, tz mat.Dense
	tx.Mul(x, turn)
	tz.Mul(z, turn)
	for _, nu := range []Nu{Unit, Lebesgue, Gaussian} {
		a, err := NewModel(x, z, Options{Nu: nu})
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewModel(&tx, &tz, Options{Nu: nu})
		if err != nil {
			t.Fatal(err)
		}
		p := Params{Theta: []float64{0.8}, Tau2: 0.3, Eta: 2}
		g1, j1 := a.Evaluator().Value(p)
		g2, j2 := b.Evaluator().Value(p)
		nearly(t, "Gaussian part", g2, g1, 1e-12)
		nearly(t, "Jacobian part", j2, j1, 1e-12)
	}
}

func TestOptionErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 31))
	x, z := normalRows(r, 9, 1), normalRows(r, 4, 1)
	nan, inf := math.NaN(), math.Inf(1)
	for _, o := range []Options{
		{Nu: 3}, {Nu: -1}, {Weight: -1}, {Weight: nan}, {Weight: inf}, {Tau2: -1}, {Tau2: nan},
		{Eta: -1}, {ThetaMin: -1}, {ThetaMin: 2, ThetaMax: 1}, {ThetaMin: 2, ThetaMax: 2},
		{ThetaMax: inf}, {Path: "quantum"},
	} {
		if _, err := NewModel(x, z, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	mod, err := NewModel(x, z, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if w := mod.Weight(); w != 0.9/4 {
		t.Errorf("default weight %v, want %v", w, 0.9/4)
	}
}
