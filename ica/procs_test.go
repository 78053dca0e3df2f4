package ica

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"bayeskernel/internal/fixture"

	"gonum.org/v1/gonum/mat"
)

// The number of processors changes no bit.
func TestSameBytes(t *testing.T) {
	x := sources(rand.New(rand.NewPCG(1, 2)), 700, 3)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first *mat.Dense
	for _, procs := range []int{1, 4} {
		runtime.GOMAXPROCS(procs)
		got := fixture.Get[*Result](t)(Find(t.Context(), x, Options{Starts: 2, Steps: 20})).Unmixing
		if first == nil {
			first = got
		} else if !mat.Equal(first, got) {
			t.Error("results differ")
		}
	}
}
