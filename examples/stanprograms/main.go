// Stanprograms measures how long programs in the Stan language take to 400 independent draws of every parameter,
// here and in rstan, whose compilation is not counted. Its arguments are programs, each followed by its data:
//
//	stanprograms -keep results.jsonl a.stan a.json b.stan b.json
//
// Both sides make four chains of 1000 transitions of warm-up, here at most, and 1000 draws, with default settings.
// What is compared is processor time of warm-up, plus that of drawing until the smallest bulk effective sample size
// over parameters and transformed parameters is 400; here reading the program and its data is part of it. Runs
// whose largest R-hat is above 1.05 have no such time. README.md has what was found.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

// side is what one run of a sampler took and gave.
type side struct {
	Warm float64 `json:"warm"` // seconds
	Draw float64 `json:"draw"`
	ESS  float64 `json:"ess"` // the least
	RHat float64 `json:"rhat"`
}

// largest is the R-hat above which chains have not mixed.
const largest = 1.05

// to400 is the time to 400 independent draws, NaN if the chains have not mixed.
func (s side) to400() float64 {
	if !(s.RHat <= largest && s.ESS > 0) {
		return math.NaN()
	}
	return s.Warm + s.Draw*400/s.ESS
}

// rate is the number of independent draws a second of drawing.
func (s side) rate() float64 { return s.ESS / s.Draw }

// pair is a run of both with one seed.
type pair struct {
	Program string `json:"program"`
	Seed    int    `json:"seed"`
	Ours    side   `json:"ours"`
	RStan   side   `json:"rstan"`
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("stanprograms", flag.ContinueOnError)
	f.SetOutput(stderr)
	seeds := f.Int("seeds", 3, "number of runs of each program")
	keep := f.String("keep", "", "file that gets a line of JSON for each run")
	convert := f.String("convert", "", "command that is called with a program and the name of a file to write, where "+
		"rstan is too old for the syntax")
	alone := f.Bool("alone", false, "leave rstan out")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case f.NArg() == 0 || f.NArg()%2 != 0:
		fmt.Fprintln(stderr, "stanprograms: want programs, each followed by its data")
		return 2
	}
	if _, err := exec.LookPath("Rscript"); err != nil && !*alone {
		fmt.Fprintln(stderr, "stanprograms: Rscript is not installed: rstan is left out")
		*alone = true
	}
	var all []pair
	for i := 0; i < f.NArg(); i += 2 {
		pairs, err := compare(ctx, f.Arg(i), f.Arg(i+1), *seeds, *convert, *alone)
		for _, p := range pairs {
			if err == nil {
				err = report.Keep(*keep, p)
			}
		}
		if err != nil {
			fmt.Fprintf(stderr, "stanprograms: %s: %v\n", f.Arg(i), err)
			return 1
		}
		all = append(all, pairs...)
		fmt.Fprintf(stderr, "%s: done\n", filepath.Base(f.Arg(i)))
	}
	if err := report.Table(stdout, rows(all)); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if n, mean := geometric(all, ratio); n > 0 {
		fmt.Fprintf(stdout, "rstan takes %.3g times as long (geometric mean of %d runs).\n", mean, n)
	}
	return 0
}

// compare runs a program on both sides.
func compare(ctx context.Context, program, data string, seeds int, convert string, alone bool) ([]pair, error) {
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	values, err := os.ReadFile(data)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(program), ".stan")
	pairs := make([]pair, seeds)
	for s := range pairs {
		pairs[s] = pair{Program: name, Seed: s + 1}
		if pairs[s].Ours, err = ours(ctx, string(text), values, uint64(s+1)); err != nil {
			return nil, err
		}
	}
	if alone {
		return pairs, nil
	}
	others, err := rstan(ctx, program, values, seeds, convert)
	for s := range others {
		pairs[s].RStan = others[s]
	}
	return pairs, err
}

// ratio is how many times as long rstan takes, and faster how many more draws a second come here.
func ratio(p pair) float64  { return p.RStan.to400() / p.Ours.to400() }
func faster(p pair) float64 { return p.Ours.rate() / p.RStan.rate() }

// geometric is the geometric mean over the runs of which both sides mixed.
func geometric(all []pair, of func(pair) float64) (n int, mean float64) {
	sum := 0.0
	for _, p := range all {
		if v := math.Log(of(p)); !math.IsNaN(ratio(p)) && !math.IsNaN(v) && !math.IsInf(v, 0) {
			n, sum = n+1, sum+v
		}
	}
	return n, math.Exp(sum / float64(n))
}

// rows are the table: each program once, with means over its runs.
func rows(all []pair) [][]string {
	out := [][]string{{"program", "mixed", "seconds to 400", "rstan", "ratio", "draws/s", "rstan", "ratio"}}
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].Program == all[i].Program {
			j++
		}
		part := all[i:j]
		mean := func(of func(pair) float64) string {
			sum, n := 0.0, 0
			for _, p := range part {
				if v := of(p); v > 0 && !math.IsInf(v, 0) {
					sum, n = sum+math.Log(v), n+1
				}
			}
			if n == 0 {
				return ""
			}
			return fmt.Sprintf("%.3g", math.Exp(sum/float64(n)))
		}
		mixed := [2]int{}
		for _, p := range part {
			for k, s := range []side{p.Ours, p.RStan} {
				if !math.IsNaN(s.to400()) {
					mixed[k]++
				}
			}
		}
		out = append(out, []string{all[i].Program, fmt.Sprintf("%d, %d of %d", mixed[0], mixed[1], len(part)),
			mean(func(p pair) float64 { return p.Ours.to400() }), mean(func(p pair) float64 { return p.RStan.to400() }),
			mean(ratio), mean(func(p pair) float64 { return p.Ours.rate() }), mean(func(p pair) float64 { return p.RStan.rate() }),
			mean(faster)})
		i = j
	}
	return out
}
