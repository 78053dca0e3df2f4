// Shrinkage measures estimators of mean embeddings: their risk on random mixtures of normal
// distributions, where the true embedding is known, and the errors of kernel PCA with them on
// tables of data.
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
	return report.RunStudy(ctx, "shrinkage", args, stdout, stderr, func(f *flag.FlagSet) {
		report.Part(f, &part, "risk", "pca")
		f.StringVar(&picture, "figure", "", "PNG file to draw the risks in")
	}, func(ctx context.Context, s report.Study, out io.Writer) error {
		if part == "pca" {
			return principal(ctx, s, out)
		}
		return risk(ctx, s, picture, out)
	})
}
