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
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
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

	means map[string]estimate
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

	// Apart are the differences of the means, ours less rstan's, in Monte Carlo errors.
	Apart map[string]float64 `json:"apart,omitempty"`
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("stanprograms", flag.ContinueOnError)
	f.SetOutput(stderr)
	seeds := f.Int("seeds", 3, "number of runs of each program")
	keep := f.String("keep", "", "file that gets a line of JSON for each run")
	convert := f.String("convert", "", "command that is called with a program and the name of a file to write, where "+
		"rstan is too old for the syntax")
	cache := f.String("cache", "", "folder that keeps compiled models for later runs")
	table := f.String("table", "", "print the table of a file of -keep, and run nothing")
	alone := f.Bool("alone", false, "leave rstan out")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case *table == "" && f.NArg() == 0 || f.NArg()%2 != 0:
		fmt.Fprintln(stderr, "stanprograms: want programs, each followed by its data")
		return 2
	}
	if _, err := exec.LookPath("Rscript"); err != nil && !*alone && *table == "" {
		fmt.Fprintln(stderr, "stanprograms: Rscript is not installed: rstan is left out")
		*alone = true
	}
	all, err := kept(*table)
	if err != nil {
		fmt.Fprintf(stderr, "stanprograms: %v\n", err)
		return 1
	}
	for i := 0; i < f.NArg() && *table == ""; i += 2 {
		err := compare(ctx, f.Arg(i), f.Arg(i+1), *seeds, *convert, *cache, *alone, func(p pair) error {
			all = append(all, p)
			return report.Keep(*keep, p)
		})
		if err != nil {
			fmt.Fprintf(stderr, "stanprograms: %s: %v\n", f.Arg(i), err)
			return 1
		}
		fmt.Fprintf(stderr, "%s: done\n", filepath.Base(f.Arg(i)))
	}
	if err := report.Table(stdout, rows(all)); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if n, mean := geometric(all, ratio); n > 0 {
		fmt.Fprintf(stdout, "rstan takes %.3g times as long (geometric mean of %d runs).\n", mean, n)
	}
	if n, mean := geometric(all, faster); n > 0 {
		fmt.Fprintf(stdout, "%.3g times as many effective draws a second come here (geometric mean of %d runs).\n", mean, n)
	}
	return 0
}

// kept reads a file of -keep, program by program; there is nothing in a file without a name.
func kept(file string) ([]pair, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []pair
	for d := json.NewDecoder(bytes.NewReader(b)); d.More(); {
		var p pair
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b pair) int { return cmp.Compare(a.Program, b.Program) })
	return all, nil
}

// compare runs a program on both sides in turn, with one seed after the other.
func compare(ctx context.Context, program, data string, seeds int, convert, cache string, alone bool,
	each func(pair) error) error {
	text, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	values, err := os.ReadFile(data)
	if err != nil {
		return err
	}
	var r *others
	if !alone {
		dir, err := os.MkdirTemp("", "stanprograms")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if r, err = newOthers(ctx, dir, program, values, convert, cache); err != nil {
			return err
		}
	}
	for s := 1; s <= seeds; s++ {
		p := pair{Program: strings.TrimSuffix(filepath.Base(program), ".stan"), Seed: s}
		if p.Ours, err = ours(ctx, string(text), values, uint64(s)); err != nil {
			return err
		}
		if !alone {
			if p.RStan, err = r.sample(ctx, s); err != nil {
				return err
			}
			if p.Apart, err = apart(p.Ours, p.RStan); err != nil {
				return err
			}
		}
		if err := each(p); err != nil {
			return err
		}
	}
	return nil
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
	out := [][]string{{"program", "mixed", "seconds to 400", "rstan", "ratio", "draws/s", "rstan", "ratio",
		"means", "apart"}}
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
			mean(faster), strconv.Itoa(len(part[0].Apart)), farthest(part)})
		i = j
	}
	return out
}

// farthest is the largest difference of means in Monte Carlo errors, over the runs in which both sides mixed. Their
// sum over the square root of their number is again standard normal where the posteriors agree.
func farthest(runs []pair) string {
	sums, n := map[string]float64{}, 0
	for _, p := range runs {
		if math.IsNaN(ratio(p)) {
			continue
		}
		n++
		for name, z := range p.Apart {
			sums[name] += z
		}
	}
	worst := 0.0
	for _, sum := range sums {
		worst = max(worst, math.Abs(sum)/math.Sqrt(float64(n)))
	}
	if len(sums) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", worst)
}
