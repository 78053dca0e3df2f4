// Verdict measures how far the verdict on two samples can be trusted: over many data sets of known
// laws, the share that is called different, and whether the places that are named are right. A
// place is right if the true witness, at the lengthscale of the one that was drawn, has the sign
// that was claimed.
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
	f := flag.NewFlagSet("verdict", flag.ContinueOnError)
	f.SetOutput(stderr)
	s.Define(f)
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if f.NArg() > 0 || s.Sets < 0 {
		fmt.Fprintln(stderr, "verdict: want -sets not negative, and no other arguments")
		return 2
	}
	if err := measureAll(ctx, s, stdout); err != nil {
		fmt.Fprintf(stderr, "verdict: %v\n", err)
		return 1
	}
	return 0
}
