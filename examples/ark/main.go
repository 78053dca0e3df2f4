// Ark fits an autoregression of order 5. Neighbouring values of the series are alike, so that the
// coefficients are strongly correlated: a dense metric, the default, takes a fifth of the gradients
// that a diagonal one takes.
package main

import (
	"context"
	"errors"
	"io"

	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/models"
	"bayeskernel/nuts"
)

func main() { report.Main("ark", fit) }

func fit(ctx context.Context, cfg nuts.Config, out io.Writer) error {
	p, err := models.ARK()
	if err != nil {
		return err
	}
	run, err := nuts.Sample(ctx, p.Factory, cfg)
	if run != nil { // whole, or what there was when it was stopped
		err = errors.Join(err, report.Print(out, run, p.Reference))
	}
	return err
}
