// Bayes measures the Bayes factor of two samples (package bayesfactor): what it says where they
// have one law, by the number of rows and with its floor; its power; what a pairing of independent
// samples and what pairs that are ignored do to it; and what the defects of the published program
// do to its answer. Results go to a file of one JSON line per data set, from which a later run goes
// on.
//
//	go run ./examples/bayes -data examples/bayes/study.jsonl -plot examples/bayes/null.png
package main

import (
	"context"
	"flag"
	"io"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	plot := ""
	return report.RunStudy(ctx, "bayes", args, stdout, stderr, func(f *flag.FlagSet) {
		f.StringVar(&plot, "plot", "", "picture to draw of the samples of one law (PNG)")
	}, func(ctx context.Context, s report.Study, out io.Writer) error {
		return measureAll(ctx, s, plot, out)
	})
}
