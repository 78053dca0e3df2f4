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
	"errors"
	"flag"
	"fmt"
	"io"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s report.Study
	var plot string
	f := flag.NewFlagSet("bayes", flag.ContinueOnError)
	f.SetOutput(stderr)
	s.Define(f)
	f.StringVar(&plot, "plot", "", "picture to draw of the samples of one law (PNG)")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if f.NArg() > 0 || s.Sets < 0 {
		fmt.Fprintln(stderr, "bayes: want -sets not negative, and no other arguments")
		return 2
	}
	if err := measureAll(ctx, s, plot, stdout); err != nil {
		fmt.Fprintf(stderr, "bayes: %v\n", err)
		return 1
	}
	return 0
}
