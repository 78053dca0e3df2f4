package target_test

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/gp"
	"bayeskernel/gp/target"
	"bayeskernel/nuts"

	"gonum.org/v1/gonum/mat"
)

// The hyperparameters of a regression are sampled, from starts at the maxima of the likelihood.
func Example() {
	const n = 30
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range y {
		x.Set(i, 0, float64(i)/3)
		y[i] = math.Sin(float64(i)/3) + .1*math.Cos(40*float64(i))
	}
	ctx := context.Background()
	m, err := gp.New(x, y, gp.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fit, err := m.Learn(ctx, gp.LearnOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var cfg nuts.Config
	cfg.Seed, cfg.Warmup, cfg.Draws, cfg.Chains = 1, 200, 200, 2
	if cfg.Start.Points, err = target.Starts(m, target.Priors{}, fit, cfg.Chains); err != nil {
		fmt.Println(err)
		return
	}
	run, err := nuts.Sample(ctx, target.New(m, target.Priors{}), cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	draws, err := target.Draws(m, run)
	if err != nil {
		fmt.Println(err)
		return
	}
	noise := 0.0
	for _, p := range draws {
		noise += p.Noise / float64(len(draws))
	}
	fmt.Println(run.Names)
	fmt.Printf("noise: %.1f\n", noise)
	// Output:
	// [signal noise theta]
	// noise: 0.1
}
