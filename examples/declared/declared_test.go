package declared

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/examples/models"
	"bayeskernel/hmc"
)

// The declared models against hand-derived gradients: the log densities differ by a constant.
func TestByHand(t *testing.T) {
	all, err := models.All()
	if err != nil {
		t.Fatal(err)
	}
	hand := map[string]models.Posterior{}
	for _, p := range all {
		hand[p.Name] = p
	}
	// Orders of coordinates that differ: place in the declared model, by place in that by hand.
	moved := map[string][]int{"eight_schools_noncentered": {2, 3, 4, 5, 6, 7, 8, 9, 0, 1},
		"eight_schools_centered": {2, 3, 4, 5, 6, 7, 8, 9, 0, 1}}
	for _, p := range All() {
		m, err := p.Declare()
		if err != nil {
			t.Fatal(err)
		}
		program, err := m.Compile()
		if err != nil {
			t.Fatal(err)
		}
		got, err := program.Target()
		if err != nil {
			t.Fatal(err)
		}
		want, err := hand[p.Name].Factory()
		if err != nil {
			t.Fatal(err)
		}
		compare(t, p.Name, got, want, moved[p.Name])
	}
}

func compare(t *testing.T, name string, got, want hmc.Target, moved []int) {
	t.Helper()
	d := want.Dim()
	if got.Dim() != d {
		t.Fatalf("%s: %d dimensions, want %d", name, got.Dim(), d)
	}
	r := rand.New(rand.NewPCG(1, 2))
	x, g, xm, gm := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	var all [][2]float64
	offset, least := math.NaN(), math.Inf(1) // the offset where rounding is least
	for range 30 {
		for i := range x {
			x[i] = r.NormFloat64()
			k := i
			if moved != nil {
				k = moved[i]
			}
			xm[k] = x[i]
		}
		w := want.LogDensity(x, g)
		l := got.LogDensity(xm, gm)
		if math.IsInf(w, -1) && math.IsInf(l, -1) {
			continue
		}
		all = append(all, [2]float64{l, w})
		if math.Abs(w) < least {
			least, offset = math.Abs(w), l-w
		}
		for i := range g {
			k := i
			if moved != nil {
				k = moved[i]
			}
			if !(math.Abs(gm[k]-g[i]) <= 1e-10*(1+math.Abs(g[i])+math.Abs(w)*1e-3)) {
				t.Errorf("%s: gradient %d is %v, by hand %v", name, i, gm[k], g[i])
			}
		}
	}
	if len(all) < 15 {
		t.Errorf("%s: %d of 30 points have a density", name, len(all))
	}
	for _, p := range all {
		if l, w := p[0], p[1]; !(math.Abs(l-w-offset) <= 1e-10*(1+math.Abs(w))) {
			t.Errorf("%s: log density %v, by hand %v, differ by %v, elsewhere by %v", name, l, w, l-w,
				offset)
		}
	}
}
