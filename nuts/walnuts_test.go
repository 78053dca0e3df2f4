package nuts

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/internal/long"
	"bayeskernel/internal/testmodels"
)

// within returns w with its defaults.
func within(t *testing.T, w WithinOrbit) WithinOrbit {
	t.Helper()
	w, err := w.defaults()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// straight is testmodels.Funnel in the coordinates in which it is three standard normals. All that
// is measured of it has light tails, so that the z statistics of an invariance test are normal.
func straight() testmodels.Exact { return testmodels.ExactNormal(1, 1, 1) }

func bend(x []float64) {
	x[0] *= 3
	x[1], x[2] = x[1]*math.Exp(x[0]/2), x[2]*math.Exp(x[0]/2)
}

func straighten(x []float64) {
	x[1], x[2] = x[1]*math.Exp(-x[0]/2), x[2]*math.Exp(-x[0]/2)
	x[0] /= 3
}

// TestWithinOrbitInvariance: one transition from exact draws leaves exact draws, whatever the
// number of halvings. The largest of 8 or 13 z statistics in each of 12 cases must stay below 5.5,
// which fails by chance 5e-6 of the time for all of them on a reseed.
func TestWithinOrbitInvariance(t *testing.T) {
	n := 10000
	if long.Enabled() {
		n = long.Of(60000, 200000)
	}
	diag, err := hmc.NewDiagMetric([]float64{0.4, 2.5})
	if err != nil {
		t.Fatal(err)
	}
	dense, err := hmc.NewDenseMetric([][]float64{{1, 0.6}, {0.6, 2}})
	if err != nil {
		t.Fatal(err)
	}
	dense3, err := hmc.NewDenseMetric([][]float64{{2, 0.5, 0}, {0.5, 1, 0.3}, {0, 0.3, 3}})
	if err != nil {
		t.Fatal(err)
	}
	funnel := testmodels.Exact{Func: testmodels.Funnel()}
	for _, c := range []struct {
		name   string
		target testmodels.Exact // the funnel has no Draw
		metric hmc.Metric
		eps    float64
		WithinOrbit
		depths int // numbers of halvings that must have been used
	}{
		{"logistic, diagonal", testmodels.ExactLogistic(2), diag, 2.5, WithinOrbit{MaxError: 0.3}, 2},
		{"logistic, small steps", testmodels.ExactLogistic(2), diag, 0.5,
			WithinOrbit{MaxError: 0.01}, 2},
		{"banana, dense", testmodels.ExactBanana(), dense, 0.8, WithinOrbit{MaxError: 0.2}, 4},
		{"banana, small steps", testmodels.ExactBanana(), dense, 0.2, WithinOrbit{MaxError: 0.03}, 4},
		{"banana, finer", testmodels.ExactBanana(), dense, 0.8,
			WithinOrbit{MaxError: 0.2, Finer: 1. / 3}, 4},
		{"normal beyond stability", testmodels.ExactNormal(1, 1), hmc.NewUnitMetric(2), 3,
			WithinOrbit{MaxError: 0.3}, 1},
		{"funnel", funnel, hmc.NewUnitMetric(3), 0.7, WithinOrbit{}, 6},
		{"funnel, small steps", funnel, hmc.NewUnitMetric(3), 0.2, WithinOrbit{MaxError: 0.1}, 6},
		{"funnel, dense", funnel, dense3, 0.5, WithinOrbit{MaxError: 0.5}, 6},
		{"funnel, finer", funnel, hmc.NewUnitMetric(3), 0.7, WithinOrbit{Finer: 1. / 3}, 6},
		{"funnel, dense, finer", funnel, dense3, 0.5, WithinOrbit{MaxError: 0.5, Finer: 0.5}, 6},
		{"funnel, few halvings", funnel, hmc.NewUnitMetric(3), 0.7,
			WithinOrbit{MaxHalvings: 2, Finer: 0.5}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := hmc.NewHamiltonian(c.target, c.metric)
			s := newWalnuts(h, 10, within(t, c.WithinOrbit))
			r := rand.New(rand.NewPCG(11, 12))
			z := hmc.NewPoint(h.Dim())
			exact, in, out := c.target, func([]float64) {}, func([]float64) {}
			if exact.Draw == nil {
				exact, in, out = straight(), bend, straighten
			}
			worst, name := testmodels.Invariance(exact, n, r, func(x []float64) {
				copy(z.X, x)
				in(z.X)
				h.Evaluate(z)
				s.Step(z, c.eps, r)
				copy(x, z.X)
				out(x)
			})
			used := 0
			for _, n := range s.halved {
				if n > 0 {
					used++
				}
			}
			t.Logf("|z| at most %.2f (%s), %.1f gradients, %.2f dead ends, halvings %v", worst, name,
				float64(h.Gradients)/float64(n), float64(s.deadEnds)/float64(n), s.halved)
			if !(worst < 5.5) {
				t.Errorf("%s is not left invariant: |z| = %.1f", name, worst)
			}
			if used < c.depths || s.deadEnds == 0 {
				t.Errorf("the case is too easy: %d numbers of halvings, want %d; %d dead ends", used,
					c.depths, s.deadEnds)
			}
		})
	}
}

// TestWithinOrbitIsNUTS: with a band that nothing leaves, the transitions are those of plain NUTS,
// bit for bit.
func TestWithinOrbitIsNUTS(t *testing.T) {
	target := testmodels.Gauss3()
	dense, err := hmc.NewDenseMetric([][]float64{{2, 0.5, 0}, {0.5, 1, 0.3}, {0, 0.3, 3}})
	if err != nil {
		t.Fatal(err)
	}
	h := hmc.NewHamiltonian(target, dense)
	plain, wide := New(h, 8), newWalnuts(h, 8, within(t, WithinOrbit{MaxError: 1e9}))
	a, b := hmc.NewPoint(3), hmc.NewPoint(3)
	h.Evaluate(a)
	h.Evaluate(b)
	ra, rb := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	for i := range 500 {
		oa, ob := plain.Step(a, 0.3, ra), wide.Step(b, 0.3, rb)
		if oa.Stat != ob.Stat || oa.Symmetric != ob.Symmetric || !slices.Equal(a.X, b.X) {
			t.Fatalf("transition %d: %+v at %v, want %+v at %v", i, ob, b.X, oa, a.X)
		}
	}
}

// TestWithinOrbitWhitening: a metric W = L L' does what the unit metric does to the target in the
// coordinates L^-1 x.
func TestWithinOrbitWhitening(t *testing.T) {
	l := [3][3]float64{{1.5, 0, 0}, {0.4, 0.8, 0}, {-0.3, 0.6, 2}}
	w := make([][]float64, 3)
	for i := range w {
		w[i] = make([]float64, 3)
		for j := range w[i] {
			for k := range l {
				w[i][j] += l[i][k] * l[j][k]
			}
		}
	}
	metric, err := hmc.NewDenseMetric(w)
	if err != nil {
		t.Fatal(err)
	}
	unwhiten := func(y []float64) (x [3]float64) {
		for i := range l {
			for j := range l {
				x[i] += l[i][j] * y[j]
			}
		}
		return x
	}
	funnel := testmodels.Funnel()
	white := testmodels.Func{N: 3, F: func(y, g []float64) float64 {
		x, gx := unwhiten(y), make([]float64, 3)
		lp := funnel.F(x[:], gx)
		for j := range l {
			g[j] = 0
			for i := range l {
				g[j] += l[i][j] * gx[i]
			}
		}
		return lp
	}}
	for _, finer := range []float64{0, 0.4} {
		for seed := range uint64(200) {
			c := within(t, WithinOrbit{Finer: finer})
			hx := hmc.NewHamiltonian(funnel, metric)
			hy := hmc.NewHamiltonian(white, hmc.NewUnitMetric(3))
			r := rand.New(rand.NewPCG(seed, 1))
			x, y := hmc.NewPoint(3), hmc.NewPoint(3)
			for i := range y.X {
				y.X[i] = r.NormFloat64()
			}
			start := unwhiten(y.X)
			copy(x.X, start[:])
			hx.Evaluate(x)
			hy.Evaluate(y)
			ox := newWalnuts(hx, 10, c).Step(x, 0.4, rand.New(rand.NewPCG(seed, 2)))
			oy := newWalnuts(hy, 10, c).Step(y, 0.4, rand.New(rand.NewPCG(seed, 2)))
			got := unwhiten(y.X)
			for i, v := range x.X {
				if !(math.Abs(v-got[i]) < 1e-7*(1+math.Abs(v))) {
					t.Fatalf("seed %d, finer %v: %v, want %v", seed, finer, got, x.X)
				}
			}
			if ox.Leapfrogs != oy.Leapfrogs || ox.TreeDepth != oy.TreeDepth {
				t.Fatalf("seed %d, finer %v: %+v, want %+v", seed, finer, oy.Stat, ox.Stat)
			}
		}
	}
}

// TestWithinOrbitFarStart: all of 80 chains that start where the log density is -5e11 have come down
// after a warm-up of 200. Were the band not
// relative to the kinetic energy there, none would.
func TestWithinOrbitFarStart(t *testing.T) {
	arrived := func(w *WithinOrbit) (n int) {
		for seed := range uint64(20) {
			run, err := Sample(context.Background(), hmc.Shared(testmodels.Normal(0.01, 1, 1)),
				Config{Settings: hmc.Settings{Seed: seed, Warmup: 200, Draws: 1, Adapt: hmc.Adapt{Fixed: true},
					Start: hmc.Start{Points: [][]float64{{1e4, 1e4, -1e4}}}}, WithinOrbit: w})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range run.Chains {
				if c.Stats[0].LP > -30 { // chi-squared of 3 above 60: 6e-13
					n++
				}
			}
		}
		return n
	}
	n := arrived(&WithinOrbit{})
	t.Logf("%d of 80 arrived, %d with plain NUTS", n, arrived(nil))
	if n != 80 {
		t.Errorf("%d of 80 chains arrived", n)
	}
}

// TestWithinOrbitDivergence: a macro step that cannot be made is a divergence, and says where.
func TestWithinOrbitDivergence(t *testing.T) {
	h := hmc.NewHamiltonian(testmodels.Funnel(), hmc.NewUnitMetric(3))
	s := newWalnuts(h, 10, within(t, WithinOrbit{MaxHalvings: 1, MaxError: 0.1}))
	z := hmc.NewPoint(3)
	z.X[0], z.X[1] = -8, 0.01
	h.Evaluate(z)
	start := slices.Clone(z.X)
	out := s.Step(z, 1, rand.New(rand.NewPCG(1, 2)))
	if !out.Divergent || out.Reason == "" || slices.Equal(out.Broke, start) ||
		!slices.Equal(z.X, start) || out.TreeDepth != 0 || out.Leapfrogs < 2 {
		t.Errorf("%+v at %v", out, z.X)
	}
}

func TestWithinOrbitErrors(t *testing.T) {
	for _, c := range []struct {
		w    WithinOrbit
		want string
	}{
		{WithinOrbit{MaxHalvings: -1}, "nuts: WithinOrbit.MaxHalvings is -1, want "},
		{WithinOrbit{MaxHalvings: 21}, "nuts: WithinOrbit.MaxHalvings is 21, want "},
		{WithinOrbit{MaxError: -1}, "nuts: WithinOrbit.MaxError is -1, want "},
		{WithinOrbit{MaxError: math.Inf(1)}, "nuts: WithinOrbit.MaxError is +Inf, want "},
		{WithinOrbit{MaxError: math.NaN()}, "nuts: WithinOrbit.MaxError is NaN, want "},
		{WithinOrbit{Finer: 1}, "nuts: WithinOrbit.Finer is 1, want "},
		{WithinOrbit{Finer: -0.1}, "nuts: WithinOrbit.Finer is -0.1, want "},
		{WithinOrbit{Finer: math.NaN()}, "nuts: WithinOrbit.Finer is NaN, want "},
	} {
		_, err := Config{WithinOrbit: &c.w}.Method()
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.w, err, c.want)
		}
	}
}

// TestWithinOrbitAllocates: a transition allocates nothing.
func TestWithinOrbitAllocates(t *testing.T) {
	h := hmc.NewHamiltonian(testmodels.Funnel(), hmc.NewUnitMetric(3))
	s := newWalnuts(h, 10, within(t, WithinOrbit{Finer: 0.3}))
	z := hmc.NewPoint(3)
	h.Evaluate(z)
	r := rand.New(rand.NewPCG(1, 2))
	if n := testing.AllocsPerRun(200, func() { s.Step(z, 0.3, r) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
