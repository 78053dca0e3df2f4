// Kidscore fits a linear regression with an interaction to covariates that are neither centred nor
// scaled: the hardest geometry for a diagonal metric, and an easy one for a dense metric.
package main

import (
	"context"
	"errors"
	"io"

	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/models"
	"bayeskernel/nuts"
)

func main() { report.Main("kidscore", fit) }

func fit(ctx context.Context, cfg nuts.Config, out io.Writer) error {
	p, err := models.KidScore()
	if err != nil {
		return err
	}
	run, err := nuts.Sample(ctx, p.Factory, cfg)
	if run != nil { // whole, or what there was when it was stopped
		err = errors.Join(err, report.Print(out, run, p.Reference))
	}
	return err
}
