// Studentt measures the kernel Student-t: on points of a parabola, where the density is also known
// in the space of features, and on handwritten digits, where it finds wrong labels and fills in
// missing ones, and on synthetic images, where relative novelty finds what is new in one of two.
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
	return report.RunStudy(ctx, "studentt", args, stdout, stderr, func(f *flag.FlagSet) {
		report.Part(f, &part, "toy", "fantasy", "digits", "relative", "tails")
		f.StringVar(&picture, "figure", "", "PNG file to draw the toy and fantasy data in, "+
			"or with -part relative the images")
	}, func(ctx context.Context, s report.Study, out io.Writer) error {
		measure := map[string]func(context.Context, report.Study, io.Writer) error{"toy": toy,
			"fantasy": clusters, "digits": digits, "relative": relative, "tails": tails}[part]
		if err := measure(ctx, s, out); err != nil || picture == "" {
			return err
		}
		if part == "relative" {
			return drawRelative(ctx, picture, s.Seed)
		}
		return drawToy(ctx, picture, s.Seed)
	})
}
