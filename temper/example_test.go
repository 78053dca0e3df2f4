package temper_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/diagnostics"
	"bayeskernel/hmc"
	"bayeskernel/temper"
)

// twoBumps is 0.3 N(-5, 1) + 0.7 N(5, 1), without its constant 1/sqrt(2 pi).
type twoBumps struct{}

func (twoBumps) Dim() int { return 1 }

func (twoBumps) LogDensity(x, grad []float64) float64 {
	a := math.Log(0.3) - (x[0]+5)*(x[0]+5)/2
	b := math.Log(0.7) - (x[0]-5)*(x[0]-5)/2
	top := max(a, b)
	ea, eb := math.Exp(a-top), math.Exp(b-top)
	grad[0] = (-(x[0]+5)*ea - (x[0]-5)*eb) / (ea + eb)
	return top + math.Log(ea+eb)
}

func Example() {
	wide := func() (temper.Reference, error) { // N(0, 10^2)
		return temper.NewStudentT(0, []float64{0}, mat.NewDiagDense(1, []float64{100}))
	}
	run, report, err := temper.Sample(context.Background(), hmc.Shared(twoBumps{}),
		temper.Config{Settings: hmc.Settings{Seed: 1, Chains: 8}, Reference: wide})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, _ := run.Draws("x[0]")
	fmt.Printf("mean %.0f, expected 2; the chains agree: %v\n", diagnostics.Mean(x),
		diagnostics.RHat(x) < 1.02)
	fmt.Printf("log Z %.1f, expected %.1f\n", report.LogZ, math.Log(2*math.Pi)/2)
	fmt.Printf("%d rungs\n", len(report.Betas))
	// Output:
	// mean 2, expected 2; the chains agree: true
	// log Z 0.9, expected 0.9
	// 4 rungs
}
