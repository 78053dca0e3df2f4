// Verdict measures how far the verdict on two samples can be trusted: over many data sets of known
// laws, the share that is called different, and whether the places that are named are right. A
// place is right if the true witness, at the lengthscale of the one that was drawn, has the sign
// that was claimed.
package main

import (
	"context"
	"io"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return report.RunStudy(ctx, "verdict", args, stdout, stderr, nil, measureAll)
}
