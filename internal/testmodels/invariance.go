package testmodels

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Exact is a target with exact independent draws.
type Exact struct {
	Func
	Draw func(x []float64, r *rand.Rand)
}

// ExactNormal has the given standard deviations.
func ExactNormal(sd ...float64) Exact {
	return Exact{Normal(sd...), func(x []float64, r *rand.Rand) {
		for i := range x {
			x[i] = sd[i] * r.NormFloat64()
		}
	}}
}

// ExactLogistic is Logistic.
func ExactLogistic(d int) Exact {
	return Exact{Logistic(d), func(x []float64, r *rand.Rand) {
		for i := range x {
			u := r.Float64()
			x[i] = math.Log(u) - math.Log1p(-u)
		}
	}}
}

// ExactCorrelated is Correlated.
func ExactCorrelated(rho float64) Exact {
	return Exact{Correlated(rho), func(x []float64, r *rand.Rand) {
		x[0] = r.NormFloat64()
		x[1] = rho*x[0] + math.Sqrt(1-rho*rho)*r.NormFloat64()
	}}
}

// ExactBanana is Banana.
func ExactBanana() Exact {
	return Exact{Banana(), func(x []float64, r *rand.Rand) {
		x[0] = r.NormFloat64()
		x[1] = x[0]*x[0] + 0.5*r.NormFloat64()
	}}
}

// Invariance starts n chains at exact draws of e, makes one transition of each, and compares the
// ends with the starts: for x_i, x_i^2, |x_i| > 1, x_i x_j and the log density, the mean change
// over its standard error. The pairs are independent, so under a transition that leaves e invariant
// each of these is a plain z statistic. It returns the largest and its name.
func Invariance(e Exact, n int, r *rand.Rand, step func(x []float64)) (float64, string) {
	d := e.N
	x, y, grad := make([]float64, d), make([]float64, d), make([]float64, d)
	var names []string
	stats := func(x []float64) []float64 {
		names = names[:0]
		var s []float64
		add := func(v float64, name string) { s, names = append(s, v), append(names, name) }
		for i, v := range x {
			add(v, fmt.Sprintf("x%d", i))
			add(v*v, fmt.Sprintf("x%d^2", i))
			tail := 0.0
			if math.Abs(v) > 1 {
				tail = 1
			}
			add(tail, fmt.Sprintf("|x%d|>1", i))
			for j := range i {
				add(v*x[j], fmt.Sprintf("x%d x%d", i, j))
			}
		}
		add(e.LogDensity(x, grad), "log density")
		return s
	}
	var sum, sq []float64
	for range n {
		e.Draw(x, r)
		copy(y, x)
		step(y)
		before, after := stats(x), stats(y)
		if sum == nil {
			sum, sq = make([]float64, len(before)), make([]float64, len(before))
		}
		for k := range before {
			v := after[k] - before[k]
			sum[k] += v
			sq[k] += v * v
		}
	}
	worst, name := 0.0, ""
	for k := range sum {
		mean := sum[k] / float64(n)
		se := math.Sqrt((sq[k]/float64(n) - mean*mean) / float64(n))
		if z := math.Abs(mean) / se; z > worst || math.IsNaN(z) {
			worst, name = z, names[k]
		}
	}
	return worst, name
}
