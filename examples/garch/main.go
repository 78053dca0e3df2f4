// Garch fits a GARCH(1,1) model, whose target is written by hand because the range of one parameter
// depends on another.
package main

import (
	"context"
	"errors"
	"io"

	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/models"
	"bayeskernel/nuts"
)

func main() { report.Main("garch", fit) }

func fit(ctx context.Context, cfg nuts.Config, out io.Writer) error {
	p, err := models.GARCH()
	if err != nil {
		return err
	}
	run, err := nuts.Sample(ctx, p.Factory, cfg)
	if run != nil { // whole, or what there was when it was stopped
		err = errors.Join(err, report.Print(out, run, p.Reference))
	}
	return err
}
