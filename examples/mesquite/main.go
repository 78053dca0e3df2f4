// Mesquite fits a linear regression with flat priors.
package main

import (
	"context"
	"errors"
	"io"

	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/models"
	"bayeskernel/nuts"
)

func main() { report.Main("mesquite", fit) }

func fit(ctx context.Context, cfg nuts.Config, out io.Writer) error {
	p, err := models.LogMesquite()
	if err != nil {
		return err
	}
	run, err := nuts.Sample(ctx, p.Factory, cfg)
	if run != nil { // whole, or what there was when it was stopped
		err = errors.Join(err, report.Print(out, run, p.Reference))
	}
	return err
}
