package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"bayeskernel/bke/inputs"
	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/conditional"

	"gonum.org/v1/gonum/mat"
)

// levels are those of the tests, that of the tables first.
var levels = []float64{0.05, 0.01}

// setting is how a graph is learned.
type setting struct {
	season *season
	test   string
	sets   int // the first has all rows, the others half of them
	depth  int // as in causal.Options
	// Residuals and HSIC, with a lengthscale learned with so many pseudo-inputs, 0 for the median
	// heuristic's.
	residuals bool
	inputs    int
}

func (s setting) name() string { return s.season.name + ", " + s.test }

// settings lists what is measured, the default of bkesample causal -time doy first.
func settings() []setting {
	smooth, likeliest, none := &season{name: "smooth"}, &season{name: "likeliest"}, &season{name: "kept"}
	list := []setting{
		{season: smooth, test: "KCI", sets: 201},
		{season: smooth, test: "residuals, median", sets: 201, residuals: true},
		{season: smooth, test: "residuals, 10 inputs", sets: 201, residuals: true, inputs: 10},
		{season: smooth, test: "residuals, 20 inputs", sets: 26, residuals: true, inputs: 20},
		{season: smooth, test: "KCI, depth 2", sets: 51, depth: 2},
	}
	for _, s := range []*season{likeliest, none} {
		for _, of := range list[:4] {
			of.season, of.sets = s, 26
			list = append(list, of)
		}
	}
	return list
}

// result is what one sample gave.
type result struct {
	Case    string         `json:"case"`
	Set     int            `json:"set"`
	Graphs  []*graph.Graph `json:"graphs"` // of each level
	Tests   int            `json:"tests"`  // at the first level
	Apart   []string       `json:"apart"`  // what separates Ozone and Temp there
	P       float64        `json:"p"`      // the largest p-value of Ozone and Temp
	Seconds float64        `json:"seconds"`
}

// Of names the setting and the sample.
func (r result) Of() (string, int) { return r.Case, r.Set }

// measure learns the graphs of one sample.
func (s setting) measure(ctx context.Context, seed uint64, set int) (result, error) {
	out := result{Case: s.name(), Set: set}
	data, err := s.season.data(ctx)
	if err != nil {
		return out, err
	}
	if set > 0 {
		half := rand.New(rand.NewPCG(seed, uint64(set))).Perm(data.Rows())[:data.Rows()/2]
		slices.Sort(half)
		if data, err = data.Subset(half); err != nil {
			return out, err
		}
	}
	began := time.Now()
	test, err := s.open(data, seed+uint64(set))
	if err != nil {
		return out, err
	}
	// The rule and the test of this study are those of before the colliders were placed in order.
	o := causal.Options{Depth: s.depth, Log: causal.NewLog(), Parallel: 1, Colliders: causal.SeparatingSets}
	for _, o.Alpha = range levels {
		r, err := causal.PC(ctx, test, o)
		if err != nil {
			return out, err
		}
		if out.Graphs = append(out.Graphs, r.Graph); len(out.Graphs) > 1 {
			continue
		}
		out.Tests = r.Tests
		if near, ok := r.Strength("Ozone", "Temp"); ok {
			out.P = near.P
		}
		for _, pair := range r.Separations {
			if pair.X == "Ozone" && pair.Y == "Temp" {
				best := slices.MaxFunc(pair.Sets, func(a, b causal.Set) int {
					if a.P < b.P {
						return -1
					}
					return 1
				})
				out.Apart, out.P = best.S, best.P
			}
		}
	}
	out.Seconds = time.Since(began).Seconds()
	return out, nil
}

// open makes the test.
func (s setting) open(d *causal.Data, seed uint64) (causal.Test, error) {
	o := conditional.Options{KernelOnly: true, OneLengthscale: true}
	if s.inputs > 0 {
		o.Kernel = &kerneltest.Choice{Rule: kerneltest.Learned,
			Inputs: inputs.Options{Number: s.inputs, Seed: seed}}
	}
	k, err := causal.NewKernel(d, o)
	if err != nil || !s.residuals {
		return k, err
	}
	return k.Residuals(), nil
}

// season is a way to take it out, and the table without it.
type season struct {
	name  string
	once  sync.Once
	table *causal.Data
	err   error
}

func (s *season) data(ctx context.Context) (*causal.Data, error) {
	s.once.Do(func() {
		names, rows, err := days()
		if err != nil {
			s.err = err
			return
		}
		clock := mat.Col(nil, 0, rows)
		n, columns := rows.Dims()
		left := mat.NewDense(n, columns-1, nil)
		for j := 1; j < columns; j++ {
			values := mat.Col(nil, j, rows)
			if s.name != "kept" {
				if values, s.err = without(ctx, clock, values, s.name == "smooth"); s.err != nil {
					return
				}
			}
			left.SetCol(j-1, values)
		}
		s.table, s.err = causal.NewData(names[1:], left)
	})
	return s.table, s.err
}
