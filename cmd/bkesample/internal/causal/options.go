package causal

import (
	"context"
	"fmt"
	"slices"

	"bayeskernel/bke/inputs"
	"bayeskernel/causal"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/conditional"
)

// options are the options of the algorithm for these columns.
func (f *flags) options(columns []string) causal.Options {
	o := causal.Options{Alpha: f.alpha, Depth: f.depth, Knowledge: f.knowledge}
	switch {
	case f.depth < 0:
		o.Depth = 0
	case f.depth == 0:
		o.Depth = causal.EmptySets
	}
	switch f.colliders {
	case "sets":
		o.Colliders = causal.SeparatingSets
	case "majority":
		o.Colliders = causal.Majority
	case "conservative":
		o.Colliders = causal.Conservative
	}
	if f.time != "" && f.timeAs == "tier" {
		o.Knowledge.Forbidden = slices.Clone(o.Knowledge.Forbidden)
		for _, name := range columns {
			if name != f.time {
				o.Knowledge.Forbidden = append(o.Knowledge.Forbidden, causal.Arrow{From: name, To: f.time})
			}
		}
	}
	return o
}

// algorithm learns a graph.
func (f *flags) algorithm() (learn func(context.Context, causal.Test, causal.Options) (*causal.Result,
	error), name string) {
	switch {
	case f.hidden && f.width > f.mostForFCI():
		return causal.RFCI, "RFCI"
	case f.hidden:
		return causal.FCI, "FCI"
	case f.lingam:
		return func(ctx context.Context, t causal.Test, o causal.Options) (*causal.Result, error) {
			return causal.LiNGAM(ctx, t.(*causal.FisherZ).Data(), o)
		}, "DirectLiNGAM"
	}
	return causal.PC, "PC"
}

// mostForFCI is the number of columns up to which FCI asks its tests in reasonable time. Of twenty columns it asks up to
// twenty times as many as RFCI, which no more than PC needs: seconds for correlations, hours for kernels.
func (f *flags) mostForFCI() int {
	if f.test == "kci" || f.test == "residual" {
		return 12
	}
	return 40
}

// open creates the test of a table.
func (f *flags) open(d *causal.Data, categories []*input.Category, seed uint64) (causal.Test,
	error) {
	if f.lingam {
		return causal.NewFisherZ(d)
	}
	switch f.test {
	case "fisherz":
		return causal.NewFisherZ(d)
	case "g2":
		return causal.NewGSquare(d)
	}
	return f.kernelTest(d, categories, seed)
}

// kernelTest creates the test of -test kci or -test residual.
func (f *flags) kernelTest(d *causal.Data, categories []*input.Category, seed uint64) (
	causal.Test, error) {
	o := conditional.Options{Discrete: make([]bool, len(d.Names())), Seed: seed}
	for j, c := range categories {
		o.Discrete[j] = c != nil
	}
	switch f.choose {
	case "median":
		o.Kernel = &kerneltest.Choice{Rule: kerneltest.PlainMedian}
	case "learned":
		o.Kernel = &kerneltest.Choice{Rule: kerneltest.Learned,
			Inputs: inputs.Options{Number: f.inputs, Seed: seed}}
	}
	k, err := causal.NewKernel(d, o)
	if err != nil || f.test != "residual" {
		return k, err
	}
	return k.Residuals(), nil
}

// about identifies the test that a log belongs to.
func (f *flags) about(d *causal.Data, categories []*input.Category) string {
	var names []string
	for j, c := range categories {
		if c != nil {
			names = append(names, fmt.Sprint(d.Names()[j], " ", c.Names))
		}
	}
	slices.Sort(names)
	test := f.test
	if f.lingam {
		test = "lingam"
	}
	if f.choose != "" {
		test += " " + f.choose
	}
	if f.inputs > 0 {
		test += fmt.Sprint(" ", f.inputs)
	}
	return fmt.Sprintf("tests %s, seed %d, categories %q, table %s", test, f.seed, names,
		d.Fingerprint())
}
