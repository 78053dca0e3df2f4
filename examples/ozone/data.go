package main

import (
	"bytes"
	"context"
	_ "embed" // for the data

	"bayeskernel/frame"
	"bayeskernel/gp"

	"gonum.org/v1/gonum/mat"
)

//go:embed testdata/ozone.csv
var ozone []byte

// days reads the data, whose first column is the day.
func days() (names []string, rows *mat.Dense, err error) {
	t, err := frame.From(context.Background(), bytes.NewReader(ozone), "ozone.csv", frame.Options{Numbers: true})
	if err != nil {
		return nil, nil, err
	}
	return t.Names, t.Data, nil
}

// without is what a Gaussian process of the time leaves of a column: the likeliest one, or the
// smoothest that is a maximum of the likelihood.
func without(ctx context.Context, clock, values []float64, smooth bool) ([]float64, error) {
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	y := make([]float64, len(values))
	for i, v := range values {
		y[i] = v - mean
	}
	m, err := gp.New(mat.NewDense(len(clock), 1, clock), y, gp.Options{})
	if err != nil {
		return nil, err
	}
	fit, err := m.Learn(ctx, gp.LearnOptions{})
	if err != nil {
		return nil, err
	}
	at := fit.Maxima[0]
	for _, mode := range fit.Maxima {
		if smooth && !mode.AtBound && mode.Params.Theta[0] > at.Params.Theta[0] {
			at = mode
		}
	}
	r, err := m.At(at.Params)
	if err != nil {
		return nil, err
	}
	return r.Residuals(), nil
}
