package bke

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Where the factorisation of G says that it will do, it agrees with the elimination, in the value and
// in each leverage, to the digits that its bound on the condition leaves: 1000 (m+D) roundings. The
// cases are of all shapes: columns of unlike units, nearly dependent ones, weights from 1 to 1e-60.
func TestDirectAgainstElimination(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	direct, refused := 0, 0
	for range 20000 {
		d := 2 + r.IntN(9)
		m := d + r.IntN(40)
		g, v := newGramian(m, d), make([][]float64, d)
		for a := range v {
			v[a] = make([]float64, m)
			g.scale[a] = 1
			unit := math.Exp(4 * r.NormFloat64())
			for l := range v[a] {
				v[a][l] = unit * r.NormFloat64()
			}
			if a > 0 && r.IntN(3) == 0 { // nearly in the plane of the others
				f, c := math.Exp(-8*r.Float64()), math.Exp(r.NormFloat64())
				for l := range v[a] {
					v[a][l] = f*v[a][l] + c*v[a-1][l]
				}
			}
		}
		reach := math.Exp(8 * (r.Float64() - 0.4))
		for l := range g.k {
			g.logK[l] = -reach * r.ExpFloat64()
			g.k[l] = math.Exp(g.logK[l])
		}
		fill := func() {
			for a, c := range g.cols {
				copy(c, v[a])
			}
		}
		fill()
		got, ok := g.direct()
		if !ok {
			refused++
			continue
		}
		direct++
		lev := append([]float64(nil), g.leverages()...)
		fill()
		want := g.logDet(fill)
		bound := 1000 * float64(m+d) * 0x1p-53
		if !(math.Abs(got-want) <= bound*float64(d)) {
			t.Fatalf("D = %d, m = %d: %v, want %v", d, m, got, want)
		}
		for l, h := range g.leverages() {
			if !(math.Abs(lev[l]-h) <= bound) {
				t.Fatalf("D = %d, m = %d: leverage %d is %v, want %v", d, m, l, lev[l], h)
			}
		}
	}
	if direct < 3000 || refused < 3000 {
		t.Errorf("%d cases by factorisation and %d by elimination: want plenty of both", direct, refused)
	}
	t.Logf("%d cases by factorisation, %d by elimination", direct, refused)
}
