package quadrature

import (
	"context"
	"math"
	"slices"
	"testing"

	"bayeskernel/bke"
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
	b := bounds{lo: []float64{-300, -300}, hi: []float64{300, 300}}
	err := cover(context.Background(), b, r, []seed{{u: []float64{0.3, -1}, sd: []float64{0.1, 0.1}}})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "mass", r.mass(), 2*math.Pi*math.Pi, 1e-9)
	// A hard bound is not crossed.
	r.cells, b.hi[0] = nil, 0.5
	err = cover(context.Background(), b, r, []seed{{u: []float64{0.3, -1}, sd: []float64{0.1, 0.1}}})
	if err != nil {
		t.Fatal(err)
	}
	half := 2 * math.Atan(math.Exp(0.5)) // integral of 1/cosh up to 0.5
	within(t, "mass below the bound", r.mass(), half*2*math.Pi, 1e-9)
}

func TestLookSeedsEveryMode(t *testing.T) {
	x, z := clusters(10)
	m := oneColumn(t, x, z, bke.Options{})
	s, err := m.Surface(context.Background(), bke.Priors{})
	if err != nil {
		t.Fatal(err)
	}
	seeds, modes, err := look(context.Background(), s)
	if err != nil || len(modes) != 2 {
		t.Fatalf("%d modes, error %v", len(modes), err)
	}
	for _, md := range modes {
		if !slices.ContainsFunc(seeds, func(s seed) bool {
			return slices.Equal(s.u, md.Logs) && s.sd[0] < 1 && s.sd[1] < 1
		}) {
			t.Errorf("no seed at %v", md.Logs)
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
