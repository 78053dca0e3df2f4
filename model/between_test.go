package model_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/model"
	"bayeskernel/nuts"
)

// normalBetween is the log density of N(mu, 1) truncated to (lo, hi), in closed form.
func normalBetween(x, mu, lo, hi float64) float64 {
	phi := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	return -(x-mu)*(x-mu)/2 - math.Log(2*math.Pi)/2 - math.Log(phi(hi-mu)-phi(lo-mu))
}

// The distribution of a parameter between two ends is truncated there, normalised for ends that are constants,
// parameters, or move with its mean: the log density, with the Jacobian of u in (0, 1), and its gradient.
func TestBetweenIsNormalised(t *testing.T) {
	logit := func(u float64) (value, log float64) { // of lo + width value, log of its derivative in u
		v := 1 / (1 + math.Exp(-u))
		return v, math.Log(v) + math.Log1p(-v)
	}
	for name, c := range map[string]struct {
		dim     int
		declare func(m *model.Model)
		want    func(x []float64) float64
	}{
		"constants": {1, func(m *model.Model) {
			m.Quantity("q", m.Between("a", m.Const(1), m.Const(2), model.Normal(0, 1)))
		}, func(x []float64) float64 {
			v, j := logit(x[0])
			return normalBetween(1+v, 0, 1, 2) + j
		}},
		"a parameter": {2, func(m *model.Model) {
			hi := m.Positive("hi", model.Exponential(1))
			m.Quantity("q", m.Between("a", m.Const(0), hi, model.Exponential(1)))
		}, func(x []float64) float64 {
			hi := math.Exp(x[0])
			v, j := logit(x[1])
			return -hi + x[0] - hi*v - math.Log(-math.Expm1(-hi)) + math.Log(hi) + j
		}},
		"ends that move": {2, func(m *model.Model) {
			mu := m.Real("mu", model.Normal(0, 1))
			m.Quantity("q", m.Between("a", mu, mu.Shift(2), model.Normal(mu, 1)))
		}, func(x []float64) float64 {
			v, j := logit(x[1])
			return -x[0]*x[0]/2 - math.Log(2*math.Pi)/2 + normalBetween(2*v, 0, 0, 2) + math.Log(2) + j
		}},
		"uniform beyond its ends": {2, func(m *model.Model) {
			hi := m.Interval("hi", 0, 5, model.Uniform(0, 5))
			m.Quantity("q", m.Between("a", m.Const(0), hi, model.Uniform(0, 10)))
		}, func(x []float64) float64 {
			_, j := logit(x[0])
			_, k := logit(x[1])
			return j + k // both are uniform
		}},
	} {
		m := model.New()
		c.declare(m)
		p, err := m.Compile()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		target, err := p.Target()
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range [][]float64{{0.3, -0.7}, {-1.2, 0.4}, {0.9, 1.5}} {
			x := at[:c.dim]
			grad := make([]float64, len(x))
			got := target.LogDensity(x, grad)
			want := c.want(x)
			if math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
				t.Errorf("%s at %v: %v, want %v", name, x, got, want)
			}
			for k := range x {
				const h = 1e-5
				up, down := append([]float64(nil), x...), append([]float64(nil), x...)
				up[k], down[k] = x[k]+h, x[k]-h
				if d := (c.want(up) - c.want(down)) / (2 * h); math.Abs(grad[k]-d) > 1e-8 {
					t.Errorf("%s at %v: derivative %d is %v, want %v", name, x, k, grad[k], d)
				}
			}
		}
	}
}

// Draws of the prior have the density that is sampled: the mean of an end, which an observation of nothing leaves
// exponential. Of 4000 draws its standard error is 0.016; five of them are exceeded with probability 6e-7.
func TestBetweenPrior(t *testing.T) {
	m := model.New()
	hi := m.Positive("hi", model.Exponential(1))
	m.Quantity("q", m.Between("a", m.Const(0), hi, model.Exponential(1)))
	p, err := m.Compile()
	if err != nil {
		t.Fatal(err)
	}
	run, err := p.Prior(t.Context(), 4000, 1)
	if err != nil {
		t.Fatal(err)
	}
	all, ok := run.Draws("hi")
	if !ok {
		t.Fatal("no draws of hi")
	}
	sum, n := 0.0, 0
	for _, chain := range all {
		for _, v := range chain {
			sum += v
			n++
		}
	}
	if mean := sum / float64(n); math.Abs(mean-1) > 5/math.Sqrt(float64(n)) {
		t.Errorf("the mean of hi is %v, want 1", mean)
	}
}

// A mixture that its parameter would cut off is refused: its parts, each truncated, would not be it.
func TestMixtureIsNotCut(t *testing.T) {
	mix := func(parts ...model.Dist) func(*model.Model) model.Dist {
		return func(m *model.Model) model.Dist { return model.Mix(m.Values([]float64{0.5, 0.5}), parts...) }
	}
	m := model.New()
	m.Positive("a", mix(model.Normal(-3, 1), model.Normal(1, 1))(m))
	_, err := m.Compile()
	wantErrors(t, err, "a mixture is not truncated to the support of its parameter, (0, +Inf)")
	m = model.New()
	m.Between("a", m.Const(0), m.Positive("b", model.Exponential(1)), mix(model.Normal(-3, 1), model.Normal(1, 1))(m))
	_, err = m.Compile()
	wantErrors(t, err, "a mixture is not truncated at expressions")
	m = model.New()
	m.Quantity("q", m.Positive("a", mix(model.Gamma(2, 1), model.Exponential(1))(m)).
		Add(m.Positive("b", mix(model.Normal(-3, 1).Truncate(0, math.Inf(1)), model.Exponential(1))(m))))
	if _, err := m.Compile(); err != nil {
		t.Error(err)
	}
}

// Values that are missing have no log likelihood, and rows are left out by their places among those that have one.
func TestLogLikOfMissing(t *testing.T) {
	nan := math.NaN()
	m := model.New()
	mu := m.Real("mu", model.Normal(0, 10))
	m.Observe(m.Missing("y", []float64{nan, 1, 2, nan, 3}), model.Normal(mu, 1))
	m.Observe(m.Data("z", []float64{4, 5}), model.Normal(mu, 1))
	p, err := m.Compile()
	if err != nil {
		t.Fatal(err)
	}
	run, err := nuts.Sample(t.Context(), p.Target, nuts.Config{Settings: hmc.Settings{Chains: 1, Draws: 3}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.LogLik(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"y[2]", "y[3]", "y[5]", "z[1]", "z[2]"}; !slices.Equal(l.Names, want) {
		t.Fatalf("%q, want %q", l.Names, want)
	}
	if want := []string{"mu", "y[1]", "y[4]"}; !slices.Equal(run.Names, want) { // the others of y
		t.Fatalf("%q, want %q", run.Names, want)
	}
	dir := filepath.Join(t.TempDir(), "draws")
	if err := p.Write(dir, run, model.Content{Prior: run, LogLik: l}); err != nil {
		t.Fatal(err)
	}
	for _, array := range []string{"posterior/y[1]", "posterior/y[4]", "prior/y[1]", "prior/y[4]", "prior/mu", "log_likelihood/y"} {
		if _, err := os.Stat(filepath.Join(dir, array, ".zarray")); err != nil {
			t.Error(err)
		}
	}
	at, _ := run.Draws("mu")
	for i, y := range []float64{1, 2, 3, 4, 5} {
		for k, mu := range at[0] {
			want := -(y-mu)*(y-mu)/2 - math.Log(2*math.Pi)/2
			if got := l.Chains[0].Values[k][i]; math.Abs(got-want) > 1e-12 {
				t.Errorf("draw %d of %s is %v, want %v", k, l.Names[i], got, want)
			}
		}
	}
	if _, err := p.Without([]int{5}); err == nil {
		t.Error("a row that is not there was left out")
	}
	for i := range 5 { // without a value its density is gone
		q, err := p.Without([]int{i})
		if err != nil {
			t.Fatal(err)
		}
		whole, _ := p.Target()
		part, _ := q.Target()
		x, grad := []float64{0.3, -0.2, 0.7}, make([]float64, 3)
		want := -(float64(i+1)-x[0])*(float64(i+1)-x[0])/2 - math.Log(2*math.Pi)/2
		if got := whole.LogDensity(x, grad) - part.LogDensity(x, grad); math.Abs(got-want) > 1e-12 {
			t.Errorf("without value %d the density differs by %v, want %v", i, got, want)
		}
	}
}
