package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/conditional"
	"bayeskernel/kerneltest/statistic"
)

// method is one way to test.
type method struct {
	name    string
	options conditional.Options
	plain   bool // residuals and HSIC
	sets    int  // at most so many data sets of each case; 0: all
}

func methods() []method {
	learned := &kerneltest.Choice{Rule: kerneltest.Learned}
	likelihood := conditional.MarginalLikelihood
	return []method{
		{name: "default", options: conditional.Options{KernelOnly: true, OneLengthscale: true}},
		{name: "columns", sets: 500,
			options: conditional.Options{ColumnsOnly: true}},
		{name: "columns, likelihood", sets: 500,
			options: conditional.Options{ColumnsOnly: true, Tuning: likelihood}},
		{name: "columns, no kernel of Z", sets: 500, options: conditional.Options{
			ColumnsOnly: true, Form: conditional.WithoutKernel}},
		{name: "joined", sets: 200,
			options: conditional.Options{Form: conditional.Joined}},
		{name: "learned", sets: 200, options: conditional.Options{Kernel: learned}},
		{name: "residuals", sets: 200, plain: true},
		{name: "published", sets: 200, options: conditional.Options{
			Published: &conditional.Published{}, Null: statistic.Pearson}},
	}
}

// cell is a problem with a number of rows, with or without dependence.
type cell struct {
	problem
	rows  int
	alter bool // there is dependence
	sets  int
}

func (c cell) name() string {
	what := "independent"
	if c.alter {
		what = "dependent"
	}
	return fmt.Sprintf("%s, %d rows, %s", c.problem.name, c.rows, what)
}

func cells() []cell {
	var out []cell
	for k, rows := range []int{100, 200, 300} {
		for _, p := range problems() {
			sets := [3]int{500, 500, 500}[k]
			out = append(out, cell{p, rows, false, sets})
			if p.dependent {
				out = append(out, cell{p, rows, true, sets})
			}
		}
	}
	return out
}

// result has the p-value of each method on one data set.
type result struct {
	Case string
	Set  int
	P    map[string]float64
}

// Of names the case and the data set.
func (r result) Of() (string, int) { return r.Case, r.Set }

// source is the random source of a data set.
func (c cell) source(seed uint64, set int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, c.name(), " ", seed)
	return rand.New(rand.NewPCG(h.Sum64(), uint64(set)))
}

// measure tests one data set with the methods that are in use.
func (c cell) measure(ctx context.Context, use []method, seed uint64, set int) (result, error) {
	out := result{Case: c.name(), Set: set, P: map[string]float64{}}
	table, x, y, z := c.table(c.source(seed, set), c.rows, c.alter)
	var names []string
	for range len(x) + len(y) + len(z) {
		names = append(names, fmt.Sprintf("column %d", len(names)+1))
	}
	for _, m := range use {
		if m.sets > 0 && set >= m.sets {
			continue
		}
		test, err := conditional.NewTable(names, table, m.options)
		if err != nil {
			return out, err
		}
		run := test.Test
		if m.plain {
			run = test.ResidualHSIC
		}
		r, err := run(ctx, x, y, z)
		if err != nil {
			return out, fmt.Errorf("%s: %w", m.name, err)
		}
		out.P[m.name] = r.P
	}
	return out, nil
}
