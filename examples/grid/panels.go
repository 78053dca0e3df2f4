package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/embedding"
	"bayeskernel/internal/figure"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/power"

	"gonum.org/v1/gonum/mat"
)

// samples are one data set at epsilon = 2.
type samples struct {
	p, q, all *mat.Dense
	seed      uint64
}

func newSamples(seed uint64) (*samples, error) {
	problem, err := power.ParseProblems("grid:eps=2")
	if err != nil {
		return nil, err
	}
	s := &samples{all: new(mat.Dense), seed: seed}
	s.p, s.q = problem[0].Draw(rand.New(rand.NewPCG(seed, 2)))
	s.all.Stack(s.p, s.q)
	return s, nil
}

// clouds are panels A and B.
func (s *samples) clouds() (p, q figure.Scatter) {
	cloud := func(name string, x *mat.Dense, hue int) figure.Scatter {
		n, _ := x.Dims()
		points := make([][2]float64, n)
		for i := range n {
			points[i] = [2]float64(x.RawRowView(i))
		}
		r := [2]float64{-4, 24}
		return figure.Scatter{Title: "Sample of " + name, Hue: hue, XRange: r, YRange: r,
			Samples: []figure.Cloud{{Name: name, Points: points}}, XLabel: "x₁", YLabel: "x₂"}
	}
	return cloud("P", s.p, 0), cloud("Q, ε = 2", s.q, 1)
}

// fit learns the lengthscale with 90 pseudo-inputs.
func (s *samples) fit(ctx context.Context, kind inputs.Kind, o bke.Options, priors *bke.Priors) (
	*bke.Model, *bke.Fit, error) {
	in, err := inputs.Choose(context.Background(), s.all, inputs.Options{Kind: kind, Number: 90, Seed: s.seed})
	if err != nil {
		return nil, nil, err
	}
	model, err := bke.NewModel(in.Likelihood(s.all), in.Z, o)
	if err != nil {
		return nil, nil, err
	}
	fit, err := model.Learn(ctx, bke.LearnOptions{Priors: priors})
	return model, fit, err
}

// profile is panel D: the objective of the paper, eq. (15) with tau2 = 1.
func (s *samples) profile(ctx context.Context) (figure.Profile, error) {
	f := figure.Profile{Title: "Log pseudolikelihood, weight 1, τ² = 1"}
	model, fit, err := s.fit(ctx, inputs.HeldOut, bke.Options{Weight: 1, Tau2: 1}, nil)
	if err != nil {
		return f, err
	}
	const from, to, steps = 0.3, 100, 150
	for i := range steps + 1 {
		f.Theta = append(f.Theta, from*math.Pow(to/from, float64(i)/steps))
	}
	curve, err := model.Profile(ctx, f.Theta)
	if err != nil {
		return f, err
	}
	f.LogLik = curve.LogLik
	for _, m := range fit.Modes {
		if theta := m.Params.Theta[0]; theta > from && theta < to {
			f.Modes = append(f.Modes, figure.Mark{X: theta, Y: m.LogLik,
				Label: fmt.Sprintf("%.3g", theta)})
		}
	}
	medians, err := kernels.MedianDistance(s.all, s.seed)
	if err != nil {
		return f, err
	}
	for c, name := range []string{"median/√2", "median", "√2 median"} {
		f.Medians = append(f.Medians, figure.Mark{X: medians.Lengthscale(kernels.Convention(c)),
			Label: name})
	}
	return f, nil
}

// witness is panel E: the posterior at the default's best hyperparameters.
func (s *samples) witness(ctx context.Context) (figure.Surface, error) {
	f := figure.Surface{Level: 0.8, XLabel: "x₁", YLabel: "x₂"}
	model, fit, err := s.fit(ctx, inputs.KMeans, bke.Options{}, &bke.Priors{})
	if err != nil {
		return f, err
	}
	best := fit.Modes[0].Params
	f.Title = fmt.Sprintf("Witness of P less Q, θ = %.2f", best.Theta[0])
	w, err := embedding.NewWitness(model, embedding.Sample{X: s.p}, embedding.Sample{X: s.q},
		[]bke.Params{best}, embedding.Options{})
	if err != nil {
		return f, err
	}
	const count = 113
	grid := mat.NewDense(count*count, 2, nil)
	for i := range count {
		f.X = append(f.X, -4+28*float64(i)/(count-1))
	}
	f.Y = f.X
	for i := range count {
		for j := range count {
			grid.SetRow(i*count+j, []float64{f.X[i], f.Y[j]})
		}
	}
	post, err := w.At(ctx, grid)
	if err != nil {
		return f, err
	}
	band, err := post.Band(f.Level)
	if err != nil {
		return f, err
	}
	f.Mean, f.Lower, f.Upper = post.Mean, band.Lower, band.Upper
	return f, nil
}
