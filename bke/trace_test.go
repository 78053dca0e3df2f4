package bke

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The trace that a search over tau2 needs is that of the gradient to the last bit, in double precision and in 32
// digits.
func TestTraceAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 1))
	x, z := mat.NewDense(200, 2, nil), mat.NewDense(30, 2, nil)
	for _, of := range []*mat.Dense{x, z} {
		n, _ := of.Dims()
		for i := range n {
			of.SetRow(i, []float64{r.NormFloat64(), float64(r.IntN(2))})
		}
	}
	e := newModel(t, x, z, Options{}).Evaluator()
	long := map[bool]int{}
	for _, theta := range []float64{0.2, 1, 5} {
		for _, tau2 := range []float64{1e-12, 1e-6, 1e-2, 10} {
			p := Params{Theta: []float64{theta}, Tau2: tau2}
			e.Value(p)
			alone := e.cov.trace()
			e.cov.traces(&e.tr)
			if alone != e.tr.trace {
				t.Errorf("theta %v, tau2 %v: the trace is %v alone and %v with the rest", theta, tau2, alone, e.tr.trace)
			}
			long[e.cov.long]++
		}
	}
	if long[true] < 3 || long[false] < 3 {
		t.Errorf("32 digits were used %d times and double precision %d, want both", long[true], long[false])
	}
}
