package tests

import (
	"context"
	"fmt"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// OneKernel are the flags of commands that need one kernel but run no test.
type OneKernel struct {
	test Flags
}

// Define defines the flags. rows says which rows the kernel is learned from, and seed what else the
// seed is used for.
func (f *OneKernel) Define(s *cli.FlagSet, rows, seed string) {
	t := &f.test
	s.Group("Kernel")
	t.Kernel.Define(s, "kernel", "se", "the radial `kernel`: "+kernels.RadialForms())
	s.Choice(&t.Choose, "choose", "learned", []string{"learned", "median/sqrt2", "median",
		"sqrt2*median"}, "the `rule` that gives the kernel its lengthscale: learned (the posterior mode in "+
		"a Bayesian model of "+rows+"), or the median heuristic in its three conventions")
	s.Number(&t.theta, "theta", 0, "use this `lengthscale` instead of choosing one; it is that of the "+
		"columns as -standardize scales them")
	s.Choice(&t.standardize, "standardize", "", []string{"none", "columns"}, "`how` columns are "+
		"scaled: none (not at all) or columns (each is divided by its sd) (default columns for more than "+
		"one column, none for one)")
	s.Whole(&t.inputs, "inputs", 0, "the `number` of pseudo-inputs for learning the kernel "+
		"(default min(10^D, 100, n/5), doubled if the fit calls for it)")
	s.Choice(&t.inputsFrom, "inputs-from", "", []string{"quantiles", "kmeans", "heldout"},
		"`where` pseudo-inputs come from: quantiles, kmeans or heldout (default quantiles for one "+
			"column, kmeans for more)")
	s.Choice(&t.path, "path", "auto", []string{"auto", "portable", "avx2", "avx512"},
		"the `code` that computes exponentials while learning; results agree to 1e-12")
	s.Seed(&t.Seed, "seed", 1, "the `seed` of "+seed+" the random steps in choosing the kernel")
}

// Check returns an error if the flags are wrong.
func (f *OneKernel) Check(s *cli.FlagSet) error {
	f.test.Null, f.test.Permutations, f.test.Alpha = "auto", DefaultPermutations, 0.05
	return f.test.Check(s)
}

// Seed is the random seed.
func (f *OneKernel) Seed() uint64 { return f.test.Seed }

// Rule says how the lengthscale is chosen.
func (f *OneKernel) Rule() string {
	if f.test.theta > 0 {
		return "-theta"
	}
	return f.test.Choose
}

// Admit returns an error if the flags do not suit data of this size.
func (f *OneKernel) Admit(rows, dim int) error {
	if err := f.test.checkInputs(rows, dim); err != nil {
		return err
	}
	return f.test.admit(&f.test.Kernel, dim)
}

// Choose chooses the kernel from some rows; name is what messages call them.
func (f *OneKernel) Choose(ctx context.Context, con *cli.Console, name string, rows *mat.Dense) (
	*kerneltest.Chosen, error) {
	o, err := f.test.options()
	if err != nil {
		return nil, err
	}
	line := con.Working("choosing the kernel")
	defer line.End()
	o.Progress = line.Step
	v, err := kerneltest.NewVariable(ctx, name, rows, o.Kernel, o)
	if err != nil {
		return nil, fmt.Errorf("choosing the kernel: %w", err)
	}
	return v.Kernel, nil
}

// InUnits converts rows to the units of a kernel.
func InUnits(c *kerneltest.Chosen, rows mat.Matrix) (*mat.Dense, error) {
	if c.Scaling == nil {
		return mat.DenseCopyOf(rows), nil
	}
	return c.Scaling.Apply(rows)
}
