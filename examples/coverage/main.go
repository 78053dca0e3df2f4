// Coverage measures how honest the bands are: over many data sets of known laws, the share of
// points at which the 80% band of each point covers the true embedding of P and the true witness.
// Theta and tau2 are learned from each data set, and the truth is taken at the theta learned.
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
	f := flag.NewFlagSet("coverage", flag.ContinueOnError)
	f.SetOutput(stderr)
	s.Define(f)
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if f.NArg() > 0 || s.Sets < 0 {
		fmt.Fprintln(stderr, "coverage: want -sets not negative, and no other arguments")
		return 2
	}
	if err := measureAll(ctx, s, stdout); err != nil {
		fmt.Fprintf(stderr, "coverage: %v\n", err)
		return 1
	}
	return 0
}
