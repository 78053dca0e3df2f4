package work

import (
	"context"

	"bayeskernel/causal"
	"bayeskernel/kerneltest/conditional"
)

// kernelTest is that of -test kci, or of -test residual.
func kernelTest(d *causal.Data, discrete []bool, seed uint64, residual bool) (causal.Test, error) {
	k, err := causal.NewKernel(d, conditional.Options{Discrete: discrete, Seed: seed})
	if err != nil || !residual {
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
