// Fit measures package stein: goodness of fit on ten data sets of R, its levels for fitted regressions, what is said of runs
// of a sampler, and how few draws stand for a bad run. README.md has the tables.
//
//	go run ./examples/fit -part data    ten data sets, an obvious model and an adequate one of each
//	go run ./examples/fit -part levels  data that a fitted regression has made: how often it is said not to fit
//	go run ./examples/fit -part runs    40 runs, 20 of them with a fault
//	go run ./examples/fit -part starts  50 draws of runs whose far starts were kept
//	go run ./examples/fit -part chains  levels of the check of a run for chains that remember
package main

import (
	"context"
	"flag"
	"io"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var part, figures string
	parts := map[string]func(context.Context, report.Study, io.Writer) error{"levels": levels, "runs": inspected, "starts": starts,
		"chains": chains, "data": func(ctx context.Context, s report.Study, out io.Writer) error { return tables(ctx, s, figures, out) }}
	return report.RunStudy(ctx, "fit", args, stdout, stderr, func(f *flag.FlagSet) {
		report.Part(f, &part, "data", "levels", "runs", "starts", "chains")
		f.StringVar(&figures, "figures", "", "with -part data: the `folder` for pictures")
	}, func(ctx context.Context, s report.Study, out io.Writer) error { return parts[part](ctx, s, out) })
}
