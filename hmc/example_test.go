package hmc_test

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/diagnostics"
	"bayeskernel/hmc"
)

// logistic is the standard logistic density.
type logistic struct{}

func (logistic) Dim() int { return 1 }

func (logistic) LogDensity(x, grad []float64) float64 {
	e := math.Exp(-math.Abs(x[0]))
	grad[0] = -math.Copysign((1-e)/(1+e), x[0])
	return -math.Abs(x[0]) - 2*math.Log1p(e)
}

// Static HMC on a logistic density, whose standard deviation is pi/sqrt(3) = 1.81.
func Example() {
	run, err := hmc.Sample(context.Background(), hmc.Shared(logistic{}),
		hmc.Config{Settings: hmc.Settings{Seed: 1, Draws: 10000}})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, _ := run.Draws("x[0]")
	fmt.Printf("sd %.1f, divergences %d\n", diagnostics.SD(x), len(run.Chains[0].Divergences))
	// Output: sd 1.8, divergences 0
}

// cubed claims a gradient that is not its own.
type cubed struct{}

func (cubed) Dim() int { return 1 }

func (cubed) LogDensity(x, grad []float64) float64 {
	grad[0] = -3 * x[0] * x[0]
	return -x[0] * x[0] * x[0] * x[0]
}

func ExampleCheckGradient() {
	fmt.Println(hmc.CheckGradient(cubed{}, []float64{1}))
	// Output:
	// hmc: gradient is wrong in component 0 at (1): the target says -3, differences of its log density say -4 (within 0.0004)
}
