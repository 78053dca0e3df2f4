package magnitude

import (
	"math"

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
	apart := func(down, up []float64, u, v float64) float64 {
		share := math.Sqrt(0.5)
		if h := math.Hypot(u, v); h > 0 {
			share = u / h
		}
		return bound(down, p, distuv.UnitNormal.CDF(z*share)) -
			bound(up, p, distuv.UnitNormal.CDF(-z*math.Sqrt(1-share*share)))
	}
	return Interval{a.Estimate - b.Estimate, apart(x, y, a.Estimate-a.Lower, b.Upper-b.Estimate),
		-apart(y, x, b.Estimate-b.Lower, a.Upper-a.Estimate)}
}

// bound is what the quantile of order p exceeds with confidence c: the row of rank r, a fraction, at
// which Beta(r, n+1-r) is below p with probability c (Hutson, 1999).
func bound(x []float64, p, c float64) float64 {
	n := float64(len(x))
	mid, sd := (n+1)*p, math.Sqrt((n+2)*p*(1-p))
	lo, hi := max(mid-6*sd, 0), min(mid+6*sd, n+1)
	for range 30 {
		r := (lo + hi) / 2
		if mathext.RegIncBeta(r, n+1-r, p) > c {
			lo = r
		} else {
			hi = r
		}
	}
	return at(x, (lo+hi)/2)
}

// at interpolates between the order statistics on both sides of rank r.
func at(x []float64, r float64) float64 {
	r = min(max(r, 1), float64(len(x)))
	i := min(int(r), len(x)-1)
	return x[i-1] + (r-float64(i))*(x[i]-x[i-1])
}
