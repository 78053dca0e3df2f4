// Discovery measures what package causal makes of random graphs that are known, and what its test of
// conditional independence makes of several columns that are given.
package main

import (
	"context"
	"flag"
	"io"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	part, before := "", false
	return report.RunStudy(ctx, "discovery", args, stdout, stderr, func(f *flag.FlagSet) {
		report.Part(f, &part, "graphs", "levels", "headlines", "lingam", "effects", "hidden")
		f.BoolVar(&before, "before", false, "with -part levels: measure the test with one lengthscale too")
	}, func(ctx context.Context, s report.Study, out io.Writer) error {
		switch part {
		case "levels":
			return levels(ctx, s, before, out)
		case "headlines":
			return headlines(ctx, s, out)
		case "lingam":
			return lingam(ctx, s, out)
		case "effects":
			return effects(ctx, s, out)
		case "hidden":
			return hiddenCauses(ctx, s, out)
		}
		return graphs(ctx, s, out)
	})
}
