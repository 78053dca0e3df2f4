// Coverage measures how honest the bands are: over many data sets of known laws, the share of
// points at which the 80% band of each point covers the true embedding of P and the true witness.
// Theta and tau2 are learned from each data set, and the truth is taken at the theta learned.
package main

import (
	"context"
	"io"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return report.RunStudy(ctx, "coverage", args, stdout, stderr, nil, measureAll)
}
