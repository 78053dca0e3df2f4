package bke

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/priors"
)

// Names, bounds and priors of what is free, and the values there and back, for every set of free
// hyperparameters.
func TestHyperparameters(t *testing.T) {
	x := fixture.Matrix([][]float64{{0, 1}, {1, 5}, {2, 2}, {4, 4}, {5, 0}})
	z := fixture.Matrix([][]float64{{0.5, 1}, {1.5, 3}, {3, 2}})
	for _, c := range []struct {
		o    Options
		want string // name, length and bounds of each
		back Params
	}{
		{Options{}, "theta 0 (0,+Inf) tau2 0 (0,+Inf)", Params{Theta: []float64{1}, Tau2: 2}},
		{Options{ARD: true, Tau2: 7}, "theta 2 (0,+Inf)", Params{Theta: []float64{1, 2}, Tau2: 7}},
		{Options{Nu: Gaussian, Tau2: 7, ThetaMin: 1}, "theta 0 (1,+Inf) eta 0 (0,+Inf)",
			Params{Theta: []float64{1}, Tau2: 7, Eta: 2}},
		{Options{Nu: Gaussian, Eta: 8, ThetaMax: 3}, "theta 0 (0,3) tau2 0 (0,+Inf)",
			Params{Theta: []float64{1}, Tau2: 2, Eta: 8}},
		{Options{Nu: Gaussian, ARD: true, ThetaMin: 1, ThetaMax: 3},
			"theta 2 (1,3) tau2 0 (0,+Inf) eta 0 (0,+Inf)",
			Params{Theta: []float64{1, 2}, Tau2: 3, Eta: 4}},
	} {
		m := newModel(t, x, z, c.o)
		free, err := m.Hyperparameters(Priors{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		var names []string
		for _, h := range free {
			got += fmt.Sprintf(" %s %d (%v,%v)", h.Name, h.Len, h.Lo, h.Hi)
			if h.Len == 0 {
				names = append(names, h.Name)
			}
			for a := range h.Len {
				names = append(names, fmt.Sprintf("%s[%d]", h.Name, a+1))
			}
		}
		if got != " "+c.want {
			t.Errorf("%+v:%s, want %s", c.o, got, c.want)
		}
		if !slices.Equal(names, m.Free()) {
			t.Errorf("%+v: names %v, want those of Free, %v", c.o, names, m.Free())
		}
		v := []float64{1, 2, 3, 4}[:len(names)]
		p := m.Params(v)
		if fmt.Sprint(p) != fmt.Sprint(c.back) {
			t.Errorf("%+v: %v is %+v, want %+v", c.o, v, p, c.back)
		}
		if back := m.Values(p); !slices.Equal(back, v) {
			t.Errorf("%+v: %v comes back as %v", c.o, v, back)
		}
	}
}

// The priors are those in force, in the units of the data: with q the prior of theta over a scale
// s, theta has the density q(theta/s)/s.
func TestHyperparametersPriors(t *testing.T) {
	m := newModel(t, column(0, 1, 2, 4, 9), column(0.5, 1.5, 3), Options{Nu: Gaussian})
	sd := m.PooledSD()
	q := priors.LogNormal{Mu: 0.3, Sigma: 0.5}
	gamma := func(scale float64) priors.Prior { return priors.Gamma{Shape: 1, Rate: 1 / scale} }
	for _, c := range []struct {
		p     Priors
		scale float64      // of theta
		theta priors.Prior // over scale
		tau2  priors.Prior
		eta   priors.Prior
	}{
		{Priors{}, sd, gamma(1), gamma(1), gamma(sd)},
		{Priors{ThetaScale: 1}, 1, gamma(1), gamma(1), gamma(sd)},
		{Priors{Theta: q, Tau2: q, Eta: q, ThetaScale: 3}, 3, q, q, q},
	} {
		free, err := m.Hyperparameters(c.p)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{0.1, 1, 7} {
			want := []float64{c.theta.LogDensity(x/c.scale) - math.Log(c.scale), c.tau2.LogDensity(x),
				c.eta.LogDensity(x)}
			for k, h := range free {
				if got := h.Prior.LogDensity(x); math.Abs(got-want[k]) > 1e-14*(1+math.Abs(want[k])) {
					t.Errorf("%+v: log density of %s at %v is %v, want %v", c.p, h.Name, x, got, want[k])
				}
			}
		}
	}
	_, err := m.Hyperparameters(Priors{ThetaScale: -1})
	wantError(t, err, "ThetaScale is -1")
}

func TestParamsShape(t *testing.T) {
	m := newModel(t, column(0, 1, 2, 4), column(0.5, 1.5), Options{})
	for _, v := range [][]float64{{}, {1}, {1, 2, 3}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d values for 2 free hyperparameters, and no panic", len(v))
				}
			}()
			m.Params(v)
		}()
	}
}
