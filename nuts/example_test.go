package nuts_test

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/diagnostics"
	"bayeskernel/nuts"
)

// ellipse is a normal density in two dimensions with standard deviations 1 and 10.
type ellipse struct{}

func (ellipse) Dim() int { return 2 }

func (ellipse) LogDensity(x, grad []float64) float64 {
	grad[0], grad[1] = -x[0], -x[1]/100
	return -(x[0]*x[0] + x[1]*x[1]/100) / 2
}

func Example() {
	run, err := nuts.Sample(context.Background(), nuts.Shared(ellipse{}),
		nuts.Config{Settings: nuts.Settings{Seed: 1, Draws: 4000}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range run.Names {
		x, _ := run.Draws(name)
		fmt.Printf("%s: |mean| %.0f, sd %.0f, R-hat %.2f, enough draws %v\n", name,
			math.Abs(diagnostics.Mean(x)), diagnostics.SD(x), diagnostics.RHat(x),
			diagnostics.ESSBulk(x) > 4000)
	}
	// Output:
	// x[0]: |mean| 0, sd 1, R-hat 1.00, enough draws true
	// x[1]: |mean| 0, sd 10, R-hat 1.00, enough draws true
}
