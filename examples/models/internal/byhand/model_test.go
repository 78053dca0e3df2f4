package byhand

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/priors"
)

// zoo is a model with a parameter of every kind, and a likelihood that ties them all together.
func zoo() (*Model, func() LogLikelihood) {
	var m Model
	mu := m.Real("mu", priors.StudentT{DF: 4, Location: 0, Scale: 2})
	free := m.Real("free", nil)
	tau := m.Positive("tau", priors.HalfCauchy{Scale: 5})
	rate := m.Positive("rate", priors.Normal{Mean: 1, SD: 2}) // truncated
	p := m.Interval("p", 0, 1, priors.Beta{A: 2, B: 3})
	low := m.Interval("low", -2, math.Inf(1), priors.Normal{Mean: 0, SD: 1})
	high := m.Interval("high", math.Inf(-1), 3, nil)
	eta := m.Reals("eta", 3, priors.Normal{Mean: 0, SD: 1})
	s := m.Positives("s", 2, priors.Gamma{Shape: 2, Rate: 0.5})
	u := m.Intervals("u", 2, -1, 4, priors.Uniform{Lo: -1, Hi: 4})
	o := m.Ordered("o", 3, priors.Normal{Mean: 0, SD: 5})
	w := m.Simplex("w", 3)
	q := m.Simplex("q", 2, 0.5, 3)
	own := m.Declare("own", 2, priors.Positive(), opaqueGamma{})
	m.Quantity("sd", func(v []float64) float64 { return math.Sqrt(v[tau]) })
	m.Quantities("theta", 3, func(dst, v []float64) {
		for j, e := range eta.Of(v) {
			dst[j] = v[mu] + v[tau]*e
		}
	})
	return &m, func() LogLikelihood {
		return func(v, g []float64) float64 {
			lp := -0.1 * v[free] * v[free]
			g[free] = -0.2 * v[free] // assigning is as good as adding
			lp += v[p] * math.Sin(v[mu]) * v[high] / 10
			g[p] += math.Sin(v[mu]) * v[high] / 10
			g[mu] += v[p] * math.Cos(v[mu]) * v[high] / 10
			g[high] += v[p] * math.Sin(v[mu]) / 10
			lp -= math.Log1p(v[rate]*v[rate]) + v[low]*v[low]/2
			g[rate] -= 2 * v[rate] / (1 + v[rate]*v[rate])
			g[low] -= v[low]
			for j, e := range eta.Of(v) {
				z := v[mu] + v[tau]*e - float64(j)
				lp -= math.Log1p(z * z)
				d := -2 * z / (1 + z*z)
				g[mu] += d
				g[tau] += d * e
				eta.Of(g)[j] += d * v[tau]
			}
			for _, vec := range []Vector{s, u, o, w, q, own} {
				for j, x := range vec.Of(v) {
					c := 0.3 * float64(j+1)
					lp += c * math.Cos(x)
					vec.Of(g)[j] -= c * math.Sin(x)
				}
			}
			return lp
		}
	}
}

// opaqueGamma is a prior from outside: a gamma(2,1) without a kernel of its own.
type opaqueGamma struct{ priors.Gamma }

func (opaqueGamma) LogDensityGrad(x float64) (logp, dlogp float64) {
	return priors.Gamma{Shape: 2, Rate: 1}.LogDensityGrad(x)
}
func (opaqueGamma) Rand(r *rand.Rand) float64 { return priors.Gamma{Shape: 2, Rate: 1}.Rand(r) }
func (opaqueGamma) Check() error              { return nil }

func newTarget(t testing.TB, m *Model, likelihood func() LogLikelihood) hmc.Target {
	t.Helper()
	target, err := m.Factory(likelihood)()
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func TestModelShape(t *testing.T) {
	m, likelihood := zoo()
	target := newTarget(t, m, likelihood)
	want := strings.Fields("mu free tau rate p low high eta[1] eta[2] eta[3] s[1] s[2] u[1] u[2] " +
		"o[1] o[2] o[3] w[1] w[2] w[3] q[1] q[2] own[1] own[2] sd theta[1] theta[2] theta[3]")
	if names := target.(hmc.Constrainer).Names(); !slices.Equal(names, want) {
		t.Errorf("names %v\nwant  %v", names, want)
	}
	if d := target.Dim(); d != 22 { // 24 values, one less for each simplex
		t.Errorf("dimension %d, want 22", d)
	}
}

// The log density, assembled here from the reference-tested parts in another way: from the values
// that Constrain records and the Jacobians of the single transforms.
func TestModelLogDensity(t *testing.T) {
	m, likelihood := zoo()
	target := newTarget(t, m, likelihood)
	r := rand.New(rand.NewPCG(5, 5))
	x, grad := make([]float64, target.Dim()), make([]float64, target.Dim())
	names := target.(hmc.Constrainer).Names()
	rec := make([]float64, len(names))
	logPrior := map[string]func(float64) float64{
		"mu":   priors.StudentT{DF: 4, Location: 0, Scale: 2}.LogDensity,
		"tau":  priors.HalfCauchy{Scale: 5}.LogDensity,
		"rate": priors.Normal{Mean: 1, SD: 2}.LogDensity,
		"p":    priors.Beta{A: 2, B: 3}.LogDensity,
		"low":  priors.Normal{Mean: 0, SD: 1}.LogDensity,
		"eta":  priors.Normal{Mean: 0, SD: 1}.LogDensity,
		"s":    priors.Gamma{Shape: 2, Rate: 0.5}.LogDensity,
		"u":    priors.Uniform{Lo: -1, Hi: 4}.LogDensity,
		"o":    priors.Normal{Mean: 0, SD: 5}.LogDensity,
		"own":  priors.Gamma{Shape: 2, Rate: 1}.LogDensity,
		"w":    func(float64) float64 { return math.Log(2) / 3 }, // Dirichlet(1,1,1) is 2! in all
	}
	for range 20 {
		for i := range x {
			x[i] = 3 * r.NormFloat64()
		}
		target.(hmc.Constrainer).Constrain(rec, x)
		want := likelihood()(rec[:24], make([]float64, 24))
		for i, name := range names[:24] {
			base, _, _ := strings.Cut(name, "[")
			if f := logPrior[base]; f != nil {
				want += f(rec[i])
			}
		}
		want += priors.Beta{A: 0.5, B: 3}.LogDensity(rec[20]) // a Dirichlet of two is a beta
		logistic := func(u float64) float64 { return -math.Abs(u) - 2*math.Log1p(math.Exp(-math.Abs(u))) }
		want += x[2] + x[3] + logistic(x[4]) + x[5] + x[6] + x[10] + x[11] +
			logistic(x[12]) + logistic(x[13]) + 2*math.Log(5) + x[15] + x[16] +
			priors.Simplex{}.Constrain(make([]float64, 3), x[17:19]) + logistic(x[19]) + x[20] + x[21]
		if got := target.LogDensity(x, grad); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("log density %v at %v, want %v", got, x, want)
		}
		for j := range 3 {
			if theta := rec[0] + rec[2]*rec[7+j]; rec[25+j] != theta {
				t.Errorf("theta[%d] is %v, want %v", j+1, rec[25+j], theta)
			}
		}
	}
}

func TestModelGradient(t *testing.T) {
	m, likelihood := zoo()
	r := rand.New(rand.NewPCG(6, 6))
	for _, l := range []func() LogLikelihood{likelihood, nil} {
		target := newTarget(t, m, l)
		x := make([]float64, target.Dim())
		for range 30 {
			for i := range x {
				x[i] = 2 * r.NormFloat64()
			}
			if err := hmc.CheckGradient(target, x); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestModelErrors(t *testing.T) {
	vector := func(dst, v []float64) {}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		declare func(m *Model)
		want    string
	}{
		{func(m *Model) {}, "it has no parameters"},
		{func(m *Model) { m.Real("", nil) }, "a parameter or quantity has no name"},
		{func(m *Model) { m.Reals("", 2, nil) }, "a parameter or quantity has no name"},
		{func(m *Model) { m.Real("a", nil); m.Positive("a", nil) }, "the name a is used 2 times"},
		{func(m *Model) { m.Real("a", nil); m.Reals("a", 3, nil) }, "the name a is used 2 times"},
		{func(m *Model) { m.Real("a[1]", nil); m.Reals("a", 3, nil) }, "the name a[1] is used twice"},
		{func(m *Model) { m.Real("a", nil); m.Quantities("a", 3, vector) },
			"the name a is used 2 times"},
		{func(m *Model) { m.Reals("a", 0, nil) }, "a: declared with 0 values, want 1 to 16777216"},
		{func(m *Model) { m.Ordered("a", -1, nil) }, "a: declared with -1 values, want 1 to 16777216"},
		{func(m *Model) { m.Simplex("a", -1) }, "a: declared with -1 values, want 1 to 16777216"},
		{func(m *Model) { m.Reals("a", 1<<62, nil) },
			"a: declared with 4611686018427387904 values, want 1 to 16777216"},
		{func(m *Model) { m.Simplex("a", 1) }, "a: 1 values leave nothing free, want more of them"},
		{func(m *Model) { m.Simplex("a", 3, 1, 2) },
			"a: 2 values of alpha for a simplex of 3, want none, 1 or 3"},
		{func(m *Model) { m.Simplex("a", 2, -1, nan) },
			"a: dirichlet: alpha is -1, want a positive number"},
		{func(m *Model) { m.Simplex("a", 3, nan) },
			"a: dirichlet: alpha is NaN, want a positive number"},
		{func(m *Model) { m.Simplex("a", 2, 1, 1e308) }, "a: dirichlet: alpha is too extreme to be " +
			"normalised in double precision"},
		{func(m *Model) { m.Real("a", priors.Normal{Mean: 0, SD: -1}) },
			"a: normal(0,-1): sd is -1, want a positive number"},
		{func(m *Model) { m.Real("a", priors.Gamma{Shape: 1, Rate: 1}) },
			"a: the prior gamma(1,1) is confined to (0, +Inf) but the parameter to (-Inf, +Inf), " +
				"want it declared with a support within the prior's"},
		{func(m *Model) { m.Positive("a", priors.Uniform{Lo: -2, Hi: -1}) },
			"a: the prior uniform(-2,-1) is confined to (-2, -1) but the parameter to (0, +Inf), " +
				"want it declared with a support within the prior's"},
		{func(m *Model) { m.Interval("a", 1, 1, nil) },
			"a: its support goes from 1 to 1, want the first below the second"},
		{func(m *Model) { m.Intervals("a", 2, nan, 1, nil) },
			"a: its support goes from NaN to 1, want the first below the second"},
		{func(m *Model) { m.Interval("a", inf, inf, nil) },
			"a: its support goes from +Inf to +Inf, want the first below the second"},
		{func(m *Model) { m.Interval("a", -1.7e308, 1.7e308, nil) },
			"a: its support (-1.7e+308, 1.7e+308) is too wide for double precision"},
		{func(m *Model) { m.Declare("a", 2, nil, nil) }, "a: the transform is nil"},
		{func(m *Model) { m.Real("b", nil); m.Quantity("a", nil) },
			"a: the function that derives it is nil"},
		{func(m *Model) { m.Real("b", nil); m.Quantities("a", 0, vector) },
			"a: declared with 0 values, want 1 to 16777216"},
	} {
		var m Model
		c.declare(&m)
		want := "byhand: " + c.want
		called := false
		f := m.Factory(func() LogLikelihood { called = true; return nil })
		if target, err := f(); target != nil || err == nil || err.Error() != want || called {
			t.Errorf("target %v, error %v\nwant %s", target, err, want)
		}
		if _, err := m.Unconstrain(nil); err == nil || err.Error() != want {
			t.Errorf("Unconstrain: error %v\nwant %s", err, want)
		}
	}
}

func TestNilLikelihood(t *testing.T) {
	var m Model
	m.Real("a", nil)
	if _, err := m.Factory(func() LogLikelihood { return nil })(); err == nil {
		t.Error("a nil likelihood made no error")
	}
}

// What is declared after Factory does not change what it made.
func TestFactoryFreezes(t *testing.T) {
	var m Model
	m.Real("a", priors.Normal{Mean: 0, SD: 1})
	f := m.Factory(nil)
	m.Real("b", nil)
	m.Quantity("c", func([]float64) float64 { return 0 })
	target, err := f()
	if err != nil {
		t.Fatal(err)
	}
	if names := target.(hmc.Constrainer).Names(); target.Dim() != 1 || len(names) != 1 {
		t.Errorf("dimension %d, names %v, want a alone", target.Dim(), names)
	}
}

// Each chain has its own likelihood and workspace: run with -race.
func TestFactoryTargetsShareNothing(t *testing.T) {
	m, likelihood := zoo()
	f := m.Factory(likelihood)
	results := make(chan float64)
	for range 4 {
		go func() {
			target, err := f()
			if err != nil {
				t.Error(err)
			}
			x, grad := make([]float64, target.Dim()), make([]float64, target.Dim())
			rec := make([]float64, len(target.(hmc.Constrainer).Names()))
			sum := 0.0
			for i := range 200 {
				x[i%len(x)] += 0.01
				sum += target.LogDensity(x, grad)
				target.(hmc.Constrainer).Constrain(rec, x)
				sum += rec[len(rec)-1] + grad[0]
			}
			results <- sum
		}()
	}
	first := <-results
	for range 3 {
		if sum := <-results; sum != first {
			t.Errorf("one chain sums to %v, another to %v", first, sum)
		}
	}
}

func TestModelUnconstrain(t *testing.T) {
	m, likelihood := zoo()
	target := newTarget(t, m, likelihood)
	x := make([]float64, target.Dim())
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	rec := make([]float64, len(target.(hmc.Constrainer).Names()))
	target.(hmc.Constrainer).Constrain(rec, x)
	back, err := m.Unconstrain(rec[:24])
	if err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if math.Abs(back[i]-x[i]) > 1e-14 {
			t.Errorf("coordinate %d: %v comes back as %v", i, x[i], back[i])
		}
	}
	rec[3] = -1
	for _, c := range []struct {
		v    []float64
		want string
	}{
		{rec[:24], "byhand: rate: value 1 is -1, want it inside (0, +Inf)"},
		{rec[:5], "byhand: got 5 values for the parameters, want 24"},
		{rec, "byhand: got 28 values for the parameters, want 24"},
	} {
		if _, err := m.Unconstrain(c.v); err == nil || err.Error() != c.want {
			t.Errorf("error %v\nwant %s", err, c.want)
		}
	}
}
