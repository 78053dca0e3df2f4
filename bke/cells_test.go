package bke

import (
	"context"
	"math"
	"slices"
	"testing"
)

// A peak a thousandth as wide as the nodes are apart is found if a seed says where it is, and not
// otherwise: that is what seeds are for.
func TestPlantSeesNarrowPeaks(t *testing.T) {
	const sd = 1e-4
	peak := []float64{1.2345, -0.777}
	f := func(u []float64) float64 {
		a, b := (u[0]-peak[0])/sd, (u[1]-peak[1])/sd
		return math.Exp(-(a*a + b*b) / 2)
	}
	for _, seeds := range [][]seed{nil, {{u: peak, sd: []float64{sd, sd}}}} {
		r := &region{rule: newRule(), integrand: f, weight: func(*cell) float64 { return 1 }}
		r.plant(&cell{lo: []float64{-10, -10}, hi: []float64{10, 10}}, seeds)
		err := r.refine(context.Background())
		if seeds == nil {
			if err == nil {
				t.Errorf("found a mass of %v without a seed", r.mass())
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		within(t, "mass", r.mass(), 2*math.Pi*sd*sd, 1e-9)
	}
}

// Of a function that is even about the middle of a cell every second coefficient is 0: the last
// alone would not tell how far the polynomial is off.
func TestRefineSeesEvenFunctions(t *testing.T) {
	r := &region{rule: newRule(), weight: func(*cell) float64 { return 1 },
		integrand: func(u []float64) float64 { return math.Exp(-u[0] * u[0] / (2 * 0.1 * 0.1)) }}
	r.plant(&cell{lo: []float64{-1}, hi: []float64{1}}, nil)
	if err := r.refine(context.Background()); err != nil {
		t.Fatal(err)
	}
	within(t, "mass", r.mass(), 0.1*math.Sqrt(2*math.Pi), 1e-9)
}

// The integral of 1/cosh is pi. Its tails go on far beyond the rectangle around the seed.
func TestCoverFollowsTails(t *testing.T) {
	r := &region{rule: newRule(), weight: func(*cell) float64 { return 1 },
		integrand: func(u []float64) float64 { return 1 / math.Cosh(u[0]) / math.Cosh(u[1]/2) }}
	c := &criterion{lo: []float64{-300, -300}, hi: []float64{300, 300}}
	err := c.cover(context.Background(), r, []seed{{u: []float64{0.3, -1}, sd: []float64{0.1, 0.1}}})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "mass", r.mass(), 2*math.Pi*math.Pi, 1e-9)
	// A hard bound is not crossed.
	r.cells, c.hi[0] = nil, 0.5
	err = c.cover(context.Background(), r, []seed{{u: []float64{0.3, -1}, sd: []float64{0.1, 0.1}}})
	if err != nil {
		t.Fatal(err)
	}
	half := 2 * math.Atan(math.Exp(0.5)) // integral of 1/cosh up to 0.5
	within(t, "mass below the bound", r.mass(), half*2*math.Pi, 1e-9)
}

func TestLookSeedsEveryMode(t *testing.T) {
	x, z := clusters(10)
	m := oneColumn(t, x, z, Options{})
	c := m.newCriterion()
	c.jacobian = true
	if err := c.withPriors(Priors{}); err != nil {
		t.Fatal(err)
	}
	seeds, modes, err := c.look(context.Background())
	if err != nil || len(modes) != 2 {
		t.Fatalf("%d modes, error %v", len(modes), err)
	}
	for _, md := range modes {
		if !slices.ContainsFunc(seeds, func(s seed) bool {
			return slices.Equal(s.u, md.u) && s.sd[0] < 1 && s.sd[1] < 1
		}) {
			t.Errorf("no seed at %v", md.u)
		}
	}
	if ridge := len(seeds) - len(modes); ridge < 20 {
		t.Errorf("%d seeds along the ridge between the modes, want one each 0.115 of 4", ridge)
	}
}

// Between neighbours ten sd apart in log tau2 there are seeds every two, of the smaller spreads.
func TestBridge(t *testing.T) {
	far := []seed{{[]float64{0, -3}, []float64{0.03, 1}}, {[]float64{0.1, 7}, []float64{0.02, 1.5}}}
	got := bridge(far)
	if len(got) != 7 || !slices.Equal(got[6].u, far[1].u) {
		t.Fatalf("%v, want five seeds between", got)
	}
	for i, s := range got[1:6] {
		f := float64(i+1) / 6
		within(t, "log theta", s.u[0], 0.1*f, 1e-14)
		within(t, "log tau2", s.u[1], -3+10*f, 1e-14)
		if !slices.Equal(s.sd, []float64{0.02, 1}) {
			t.Errorf("spreads %v, want 0.02 and 1", s.sd)
		}
	}
}

// A cell counts by the largest squared ratio to the mode in it, up to e^14, and never less than 1.
func TestMomentWeight(t *testing.T) {
	for _, c := range []struct{ hi, want float64 }{{-2, 1}, {1.5, math.Exp(2)}, {40, math.Exp(14)}} {
		w := momentWeight(&cell{lo: []float64{-9, -9}, hi: []float64{c.hi, -8}}, []float64{0.5, 0.5})
		within(t, "weight", w, c.want, 1e-14)
	}
}

// A scan whose steps jump over a narrow peak, of five nats or of a third of one, finds it by looking
// in between.
func TestScanRefines(t *testing.T) {
	const at = 0.0575
	for _, height := range []float64{5, 0.3} {
		f := func(x float64) point {
			b := (x - at) / 0.02
			e := height * math.Exp(-b*b/2)
			return point{u: []float64{x}, lp: -x*x + e, slope: -2*x - e*b/0.02}
		}
		l := &line{}
		for i := -20; i <= 20; i++ {
			l.t = append(l.t, 0.115*float64(i))
			l.points = append(l.points, f(0.115*float64(i)))
		}
		whole := box{[]float64{-2.3}, []float64{2.3}}
		if n := len(l.rises(whole)); n != 1 {
			t.Fatalf("the coarse scan has %d rises, want the broad peak alone", n)
		}
		l.refine(f)
		found := false
		for _, s := range l.rises(whole) {
			found = found || s.within.lo[0] <= at && s.within.hi[0] >= at-1e-3 && s.within.width(0) < 0.1
		}
		if !found || !slices.IsSorted(l.t) {
			t.Errorf("the narrow peak of %v nats was not found", height)
		}
	}
}

// The sums over rows that are kept for one theta are not used for another.
func TestCriterionKeepsNoStaleSums(t *testing.T) {
	c := laplaceModel(t, "50", Options{}).newCriterion()
	u, v, g := []float64{-1, -2}, []float64{0.5, -1}, make([]float64, 2)
	want := c.value(u)
	other := c.at(g, v)
	if got := c.value(u); got != want {
		t.Errorf("value is %v, was %v", got, want)
	}
	within(t, "value and gradient", c.value(v), other, 1e-13)
	slope := g[1]
	within(t, "slope", c.slopeTau2(v), slope, 1e-12)
}

// On a saddle -H is not positive definite, and the step goes uphill along both axes.
func TestNewtonStepOnSaddle(t *testing.T) {
	h := [][]float64{{-4, 0}, {0, 2}}
	move, _, definite := newtonStep(h, []float64{0.4, 0.2}, make([]bool, 2))
	if definite || math.Abs(move[0]-0.1) > 1e-15 || math.Abs(move[1]-0.1) > 1e-15 {
		t.Errorf("step %v, definite %v", move, definite)
	}
	if _, _, definite = newtonStep(h, []float64{0.4, 0.2}, []bool{false, true}); !definite {
		t.Error("a held coordinate counts")
	}
}
