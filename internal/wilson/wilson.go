// Package wilson has the score interval of Wilson (1927) for a probability, which keeps to [0, 1] and
// has a width also where nothing or everything was counted.
package wilson

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval returns the interval of the given level, between 0 and 1, for the probability of what
// was seen k times in n > 0.
func Interval(k, n int, level float64) (lo, hi float64) {
	z := -distuv.UnitNormal.Quantile((1 - level) / 2) // 0.5 + level/2 would be 1 near level 1
	seen, all := float64(k), float64(n)
	mid := (seen + z*z/2) / (all + z*z)
	half := z / (all + z*z) * math.Sqrt(seen*(all-seen)/all+z*z/4)
	if lo, hi = max(0, mid-half), min(1, mid+half); k == 0 {
		lo = 0 // but for rounding
	} else if k == n {
		hi = 1
	}
	return lo, hi
}
