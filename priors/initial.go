package priors

import (
	"math"
	"math/rand/v2"
	"slices"
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
		drawDirichlet(b.alpha, v, r)
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
	if _, ok := b.t.(Ordered); ok {
		slices.Sort(v)
	}
	return true
}

// drawDirichlet draws gammas and divides them by their sum, in logs for the sake of small alpha.
func drawDirichlet(alpha, v []float64, r *rand.Rand) {
	for i := range v {
		v[i] = logGamma(r, alpha[i%len(alpha)])
	}
	top, sum := slices.Max(v), 0.0
	for i := range v {
		v[i] = math.Exp(v[i] - top)
		sum += v[i]
	}
	for i := range v {
		v[i] /= sum
	}
}
