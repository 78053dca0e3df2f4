// Magnitude measures how often the intervals of package magnitude cover the truth: over many data
// sets of known laws, for two independent samples, for pairs, and for the dependence of two variables.
package main

import (
	"context"
	"io"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return report.RunStudy(ctx, "magnitude", args, stdout, stderr, nil, measureAll)
}
