// Disagree counts warnings on targets whose chains should disagree: several modes, funnels, regions
// where a chain is stuck, topics whose labels can be exchanged. A warm-up that chains share must not
// hide what a warm-up of fixed length, each chain for itself, shows. All targets are made up.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"bayeskernel/diagnostics"
	"bayeskernel/examples/internal/report"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("disagree", flag.ContinueOnError)
	f.SetOutput(stderr)
	runs := f.Int("runs", 200, "runs per target and warm-up")
	seed := f.Uint64("seed", 1, "the first seed")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if *runs < 1 {
		fmt.Fprintf(stderr, "disagree: -runs is %d, want at least 1\n", *runs)
		return 2
	}
	fmt.Fprintf(stdout, "Of %d runs of 4 chains, 1000 draws each, seeds from %d: how many warn, how many have an R-hat "+
		"above 1.01, chains moved, mean warm-up.\n\n", *runs, *seed)
	fmt.Fprintln(stdout, "| target | warn, fixed | warn, shared | R-hat, fixed | R-hat, shared | moved | warm-up |")
	fmt.Fprintln(stdout, "| --- | --: | --: | --: | --: | --: | --: |")
	for _, t := range targets() {
		var warn, high [2]int
		moved, length := 0, 0
		for i := range *runs {
			for k, fixed := range []bool{true, false} {
				var cfg nuts.Config
				cfg.Seed, cfg.Adapt.Fixed = *seed+uint64(i), fixed
				r, err := nuts.Sample(ctx, hmc.Shared(t.target), cfg)
				if err != nil {
					fmt.Fprintln(stderr, err)
					return 1
				}
				if len(r.Warnings()) > 0 {
					warn[k]++
				}
				for j := range r.Names {
					if diagnostics.RHat(r.Column(j)) > 1.01 {
						high[k]++
						break
					}
				}
				if !fixed {
					length += r.Chains[0].Warmup
					for _, c := range r.Chains {
						if c.MovedFrom != nil {
							moved++
						}
					}
				}
			}
		}
		fmt.Fprintf(stdout, "| %s | %d | %d | %d | %d | %d | %d |\n", t.name, warn[0], warn[1], high[0],
			high[1], moved, length / *runs)
	}
	return 0
}
