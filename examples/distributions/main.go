// Distributions measures machines on samples: how well support measure machines tell distributions
// apart beside machines on the means of the samples, and how near distances between shrunk mean
// embeddings come to those of the distributions. All data are synthetic.
package main

import (
	"context"
	"flag"
	"io"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var part, picture string
	return report.RunStudy(ctx, "distributions", args, stdout, stderr, func(f *flag.FlagSet) {
		report.Part(f, &part, "classes", "distances")
		f.StringVar(&picture, "figure", "", "PNG file to draw the errors of the classifiers in")
	}, func(ctx context.Context, s report.Study, out io.Writer) error {
		if part == "distances" {
			return distances(ctx, s, out)
		}
		return classes(ctx, s, picture, out)
	})
}
