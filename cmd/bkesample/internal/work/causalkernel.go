package work

import (
	"context"

	"bayeskernel/bke/inputs"
	"bayeskernel/causal"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/conditional"
)

// kernelTest is that of -test kci, or of -test residual.
func (f *CausalFlags) kernelTest(d *causal.Data, categories []*input.Category, seed uint64) (
	causal.Test, error) {
	o := conditional.Options{Discrete: make([]bool, len(d.Names())), Seed: seed}
	for j, c := range categories {
		o.Discrete[j] = c != nil
	}
	switch f.Choose {
	case "median":
		o.Kernel = &kerneltest.Choice{Rule: kerneltest.PlainMedian}
	case "learned":
		o.Kernel = &kerneltest.Choice{Rule: kerneltest.Learned,
			Inputs: inputs.Options{Number: f.inputs, Seed: seed}}
	}
	k, err := causal.NewKernel(d, o)
	if err != nil || f.Test != "residual" {
		return k, err
	}
	return k.Residuals(), nil
}

// askOther asks the test of residuals about every decision of -test kci.
func (f *CausalFlags) askOther(ctx context.Context, c *Caused, test causal.Test,
	o causal.Options) (string, error) {
	if f.Test != "kci" {
		return "", nil
	}
	var err error
	c.Disagreements, err = causal.Disagreements(ctx, c.Result, test.(*causal.Kernel).Residuals(), o)
	return "residual", err
}
