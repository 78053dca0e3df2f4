package embedding

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Grid returns points for a picture of one or two columns. For one it has count evenly spaced
// values from the smallest to the largest in the samples; for two all count x count pairs of such
// values, the first column moving slowest. It panics for more columns, without a sample, and if
// count is less than 2.
func Grid(count int, samples ...mat.Matrix) *mat.Dense {
	if count < 2 || len(samples) == 0 {
		panic("embedding: Grid: want at least 2 points and a sample")
	}
	_, dim := samples[0].Dims()
	if dim > 2 {
		panic("embedding: Grid: more than 2 columns")
	}
	axes := make([][]float64, dim)
	for a := range axes {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, s := range samples {
			n, _ := s.Dims()
			for i := range n {
				lo, hi = min(lo, s.At(i, a)), max(hi, s.At(i, a))
			}
		}
		for i := range count {
			t := float64(i) / float64(count-1)
			axes[a] = append(axes[a], (1-t)*lo+t*hi)
		}
	}
	if dim == 1 {
		return mat.NewDense(count, 1, axes[0])
	}
	out := mat.NewDense(count*count, 2, nil)
	for i := range count * count {
		out.SetRow(i, []float64{axes[0][i/count], axes[1][i%count]})
	}
	return out
}
