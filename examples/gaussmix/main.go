// Gaussmix fits a mixture of two normal distributions. About one chain in a hundred, started at
// random, is caught in a mode that holds next to nothing of the posterior, and R-hat is then far
// above 1: other seeds show it sooner or later.
package main

import (
	"context"
	"errors"
	"io"

	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/models"
	"bayeskernel/nuts"
)

func main() { report.Main("gaussmix", fit) }

func fit(ctx context.Context, cfg nuts.Config, out io.Writer) error {
	p, err := models.GaussMix()
	if err != nil {
		return err
	}
	run, err := nuts.Sample(ctx, p.Factory, cfg)
	if run != nil { // whole, or what there was when it was stopped
		err = errors.Join(err, report.Print(out, run, p.Reference))
	}
	return err
}
