package stan_test

import (
	"math"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/stan"
)

// Where generated quantities reject, a draw keeps its parameters; streams bring other random numbers at one point.
func TestGenerate(t *testing.T) {
	p, err := stan.Parse(`parameters { real x; } transformed parameters { real y = 2 * x; } model { x ~ normal(0, 1); }
generated quantities { real z = normal_rng(x, 1); if (x > 1) reject("too large"); }`)
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Bind(nil, stan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	target, err := m.Target()
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, 3)
	target.(hmc.Constrainer).Constrain(row, []float64{2})
	if row[0] != 2 || row[1] != 4 || !math.IsNaN(row[2]) {
		t.Errorf("a draw whose quantities are rejected is %v, want 2, 4 and NaN", row)
	}
	a, err := m.Generate([]float64{0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := m.Generate([]float64{0}, 2)
	again, _ := m.Generate([]float64{0}, 1)
	if a[2] == b[2] || a[2] != again[2] {
		t.Errorf("streams 1 and 2 bring %v and %v, 1 again %v", a, b, again)
	}
	if q := m.Quantities(); len(q) != 1 || q[0] != "z" || len(m.Parameters()) != 1 || len(m.Coordinates()) != 1 {
		t.Errorf("quantities %v, parameters %v, coordinates %v", q, m.Parameters(), m.Coordinates())
	}
	free, err := m.Unadjusted()
	if err != nil {
		t.Fatal(err)
	}
	grad := make([]float64, 1)
	if lp := free.LogDensity([]float64{1}, grad); math.Abs(lp+.5+math.Log(2*math.Pi)/2) > 1e-14 {
		t.Errorf("density %v", lp)
	}
}

// A draw leads back to the coordinates it was made from, whatever follows its parameters.
func TestUnconstrain(t *testing.T) {
	m := bound(t, `parameters { real<lower=1> a; simplex[3] s; cov_matrix[2] c; } transformed parameters { real b = 2 * a; } model { }`, "{}")
	target, err := m.Target()
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{.3, -1, .4, .2, -.7, .5}
	row := make([]float64, len(m.Names()))
	target.(hmc.Constrainer).Constrain(row, want)
	got, err := m.Unconstrain(row)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range want {
		if math.Abs(got[i]-v) > 1e-12 {
			t.Errorf("coordinate %d is %v, was %v", i, got[i], v)
		}
	}
	if _, err := m.Unconstrain(row[:3]); err == nil {
		t.Error("three values have coordinates")
	}
}
