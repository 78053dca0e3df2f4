package magnitude

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// orders are the orders of the quantiles that are compared.
var orders = []float64{0.1, 0.25, 0.5, 0.75, 0.9}

// quantiles compares the quantiles of two sorted samples, or finds those of one. Orders for which a
// sample has too few rows on one side are left out.
func quantiles(x [][]float64, level float64) []Quantile {
	tail := (1 - level) / 2
	var out []Quantile
	for _, p := range orders {
		few := false
		for _, s := range x {
			few = few || math.Pow(max(p, 1-p), float64(len(s))) > tail
		}
		switch {
		case few:
		case len(x) == 1:
			out = append(out, Quantile{p, quantile(x[0], p, tail)})
		default:
			out = append(out, Quantile{p, quantileDifference(x[0], x[1], p, tail)})
		}
	}
	return out
}

// quantile is the quantile of order p of a sorted sample.
func quantile(x []float64, p, tail float64) Interval {
	return Interval{bound(x, p, 0.5), bound(x, p, 1-tail), bound(x, p, tail)}
}

// quantileDifference shares the deviation of the normal law for the level out among the samples, in
// proportion to their errors (DERIVATION.md).
func quantileDifference(x, y []float64, p, tail float64) Interval {
	a, b := quantile(x, p, tail), quantile(y, p, tail)
	z := -distuv.UnitNormal.Quantile(tail)
	wide, high := a.Upper-a.Lower, b.Upper-b.Lower
	apart := func(down, up []float64, below, above, wide, high float64) float64 {
		u, v := math.Sqrt(below*wide), math.Sqrt(above*high)
		share := math.Sqrt(0.5)
		if h := math.Hypot(u, v); h > 0 {
			share = u / h
		}
		return bound(down, p, distuv.UnitNormal.CDF(z*share)) -
			bound(up, p, distuv.UnitNormal.CDF(-z*math.Sqrt(1-share*share)))
	}
	return Interval{a.Estimate - b.Estimate,
		apart(x, y, a.Estimate-a.Lower, b.Upper-b.Estimate, wide, high),
		-apart(y, x, b.Estimate-b.Lower, a.Upper-a.Estimate, high, wide)}
}

// bound is what the quantile of order p of a continuous law exceeds with confidence c. The row of rank r
// is exceeded with the probability that at least r of n rows lie below the quantile. Between two rows
// the place is found as if the density were flat there: the quantile then lies at distances from the
// rows next to it that are exponential, with rates r/p and (n-r)/(1-p) (DERIVATION.md; Nyblom, 1992).
func bound(x []float64, p, c float64) float64 {
	n := len(x)
	exceeded := func(r int) float64 { return mathext.RegIncBeta(float64(r), float64(n+1-r), p) }
	lo := sort.Search(n, func(k int) bool { return exceeded(k+1) <= c }) // rows that are exceeded more surely
	switch lo {
	case 0:
		return x[0]
	case n:
		return x[n-1]
	}
	above := exceeded(lo + 1)
	inside := (c - above) / (exceeded(lo) - above)
	down, up := inside*float64(lo)/p, (1-inside)*float64(n-lo)/(1-p)
	return x[lo-1] + up/(up+down)*(x[lo]-x[lo-1])
}
