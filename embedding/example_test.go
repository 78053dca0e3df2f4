package embedding_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"bayeskernel/bke"
	"bayeskernel/embedding"

	"gonum.org/v1/gonum/mat"
)

// must ends the program on an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// From two slices of numbers to where their distributions differ, at the best theta. For the
// posterior of theta in place of the best one, give NewWitness the draws of a run.
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
	fitted := must(bke.Learn(context.Background(), &pooled, bke.InputOptions{}, bke.Options{},
		bke.LearnOptions{Priors: &bke.Priors{}}))
	best := fitted.Fit.Modes[0].Params

	witness := must(embedding.NewWitness(fitted.Model, embedding.Sample{X: p},
		embedding.Sample{X: q}, []bke.Params{best}, embedding.Options{}))
	f := must(witness.Functions(context.Background(), embedding.Grid(200, p, q), 1000, 1))
	band := must(f.Band(0.95))

	fmt.Println("level up to which the band excludes 0:", f.Certainty())
	for _, i := range band.Intervals() {
		fmt.Printf("around %d the sign is %+d\n", int(math.Round((i.From+i.To)/2)), i.Sign)
	}
	// Output:
	// level up to which the band excludes 0: 1
	// around -1 the sign is -1
	// around 0 the sign is +1
	// around 1 the sign is -1
}

// The embedding of weighted rows, alone at each point and jointly.
func ExampleEmbedding() {
	x := mat.NewDense(6, 1, []float64{-1.2, -0.7, 0, 0.3, 0.9, 2})
	z := mat.NewDense(3, 1, []float64{-1, 0.1, 1})
	model := must(bke.NewModel(x, z, bke.Options{}))
	params := bke.Params{Theta: []float64{1}, Tau2: 0.08}

	sample := embedding.Sample{X: x, Weights: []float64{0.1, 0.1, 0.2, 0.2, 0.2, 0.2}}
	e := must(embedding.New(model, sample, params, embedding.Options{}))
	points := mat.NewDense(3, 1, []float64{-1, 0.5, 8})
	mean, sd, err := e.At(points)
	if err != nil {
		log.Fatal(err)
	}
	for j := range mean {
		fmt.Printf("mu(%g) = %.3f ± %.3f\n", points.At(j, 0), mean[j], sd[j])
	}
	// Output:
	// mu(-1) = 0.424 ± 0.169
	// mu(0.5) = 0.676 ± 0.164
	// mu(8) = 0.000 ± 0.126
}
