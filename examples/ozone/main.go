// Ozone repeats the setting of the last experiment of Flaxman et al. (2016), their Fig. 4: the PC
// algorithm with kernel tests on the Los Angeles ozone data, the season taken out before. It says
// how much of the graph, and of the edge between temperature and ozone, depends on the test, on its
// lengthscale, on how the season is taken out, on the level, and on the rows.
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
	var picture string
	f := flag.NewFlagSet("ozone", flag.ContinueOnError)
	f.SetOutput(stderr)
	s.Define(f)
	f.StringVar(&picture, "figure", "", "file to draw the graph of the first setting into, as PNG")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if f.NArg() > 0 || s.Sets < 0 {
		fmt.Fprintln(stderr, "ozone: want -sets not negative, and no other arguments")
		return 2
	}
	if err := measureAll(ctx, s, picture, stdout); err != nil {
		fmt.Fprintf(stderr, "ozone: %v\n", err)
		return 1
	}
	return 0
}
