package kerneltest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"bayeskernel/kerneltest/statistic"
)

// aggregate is the test MMDAgg of Schrab, Kim, Albert, Laurent, Guedj and Gretton (2023), or its
// sibling HSICAgg, by permutation. Kernel k of weight w_k rejects at level u w_k, and u is as large
// as the level of all kernels together allows. That paper estimates quantiles from one set of
// permutations, and the level for a given u from another, and finds u by bisection.
//
// Here the same comes without bisection, and with a p-value. A first set ranks: for any arrangement
// of the labels, r_k is the share of the set, itself included, whose statistic with kernel k is at
// least as large. Kernel k rejects from u = r_k/w_k on, the test from
//
//	s = min_k r_k/w_k
//
// on. The data join a second set of arrangements. The p-value is the share of this set whose s is
// no larger than that of the data. Given the first set, the s of the second are exchangeable under
// the null hypothesis, so that the p-value is exact.
func (o Options) aggregate(ctx context.Context, a arrangements) (*Result, *table, error) {
	weights, err := o.weights(a.kernels)
	if err != nil {
		return nil, nil, err
	}
	if o.Stop > 0 {
		return nil, nil, fmt.Errorf("kerneltest: stop is %d with several kernels aggregated, want "+
			"0, or combination fuse", o.Stop)
	}
	least := enough(o.Alpha, weights)
	if least > mostEnough {
		return nil, nil, fmt.Errorf("kerneltest: the smallest weight is %.2g of their sum, with "+
			"which no kernel rejects at alpha %v by less than %.3g permutations: want a larger one",
			slices.Min(weights), o.Alpha, least)
	}
	o.Permutations = max(o.Permutations, int(least))
	all, err := a.drawAll(ctx, 2*o.Permutations+1)
	if err != nil {
		return nil, nil, err
	}
	r := &Result{Null: statistic.Permutation, Alpha: o.Alpha, Permutations: o.Permutations}
	scores := make([]float64, o.Permutations+1)
	for b := range scores {
		scores[b] = math.Inf(1)
	}
	for k, values := range all.values {
		ranks := newRanking(values[len(scores):], all.slack[k])
		for b := range scores {
			scores[b] = min(scores[b], ranks.share(values[b])/weights[k])
		}
	}
	r.Statistic, r.Draws = scores[0], scores[1:]
	for _, s := range r.Draws {
		if s <= r.Statistic*(1+1e-12) { // equal but for the order of divisions
			r.AtLeast++
		}
	}
	r.count()
	return r, all, nil
}

// drawAll draws so many permutations.
func (a arrangements) drawAll(ctx context.Context, count int) (*table, error) {
	var all *table
	for first := 0; first < count; first += a.most {
		t, err := a.draw(ctx, first, min(a.most, count-first), count)
		if err != nil {
			return nil, err
		}
		all = all.add(t)
	}
	return all, nil
}

// weights returns those of the kernels, of sum 1.
func (o Options) weights(kernels int) ([]float64, error) {
	if o.Weights == nil {
		return equalWeights(kernels), nil
	}
	if len(o.Weights) != kernels {
		return nil, fmt.Errorf("kerneltest: there are %d weights, want one for each of %d kernels",
			len(o.Weights), kernels)
	}
	out, sum, top := slices.Clone(o.Weights), 0.0, slices.Max(o.Weights)
	for i, w := range out {
		if !(w > 0) || math.IsInf(w, 1) {
			return nil, fmt.Errorf("kerneltest: weight %d is %v, want a positive number", i+1, w)
		}
		out[i] = w / top // the sum might overflow
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out, nil
}

// enough is the number of permutations that can tell a share of alpha times the smallest weight:
// with fewer than several in that tail no kernel could ever reject.
func enough(alpha float64, weights []float64) float64 {
	return math.Ceil(5 / (alpha * slices.Min(weights)) * (1 - 1e-12))
}

// Aggregate makes up to mostEnough permutations without being asked.
const mostEnough = 1e6

// ranking knows the statistics of a set of permutations.
type ranking struct {
	sorted []float64
	slack  float64
}

func newRanking(values []float64, size float64) ranking {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return ranking{sorted, 1e-12 * math.Abs(size)}
}

// share is that of the set and v itself that is at least v, as permute.AtLeast has it.
func (r ranking) share(v float64) float64 {
	below := sort.SearchFloat64s(r.sorted, v-r.slack)
	return float64(1+len(r.sorted)-below) / float64(1+len(r.sorted))
}
