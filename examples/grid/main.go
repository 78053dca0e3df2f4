// Grid draws what figure 2 of Flaxman et al. (2016) shows: two samples on a 3 x 3 grid of normal
// distributions, of which Q's are stretched along a diagonal by the ratio epsilon; the type II
// error of tests at level 0.05 against epsilon, with kernels of the median heuristic and learned
// ones; the log pseudolikelihood of the lengthscale; and the posterior of the witness function.
// All is in the units of the data, which are synthetic.
//
// The errors come from a study that is kept in study.jsonl, made with
//
//	go run ./examples/grid -study 100 -data examples/grid/study.jsonl
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/figure"
	"bayeskernel/kerneltest/power"
)

//go:embed study.jsonl
var kept []byte

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("grid", flag.ContinueOnError)
	f.SetOutput(stderr)
	out := f.String("out", "grid.png", "the picture to write")
	seed := f.Uint64("seed", 1, "seed of the random numbers of panels A, B, D and E")
	sets := f.Int("study", 0, "make the study of panel C with this many data sets for each epsilon, "+
		"or what is missing of it in the file -data, and draw nothing")
	data := f.String("data", "", "results of a study; without it, those that come with the program")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if f.NArg() > 0 || *sets < 0 || *sets > 0 && *data == "" {
		fmt.Fprintln(stderr, "grid: want -study not negative and only with -data, and no other "+
			"arguments")
		return 2
	}
	var err error
	if *sets > 0 {
		err = study(ctx, *data, *sets, stdout)
	} else {
		err = draw(ctx, *out, *data, *seed, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "grid: %v\n", err)
		return 1
	}
	return 0
}

// draw makes the picture.
func draw(ctx context.Context, path, data string, seed uint64, stdout io.Writer) error {
	text := kept
	if data != "" {
		var err error
		if text, err = os.ReadFile(data); err != nil {
			return err
		}
	}
	records, err := power.Read(bytes.NewReader(text))
	if err != nil {
		return err
	}
	if err := table(stdout, records); err != nil {
		return err
	}
	errorCurves, err := typeII(records)
	if err != nil {
		return err
	}
	s, err := newSamples(seed)
	if err != nil {
		return err
	}
	profile, err := s.profile(ctx)
	if err != nil {
		return err
	}
	surface, err := s.witness(ctx)
	if err != nil {
		return err
	}
	p, q := s.clouds()
	fig, err := figure.Panels(2, 3, "Testing on a grid of normal distributions", p, q, errorCurves,
		profile, surface)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, fig.WritePNG)
}
