// Distributions measures machines on samples: how well support measure machines tell distributions
// apart beside machines on the means of the samples, and how near distances between shrunk mean
// embeddings come to those of the distributions. All data are synthetic.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s report.Study
	var part, picture string
	f := flag.NewFlagSet("distributions", flag.ContinueOnError)
	f.SetOutput(stderr)
	s.Define(f)
	f.StringVar(&part, "part", "classes", "what to measure: classes, or distances")
	f.StringVar(&picture, "figure", "", "PNG file to draw the errors of the classifiers in")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	measure, ok := map[string]func(context.Context, report.Study, io.Writer) error{
		"classes": func(ctx context.Context, s report.Study, out io.Writer) error {
			return classes(ctx, s, picture, out)
		}, "distances": distances}[part]
	if f.NArg() > 0 || s.Sets < 0 || !ok {
		fmt.Fprintln(stderr, "distributions: want -part classes or distances, -sets not negative, and no "+
			"other arguments")
		return 2
	}
	if err := measure(ctx, s, stdout); err != nil {
		fmt.Fprintf(stderr, "distributions: %v\n", err)
		return 1
	}
	return 0
}
