package target_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"bayeskernel/bke"
	"bayeskernel/bke/quadrature"
	"bayeskernel/bke/target"
	"bayeskernel/hmc"
	"bayeskernel/nuts"

	"gonum.org/v1/gonum/mat"
)

// must ends the program on an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// normalScores are the quantiles of the standard normal distribution at (i+1/2)/n.
func normalScores(n int) *mat.Dense {
	out := mat.NewDense(n, 1, nil)
	for i := range n {
		out.Set(i, 0, math.Sqrt2*math.Erfinv((2*float64(i)+1)/float64(n)-1))
	}
	return out
}

// The posterior of the lengthscale of 200 points spread like a normal sample, by NUTS and by
// quadrature. The chains start in the modes.
func Example() {
	ctx := context.Background()
	m := must(bke.NewModel(normalScores(200), normalScores(10), bke.Options{Path: "portable"}))
	p := bke.Priors{} // gamma(1,1)

	fit := must(m.Learn(ctx, bke.LearnOptions{Priors: &p}))
	settings := hmc.Settings{Chains: 4, Seed: 1}
	settings.Start.Points = must(target.Starts(m, p, fit, settings.Chains))
	run := must(nuts.Sample(ctx, target.New(m, p), nuts.Config{Settings: settings}))

	mean := 0.0
	params := must(target.Draws(m, run))
	for _, q := range params {
		mean += q.Theta[0] / float64(len(params))
	}
	exact := must(quadrature.Integrate(ctx, m, p))
	fmt.Printf("%d draws of %v\n", len(params), m.Free())
	fmt.Printf("posterior mean of theta %.2f, by quadrature %.2f\n", mean, exact.Mean[0])
	// Output:
	// 4000 draws of [theta tau2]
	// posterior mean of theta 0.18, by quadrature 0.18
}
