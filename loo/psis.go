package loo

import (
	"math"
	"slices"

	"bayeskernel/diagnostics"
)

// Smooth returns the logs of normalised importance weights and the Pareto shape k of their tail,
// given the logs of the ratios. Eff is the number of effective draws over the number of draws. K is
// +Inf where the tail is too short or constant, and the weights then are the ratios.
func Smooth(logRatios []float64, eff float64) (logWeights []float64, k float64) {
	s := len(logRatios)
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
	order := make([]int, len(w))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case w[a] < w[b]:
			return -1
		case w[a] > w[b]:
			return 1
		}
		return 0
	})
	tail := order[len(w)-n:]
	if w[tail[n-1]]-w[tail[0]] < 0x1p-52/100 {
		return math.Inf(1)
	}
	cut := math.Exp(w[order[len(w)-n-1]])
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
