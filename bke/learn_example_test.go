package bke_test

import (
	"context"
	"fmt"

	"bayeskernel/bke"

	"gonum.org/v1/gonum/mat"
)

func exampleModel(o bke.Options) *bke.Model {
	x := mat.NewDense(12, 1, []float64{-1.9, -1.1, -0.8, -0.5, -0.3, 0, 0.1, 0.4, 0.7, 0.9, 1.4, 2.2})
	z := mat.NewDense(5, 1, []float64{-1.5, -0.6, 0.05, 0.6, 1.7})
	m, err := bke.NewModel(x, z, o)
	if err != nil {
		panic(err)
	}
	return m
}

func ExampleModel_Learn() {
	fit, err := exampleModel(bke.Options{}).Learn(context.Background(), bke.LearnOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, mode := range fit.Modes {
		fmt.Printf("theta %.2f, tau2 %.3f: log pseudolikelihood %.2f\n",
			mode.Params.Theta[0], mode.Params.Tau2, mode.LogLik)
	}
	fmt.Println(len(fit.Warnings), "warnings")
	// Output:
	// theta 0.19, tau2 0.062: log pseudolikelihood 5.07
	// 0 warnings
}
