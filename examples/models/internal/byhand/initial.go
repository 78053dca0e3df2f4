package byhand

import (
	"math/rand/v2"
	"slices"

	"bayeskernel/priors"
)

// Initial draws x from the priors, truncated to the supports. Where there is nothing to draw from,
// or nothing usable comes in a hundred attempts, it is uniform on (-2, 2).
func (t *target) Initial(x []float64, r *rand.Rand) {
	t.wantDim("x", len(x), t.free)
	for i := range t.blocks {
		b := &t.blocks[i]
		if coords := b.coords(x); !b.draw(coords, b.part(t.v), r) {
			for j := range coords {
				coords[j] = 4*r.Float64() - 2
			}
		}
	}
}

// draw draws one parameter from its prior, by rejection, and reports whether that came to anything.
func (b *block) draw(x, v []float64, r *rand.Rand) bool {
	const attempts = 100
	for range attempts {
		if !b.drawValues(v, r, attempts) {
			return false
		}
		if b.t.Unconstrain(x, v) == nil && allFinite(x) {
			return true
		}
	}
	return false
}

// drawValues draws the values one by one within their bounds. Sorted, independent draws have the
// density of an ordered vector.
func (b *block) drawValues(v []float64, r *rand.Rand, attempts int) bool {
	if b.prior == nil {
		b.joint.Rand(v, r)
		return true
	}
	lo, hi := b.t.Bounds()
	for i := range v {
		for range attempts {
			if v[i] = b.prior.Rand(r); v[i] > lo && v[i] < hi {
				break
			}
		}
		if !(v[i] > lo && v[i] < hi) {
			return false
		}
	}
	if _, ok := b.t.(priors.Ordered); ok {
		slices.Sort(v)
	}
	return true
}
