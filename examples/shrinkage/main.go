// Shrinkage measures estimators of mean embeddings: their risk on random mixtures of normal
// distributions, where the true embedding is known, and the errors of kernel PCA with them on
// tables of data.
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
	f := flag.NewFlagSet("shrinkage", flag.ContinueOnError)
	f.SetOutput(stderr)
	s.Define(f)
	f.StringVar(&part, "part", "risk", "what to measure: risk, or pca")
	f.StringVar(&picture, "figure", "", "PNG file to draw the risks in")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	measure, ok := map[string]func(context.Context, report.Study, io.Writer) error{
		"risk": func(ctx context.Context, s report.Study, out io.Writer) error {
			return risk(ctx, s, picture, out)
		}, "pca": principal}[part]
	if f.NArg() > 0 || s.Sets < 0 || !ok {
		fmt.Fprintln(stderr, "shrinkage: want -part risk or pca, -sets not negative, and no other "+
			"arguments")
		return 2
	}
	if err := measure(ctx, s, stdout); err != nil {
		fmt.Fprintf(stderr, "shrinkage: %v\n", err)
		return 1
	}
	return 0
}
