package loo

import (
	"cmp"
	"math"
	"slices"

	"bayeskernel/diagnostics"
)

// Smooth returns the logs of normalised importance weights and the Pareto shape k of their tail,
// given the logs of the ratios. Eff is the effective sample size divided by the number of draws. If
// the tail is too short or constant, k is +Inf and the weights are the normalised ratios.
func Smooth(logRatios []float64, eff float64) (logWeights []float64, k float64) {
	s := len(logRatios)
	if s == 0 {
		return nil, math.Inf(1)
	}
	top := slices.Max(logRatios)
	w := make([]float64, s)
	for i, r := range logRatios {
		w[i] = r - top
	}
	k = smoothTail(w, tailLength(s, eff))
	sum := 0.0
	for _, v := range w {
		sum += math.Exp(v)
	}
	norm := math.Log(sum)
	for i := range w {
		w[i] -= norm
	}
	return w, k
}

func tailLength(s int, eff float64) int {
	n := float64(s)
	return int(math.Ceil(min(n/5, 3*math.Sqrt(n/eff))))
}

// smoothTail replaces the n largest of w, whose maximum is 0, by quantiles of a generalised Pareto
// distribution, and returns its shape.
func smoothTail(w []float64, n int) float64 {
	if n < 5 || n >= len(w) {
		return math.Inf(1)
	}
	sorted := slices.Clone(w)
	slices.Sort(sorted)
	least := sorted[len(w)-n] // of the tail
	ties := 0                 // of the tail that are equal to it: the last of those that are
	for ties < n && sorted[len(w)-n+ties] == least {
		ties++
	}
	tail := make([]int, 0, n)
	for i := len(w) - 1; i >= 0; i-- {
		if w[i] > least {
			tail = append(tail, i)
		} else if w[i] == least && ties > 0 {
			tail = append(tail, i)
			ties--
		}
	}
	slices.Reverse(tail)
	slices.SortStableFunc(tail, func(a, b int) int { return cmp.Compare(w[a], w[b]) })
	if w[tail[n-1]]-w[tail[0]] < 0x1p-52/100 {
		return math.Inf(1)
	}
	cut := math.Exp(sorted[len(w)-n-1])
	x := make([]float64, n)
	for i, t := range tail {
		x[i] = math.Exp(w[t]) - cut
	}
	k, sigma := diagnostics.ParetoFit(x)
	if math.IsNaN(k) {
		return math.Inf(1)
	}
	for i, t := range tail {
		p := (float64(i) + 0.5) / float64(n)
		w[t] = min(math.Log(cut+paretoQuantile(p, k, sigma)), 0)
	}
	return k
}

// paretoQuantile inverts the distribution function of a generalised Pareto distribution.
func paretoQuantile(p, k, sigma float64) float64 {
	l := math.Log1p(-p)
	if k == 0 {
		return -sigma * l
	}
	return sigma * math.Expm1(-k*l) / k
}
