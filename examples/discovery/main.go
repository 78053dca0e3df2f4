// Discovery measures what package causal makes of random graphs that are known: how far learned graphs
// are from the true class, by rule for the colliders.
package main

import (
	"context"
	"flag"
	"io"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return report.RunStudy(ctx, "discovery", args, stdout, stderr, func(*flag.FlagSet) {}, graphs)
}
