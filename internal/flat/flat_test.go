package flat

import (
	"math"
	"slices"
	"testing"
)

// Lines are found in any units and under any curvature along the others; what only looks like one is none.
func TestLine(t *testing.T) {
	quadratic := func(rows [][]float64) func(x, grad []float64) float64 { // minus half the squares of rows times x
		return func(x, grad []float64) float64 {
			clear(grad)
			sum := 0.0
			for _, row := range rows {
				z := 1.0
				for i, v := range row {
					z += v * x[i]
				}
				sum -= z * z / 2
				for i, v := range row {
					grad[i] -= z * v
				}
			}
			return sum
		}
	}
	tails := func(x, grad []float64) float64 { // of the difference of x[0] and x[2]: a Cauchy, and one of x[1]
		z := x[0] - x[2]
		d := -2 * z / (1 + z*z)
		grad[0], grad[1], grad[2] = d, -2*x[1]/(1+x[1]*x[1]), -d
		return -math.Log1p(z*z) - math.Log1p(x[1]*x[1])
	}
	edge := func(x, grad []float64) float64 { // flat up to 100, where it falls off
		grad[0] = -100 * max(0, math.Abs(x[0])-100) * math.Copysign(1, x[0])
		return -50 * max(0, math.Abs(x[0])-100) * max(0, math.Abs(x[0])-100)
	}
	for name, c := range map[string]struct {
		lp   func(x, grad []float64) float64
		dim  int
		line []int
	}{
		"sum":          {quadratic([][]float64{{1, 1, 0}, {0, 0, 3}}), 3, []int{0, 1}},
		"units":        {quadratic([][]float64{{1e-9, 1e9, 0}, {0, 0, 3}}), 3, []int{0, 1}},
		"unused":       {quadratic([][]float64{{0, 1}, {0, 2}}), 2, []int{0}},
		"alone":        {quadratic([][]float64{{0}}), 1, []int{0}},
		"tails":        {tails, 3, []int{0, 2}},
		"proper":       {quadratic([][]float64{{1, 1}, {1, 1.001}}), 2, nil},
		"nearly equal": {quadratic([][]float64{{1, 1e6}, {1, 1e6 + 1}, {1, 1e6 + 2}}), 2, nil},
		"edge":         {edge, 1, nil},
		"no density":   {func(x, grad []float64) float64 { return math.Inf(-1) }, 1, nil},
	} {
		at := make([]int, c.dim)
		for i := range at {
			at[i] = i
		}
		if line := Line(c.lp, c.dim, at); !slices.Equal(line, c.line) {
			t.Errorf("%s: line in %v, want %v", name, line, c.line)
		}
	}
}
