package bke_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
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

// From two slices of numbers to where their distributions differ. The band is drawn from
// band.Lower and band.Upper over band.Points, with posterior.Mean between them.
func ExampleNewWitness() {
	r := rand.New(rand.NewPCG(1, 1))
	var x, y []float64 // normal, and two bumps of the same mean and variance
	for range 400 {
		x = append(x, r.NormFloat64())
		y = append(y, 0.9*float64(2*r.IntN(2)-1)+0.436*r.NormFloat64())
	}

	p, q := mat.NewDense(len(x), 1, x), mat.NewDense(len(y), 1, y)
	var pooled mat.Dense
	pooled.Stack(p, q)
	inputs := must(inputs.Choose(context.Background(), &pooled, inputs.Options{}))
	model := must(bke.NewModel(&pooled, inputs.Z, bke.Options{}))
	run := must(nuts.Sample(context.Background(), target.New(model, bke.Priors{}),
		nuts.Config{Settings: hmc.Settings{Warmup: 300, Draws: 200}}))
	witness := must(bke.NewWitness(model, p, q, must(target.Draws(model, run)), bke.WitnessOptions{}))
	posterior := must(witness.At(bke.Grid(200, p, q)))
	band := must(posterior.Band(0.8))

	for _, i := range band.Intervals() {
		if i.To-i.From > 0.3 {
			fmt.Printf("around %d the sign is %+d\n", int(math.Round((i.From+i.To)/2)), i.Sign)
		}
	}
	// Output:
	// around -1 the sign is -1
	// around 0 the sign is +1
	// around 1 the sign is -1
}
