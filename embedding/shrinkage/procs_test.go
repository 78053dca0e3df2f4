package shrinkage

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"
)

// The number of processors changes no bit.
func TestSameBytes(t *testing.T) {
	x := fixture.Normals(1, 300, 2, 0)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, theta := range []float64{0.1, 2} { // of full rank, and of low
		var first []float64
		for _, procs := range []int{1, 4} {
			runtime.GOMAXPROCS(procs)
			p, err := NewRows(context.Background(), kernels.SquaredExponential(theta), x, 0)
			if err != nil {
				t.Fatal(err)
			}
			e := p.ShrinkSpectral(TrueLeaveOneOut)
			got := append(e.Weights, e.Lambda, e.Score)
			if first == nil {
				first = got
			} else if !slices.Equal(first, got) {
				t.Errorf("theta %v: results differ", theta)
			}
		}
	}
}
