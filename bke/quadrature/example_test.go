package quadrature_test

import (
	"context"
	"fmt"

	"bayeskernel/bke"
	"bayeskernel/bke/quadrature"

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

// The posterior odds of two conventions for nu, as likely as each other before.
func ExampleIntegrate() {
	var log [2]float64
	for i, nu := range []bke.Nu{bke.Unit, bke.Lebesgue} {
		q, err := quadrature.Integrate(context.Background(), exampleModel(bke.Options{Nu: nu}), bke.Priors{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: theta %.3f +- %.3f, 90%% between %.3f and %.3f\n",
			nu, q.Mean[0], q.SD[0], q.Quantile(0, 0.05), q.Quantile(0, 0.95))
		log[i] = q.LogMarginal
	}
	fmt.Printf("log odds %.3f\n", log[0]-log[1])
	// Output:
	// unit: theta 0.227 +- 0.057, 90% between 0.162 and 0.334
	// lebesgue: theta 0.222 +- 0.053, 90% between 0.160 and 0.323
	// log odds -0.408
}
