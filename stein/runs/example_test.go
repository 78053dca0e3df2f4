package runs_test

import (
	"context"
	"fmt"

	"bayeskernel/hmc"
	"bayeskernel/nuts"
	"bayeskernel/stein/runs"
)

// normal is the standard normal density in two dimensions, sampled as it is.
type normal struct{}

func (normal) Dim() int { return 2 }

func (normal) LogDensity(x, grad []float64) float64 {
	grad[0], grad[1] = -x[0], -x[1]
	return -(x[0]*x[0] + x[1]*x[1]) / 2
}

func (normal) Unconstrain(values []float64) ([]float64, error) { return values, nil }

func ExampleInspect() {
	run, err := nuts.Sample(context.Background(), hmc.Shared(normal{}), nuts.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	points, err := runs.Read(context.Background(), run, normal{}, nil, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := runs.Inspect(points, runs.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("suspect:", found.Suspect())
	few, err := runs.Compress(points, 50, found.Suspect())
	fmt.Println(len(few), "draws stand for the run", err)
	// Output:
	// suspect: false
	// 50 draws stand for the run <nil>
}
