// Coverage measures how honest the bands are: over many data sets, the share of the central 95% of
// the data on which the pointwise band covers the true embedding of P and the true witness, with
// the noise of the central limit theorem and with that of the paper. Each draw of the
// hyperparameters has a band of its own, held against the truth at its theta, and the shares are
// averaged over draws.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"bayeskernel/bke"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o := options{level: 0.8}
	f := flag.NewFlagSet("coverage", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.IntVar(&o.sets, "sets", 200, "number of data sets of each kind and size")
	f.Float64Var(&o.theta, "theta", 0, "fix theta at this, and tau2 at mean_l Var k(X, z_l); "+
		"0 samples both")
	f.IntVar(&o.draws, "draws", 20, "draws of the hyperparameters that are used, of 200 made")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the random numbers")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if f.NArg() > 0 || o.sets < 1 || o.draws < 1 || o.draws > 200 || !(o.theta >= 0) {
		fmt.Fprintln(stderr, "coverage: want -sets of at least 1, -draws from 1 to 200, "+
			"-theta not negative, and nothing else")
		return 2
	}
	fmt.Fprintf(stdout, "80%% bands, %d data sets, %s.\n\n", o.sets, o.hyperparameters())
	fmt.Fprintln(stdout, "| P | Q | n | noise | covers mu_P | covers the witness | excludes 0 |")
	fmt.Fprintln(stdout, "| --- | --- | --: | --- | --: | --: | --: |")
	for _, c := range cases() {
		for _, n := range []int{50, 400} {
			for _, noise := range []bke.Noise{bke.CLT, bke.IID} {
				s, err := o.measure(ctx, c, n, noise)
				if err != nil {
					fmt.Fprintf(stderr, "coverage: %v\n", err)
					return 1
				}
				fmt.Fprintf(stdout, "| %s | %s | %d | %v | %v | %v | %.3f |\n", c.p.name(),
					c.q.name(), n, noise, s.mu, s.witness, s.excludes.mean())
			}
		}
	}
	return 0
}
