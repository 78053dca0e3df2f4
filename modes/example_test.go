package modes_test

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/hmc"
	"bayeskernel/modes"
)

// bumps has a third of its mass at -5 and two thirds at 5.
type bumps struct{}

func (bumps) Dim() int { return 1 }

func (bumps) LogDensity(x, grad []float64) float64 {
	a, b := math.Exp(-(x[0]+5)*(x[0]+5)/2), 2*math.Exp(-(x[0]-5)*(x[0]-5)/2)
	grad[0] = (-(x[0]+5)*a - (x[0]-5)*b) / (a + b)
	return math.Log(a + b)
}

// Searches from 16 starting points find both modes. Their masses are Laplace's approximation.
func Example() {
	found, err := modes.Find(context.Background(), hmc.Shared(bumps{}), modes.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range found.Modes {
		fmt.Printf("mode at %.1f, relative mass %.1f\n", m.X[0], math.Exp(m.LogMass-found.Modes[1].LogMass))
	}
	// Output:
	// mode at 5.0, relative mass 2.0
	// mode at -5.0, relative mass 1.0
}
