package bke_test

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/bke"
	"bayeskernel/bke/target"
	"bayeskernel/hmc"
	"bayeskernel/nuts"

	"gonum.org/v1/gonum/mat"
)

// The lengthscale of 200 points spread like a normal sample, with ten pseudo-inputs among them.
func ExampleModel() {
	x, z := mat.NewDense(200, 1, nil), mat.NewDense(10, 1, nil)
	for i := range 200 {
		x.Set(i, 0, math.Sqrt2*math.Erfinv((2*float64(i)+1)/200-1))
	}
	for l := range 10 {
		z.Set(l, 0, math.Sqrt2*math.Erfinv((2*float64(l)+1)/10-1))
	}
	model, err := bke.NewModel(x, z, bke.Options{Path: "portable"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("weight %.2f of the Gaussian part\n", model.Weight())

	// One point in the space of the hyperparameters.
	e := model.Evaluator()
	p := bke.Params{Theta: []float64{0.3}, Tau2: 0.1}
	gaussian, jacobian := e.Value(p)
	grad := make([]float64, 2)
	value := e.Gradient(grad, p)
	fmt.Printf("%.2f x %.2f + %.2f = %.2f\n", model.Weight(), gaussian, jacobian, value)
	fmt.Printf("derivatives in log %v: %.2f\n", model.Free(), grad)

	// The posterior of theta and tau2.
	run, err := nuts.Sample(context.Background(), target.New(model, bke.Priors{}), nuts.Config{
		Settings: hmc.Settings{Seed: 1, Path: model.Path()},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	theta, _ := run.Draws("theta")
	mean := 0.0
	for _, chain := range theta {
		for _, v := range chain {
			mean += v / 4000
		}
	}
	fmt.Printf("posterior mean of theta %.1f\n", mean)
	// Output:
	// weight 0.09 of the Gaussian part
	// 0.09 x -569.95 + 183.81 = 132.51
	// derivatives in log [theta tau2]: [-97.27 0.72]
	// posterior mean of theta 0.2
}
