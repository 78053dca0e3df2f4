package power

import (
	"math"
	"slices"

	"bayeskernel/kernels"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// bandwidthsOfFamily is the number of kernels of each of the two families of the published programs.
const bandwidthsOfFamily = 10

// familiesKey is the key with which fuse and mmdagg have the Laplace kernels of the published programs too.
const familiesKey = "families"

func cityBlock(x, y []float64) float64 {
	s := 0.0
	for a, v := range x {
		s += math.Abs(v - y[a])
	}
	return s
}

// bothFamilies are the ten Gaussian and ten Laplace kernels of MMD-FUSE or, if geometric, of MMDAgg, whose
// lengthscales span the distances of the pooled rows.
func bothFamilies(x, y *mat.Dense, geometric bool) kerneltest.Choice {
	var pooled mat.Dense
	pooled.Stack(x, y)
	var out []kernels.Kernel
	for _, l := range span(&pooled, func(u, v []float64) float64 { return math.Sqrt(squared(u, v)) }, geometric) {
		if geometric {
			l /= math.Sqrt2 // its Gaussian kernels are exp(-r²/l²)
		}
		out = append(out, kernels.SquaredExponential(l))
	}
	for _, l := range span(&pooled, cityBlock, geometric) {
		out = append(out, kernels.CityBlock(l))
	}
	return kerneltest.Fixed(out...)
}

func squared(x, y []float64) float64 {
	s := 0.0
	for a, v := range x {
		s += (v - y[a]) * (v - y[a])
	}
	return s
}

// span are lengthscales from half the distance that a twentieth of the pairs of different rows do not exceed, to
// twice that of 19 of 20 at equal steps, or twice the largest at equal ratios if geometric.
func span(pooled *mat.Dense, distance func(x, y []float64) float64, geometric bool) []float64 {
	n, _ := pooled.Dims()
	var d []float64
	for i := range n {
		for j := range i {
			if r := distance(pooled.RawRowView(i), pooled.RawRowView(j)); r > 0 {
				d = append(d, r)
			}
		}
	}
	slices.Sort(d)
	at := func(level float64) float64 { return d[min(int(level*float64(len(d))), len(d)-1)] }
	from, to := at(0.05)/2, 2*at(0.95)
	if geometric {
		from, to = math.Log(from), math.Log(2*at(1))
	}
	out := make([]float64, bandwidthsOfFamily)
	for i := range out {
		out[i] = from + (to-from)*float64(i)/(bandwidthsOfFamily-1)
		if geometric {
			out[i] = math.Exp(out[i])
		}
	}
	return out
}
