package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/figure"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/power"
)

const level = 0.95 // of the intervals

// kinds are the methods and what they are called in the picture, where those without a label are not
// drawn. The first learned one is the paper's: a tenth of 900 rows held out, weight 1 and tau2 = 1.
var kinds = []struct{ method, label string }{
	{"median/sqrt2", "median/√2"},
	{"median", "median"},
	{"sqrt2*median", "√2 median"},
	{"fixed:theta=0.5", ""},
	{"fixed:theta=0.85", ""},
	{"fixed:theta=1.2", ""},
	{"fixed:theta=1.6", ""},
	{"fixed:theta=2", ""},
	{"fixed:theta=5", ""},
	{"learned:m=90,tau2=1,weight=1,z=heldout", "learned, weight 1, τ² = 1"},
	{"learned:m=90", "learned, weight 0.9 d/m"},
	{"posterior-mean:m=90", "mean over the posterior"},
	{"ladder", "default: learned and 4 times it"},
	{"mmdagg", "MMDAgg"},
	{"fuse", "MMD-FUSE"},
}

// problems are those of the study, and options those of its tests.
func problems() ([]power.Problem, error) {
	return power.ParseProblems("grid:eps=1/1.5/2/4/6/8/10/15")
}

// options has columns in the units of the data: both of the grid are in the same.
func options() kerneltest.Options {
	return kerneltest.Options{Permutations: 400, Standardize: kerneltest.StandardizeNever}
}

// study makes what is missing in the file, which then has a line for each data set.
func study(ctx context.Context, path string, sets int, stdout io.Writer) error {
	all, err := problems()
	if err != nil {
		return err
	}
	var names []string
	for _, k := range kinds {
		names = append(names, k.method)
	}
	methods, err := power.ParseMethods(strings.Join(names, " "), options())
	if err != nil {
		return err
	}
	records, err := power.RunFile(ctx, path, all, methods, power.Options{Seed: 1, Replicates: sets,
		Settings: power.Settings(options())})
	if err != nil {
		return err
	}
	// Methods that were added later have lines of their own until now.
	err = atomicfile.Write(path, func(w io.Writer) error { return power.Write(w, records...) })
	if err != nil {
		return err
	}
	return table(stdout, records)
}

// table prints the powers, in the order of kinds and then of problems.
func table(w io.Writer, records []power.Record) error {
	all, err := power.Rates(records)
	if err != nil || len(all) == 0 {
		return err
	}
	var rates []power.Rate
	for _, kind := range kinds {
		for _, r := range all {
			if r.Method == kind.method {
				rates = append(rates, r)
			}
		}
	}
	if _, err := fmt.Fprintf(w, "Share of rejections with %g%% intervals; %s.\n\n", 100*level,
		records[0].Settings); err != nil {
		return err
	}
	return power.WriteRates(w, rates, level)
}

// typeII draws the share of data sets that are not rejected. Methods that the records do not have
// are left out.
func typeII(records []power.Record) (figure.Curves, error) {
	c := figure.Curves{Title: "Type II error", XLabel: "ε", YLabel: "share not rejected",
		LogX: true, YRange: [2]float64{0, 1}, Note: fmt.Sprintf("%g%% intervals", 100*level)}
	all, err := problems()
	if err != nil {
		return c, err
	}
	rates, err := power.Rates(records)
	if err != nil {
		return c, err
	}
	for _, kind := range kinds {
		if kind.label == "" {
			continue
		}
		var x []float64
		var k, n []int
		for _, p := range all {
			for _, r := range rates {
				if r.Problem == p.Name && r.Method == kind.method {
					x = append(x, p.Values["eps"])
					k, n = append(k, r.Replicates-r.Rejected), append(n, r.Replicates)
				}
			}
		}
		if len(x) == 0 {
			continue
		}
		s, err := figure.Proportions(kind.label, x, k, n, level)
		if err != nil {
			return c, err
		}
		c.Series = append(c.Series, s)
	}
	return c, nil
}
