package magnitude

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// orders are the orders of the quantiles that are compared.
var orders = []float64{0.1, 0.25, 0.5, 0.75, 0.9}

// quantiles compares the quantiles of two sorted samples, or finds those of one. Orders with too few
// rows on one side are left out.
func quantiles(x [][]float64, level float64) []Quantile {
	tail := (1 - level) / 2
	var out []Quantile
	for _, p := range orders {
		few := false
		for _, s := range x {
			few = few || math.Pow(max(p, 1-p), float64(len(s))) > tail
		}
		if few {
			continue
		}
		a := located(x[0], p)
		if len(x) == 2 {
			a = minus(a, located(x[1], p))
		}
		out = append(out, Quantile{p, Interval{weighted(a, 0.5), weighted(a, tail), weighted(a, 1-tail)}})
	}
	return out
}

// place is a value with the confidence that it is given.
type place struct{ value, weight float64 }

// nodes is the number of places of a quantile.
const nodes = 64

// located is the confidence distribution of the quantile of order p of a sorted sample. That the
// quantile is below the order statistic of rank r has the confidence that Beta(r, n+1-r) is above p,
// for fractions r too, between which rows are interpolated (Hutson, 1999). What lies beyond the
// rows is put on the first or the last.
func located(x []float64, p float64) []place {
	n := float64(len(x))
	mid, sd := (n+1)*p, math.Sqrt((n+2)*p*(1-p))
	lo, hi := max(mid-5*sd, 1), min(mid+5*sd, n)
	out := make([]place, 0, nodes+2)
	before := 1.0 // the confidence that the quantile is above what was reached
	for i := range nodes + 1 {
		r := lo + (hi-lo)*float64(i)/nodes
		above := mathext.RegIncBeta(r, n+1-r, p)
		value := at(x, r-(hi-lo)/(2*nodes))
		if i == 0 {
			value = at(x, r)
		}
		out = append(out, place{value, before - above})
		before = above
	}
	return append(out, place{at(x, hi), before})
}

// minus is the distribution of the difference of two independent values.
func minus(a, b []place) []place {
	out := make([]place, 0, len(a)*len(b))
	for _, u := range a {
		for _, v := range b {
			out = append(out, place{u.value - v.value, u.weight * v.weight})
		}
	}
	return out
}

// weighted is the quantile of order p of places.
func weighted(a []place, p float64) float64 {
	slices.SortFunc(a, func(u, v place) int { return cmp.Compare(u.value, v.value) })
	sum, last := 0.0, place{math.Inf(-1), 0}
	for _, v := range a {
		if next := sum + v.weight; next >= p {
			// Between the middles of two places.
			from, to := sum-last.weight/2, sum+v.weight/2
			if p <= to && !math.IsInf(last.value, -1) && to > from {
				return last.value + (v.value-last.value)*min(max((p-from)/(to-from), 0), 1)
			}
			return v.value
		}
		sum += v.weight
		last = v
	}
	return a[len(a)-1].value
}

// at interpolates between the order statistics on both sides of rank r.
func at(x []float64, r float64) float64 {
	r = min(max(r, 1), float64(len(x)))
	i := min(int(r), len(x)-1)
	return x[i-1] + (r-float64(i))*(x[i]-x[i-1])
}
