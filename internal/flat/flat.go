// Package flat finds lines along which a log density does not change: of parameters that only appear as
// a sum, for example, or that do not appear at all. Where there is one, no posterior is proper.
package flat

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Line returns the places in at, from 0, of the coordinates that change along a line on which the log
// density is the same everywhere; nil if there is none, or if the density is 0 near the origin. Only the
// coordinates in at are moved, from points within 1 of the origin. lp writes its gradient.
//
// The gradients g at a number of points then have a direction v in common with g'v = 0, which a singular
// value decomposition finds; steps along v of up to a million tell it from directions of which the data
// say little. With d coordinates in at, there are 2d + 14 evaluations and two decompositions, O(d^3).
func Line(lp func(x, grad []float64) float64, dim int, at []int) []int {
	r := rand.New(rand.NewPCG(1, 1))
	x, grad, unit := make([]float64, dim), make([]float64, dim), make([]float64, dim)
	for i := range unit {
		unit[i] = 1
	}
	point := func() {
		for i := range x {
			x[i] = unit[i] * (2*r.Float64() - 1)
		}
	}
	d := len(at)
	rows := d + 4
	g, scale := mat.NewDense(rows, d, nil), make([]float64, d)
	var s mat.SVD
	var v mat.Dense
	// The second time coordinates of large gradients are small, as they are in the posterior: else the
	// intercept and the slope of a column of 1e6 + 0, 1, 2 cannot be told apart.
	for range 2 {
		for i := range rows {
			point()
			if !finite(lp(x, grad)) {
				return nil
			}
			for j, k := range at {
				if !finite(grad[k]) {
					return nil
				}
				g.Set(i, j, grad[k])
			}
		}
		least := math.Inf(1)
		for j := range scale { // gradients then have columns of length 1
			if scale[j] = mat.Norm(g.ColView(j), 2); scale[j] == 0 {
				scale[j] = 1
			}
			least = min(least, scale[j])
			for i := range rows {
				g.Set(i, j, g.At(i, j)/scale[j])
			}
		}
		if !s.Factorize(g, mat.SVDFullV) {
			return nil
		}
		if values := s.Values(nil); !(values[d-1] <= 1e-13*values[0]) {
			return nil
		}
		s.VTo(&v)
		for j, k := range at {
			unit[k] = least / scale[j]
		}
	}
	step, longest := make([]float64, d), 0.0
	for j := range step {
		step[j] = v.At(j, d-1) / scale[j]
		longest = max(longest, math.Abs(step[j]))
	}
	for _, length := range []float64{1, 1e3, 1e6} {
		point()
		before := lp(x, grad)
		for j, k := range at {
			x[k] += length * step[j] / longest
		}
		after := lp(x, grad)
		rounding := 0.0 // what the digits that coordinates of this size lack do to the log density
		for _, k := range at {
			rounding += 1e-16 * math.Abs(grad[k]*x[k])
		}
		if !(math.Abs(after-before) <= 1e-8*(1+math.Abs(before))+1e3*rounding) {
			return nil
		}
	}
	var line []int
	for j := range d {
		if math.Abs(v.At(j, d-1)) > 1e-6 {
			line = append(line, j)
		}
	}
	return line
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
