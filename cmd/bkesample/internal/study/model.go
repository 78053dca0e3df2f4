package study

import (
	"fmt"
	"math"
	"strconv"

	"bayeskernel/bke"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/kernels"
	"bayeskernel/priors"
)

// ModelFlags say which model to fit.
type ModelFlags struct {
	Kernel                  KernelFlag
	Standardize             string
	Inputs                  int
	InputsFrom, inputsFile  string
	Weight, Nu, Path        string
	Tau2, Eta               float64
	ThetaMin, ThetaMax      float64
	Theta, Tau2Prior, EtaPr string
	Ard, noInterval         bool
	Seed                    uint64
}

// Define defines the flags.
func (m *ModelFlags) Define(s *cli.FlagSet, kernelUsage string) {
	s.Group("Model")
	m.Kernel.Define(s, "kernel", "se", kernelUsage)
	s.Choice(&m.Standardize, "standardize", "", []string{"none", "prior", "columns"}, "`how` columns "+
		"and priors are scaled: none (all is in the units of the data), prior (the prior is that of "+
		"theta over the pooled sd) or columns (each column is divided by its sd) (default prior for "+
		"one column, columns for more)")
	s.Whole(&m.Inputs, "inputs", 0, "the `number` of pseudo-inputs; with fewer of them theta is "+
		"larger (default min(10^D, 100, n/5), doubled if the fit calls for it)")
	s.Choice(&m.InputsFrom, "inputs-from", "", []string{"quantiles", "kmeans", "heldout"},
		"`where` pseudo-inputs come from: quantiles, kmeans or heldout (default quantiles for one "+
			"column, kmeans for more)")
	s.Text(&m.inputsFile, "inputs-file", "", "read the pseudo-inputs from this `file`, in the units "+
		"of the data")
	s.Text(&m.Weight, "weight", "auto", "the `power` of the Gaussian part of the pseudolikelihood: "+
		"auto is 0.9 d/m, 1 is eq. (15) of the paper, which is unbounded unless tau2 is fixed")
	s.Choice(&m.Nu, "nu", "unit", []string{"unit", "lebesgue", "gaussian"}, "the `measure` in the "+
		"prior covariance of the embedding: unit, lebesgue or gaussian")
	s.Number(&m.Tau2, "tau2", 0, "fix tau2 at this `value` (default learned)")
	s.Number(&m.Eta, "eta", 0, "fix eta, the width of -nu gaussian, at this `value` (default "+
		"learned)")
	s.Number(&m.ThetaMin, "theta-min", 0, "lower `bound` on theta (default none)")
	s.Number(&m.ThetaMax, "theta-max", 0, "upper `bound` on theta (default none)")
	s.Text(&m.Theta, "prior-theta", "gamma(1,1)", "the `prior` of theta, such as gamma(1,1), "+
		"half-normal(2.5) or lognormal(0,1); on theta over the pooled sd unless -standardize none")
	s.Text(&m.Tau2Prior, "prior-tau2", "gamma(1,1)", "the `prior` of tau2")
	s.Text(&m.EtaPr, "prior-eta", "", "the `prior` of eta (default gamma(1,1) on eta over the "+
		"pooled sd)")
	s.Yes(&m.Ard, "ard", "one lengthscale for each column")
	s.Yes(&m.noInterval, "no-interval", "do not compute the interval of theta, which takes about 250 "+
		"passes over the rows, and 150 more if the pseudo-inputs are random (kmeans, heldout)")
	s.Choice(&m.Path, "path", "auto", []string{"auto", "portable", "avx2", "avx512"},
		"the `code` that computes exponentials: auto, portable, avx2 or avx512; results on "+
			"different paths agree to 1e-12, and only those on the same path are equal bit for bit")
	s.Seed(&m.Seed, "seed", 1, "the `seed` of everything random: the example's data, pseudo-inputs, "+
		"chains and functions")
}

// Check returns an error if the flags are wrong; it runs before any data are read.
func (m *ModelFlags) Check(s *cli.FlagSet) error {
	m.Kernel.Named = s.Given("kernel")
	for _, f := range []struct {
		name  string
		value float64
	}{{"tau2", m.Tau2}, {"eta", m.Eta}, {"theta-min", m.ThetaMin}, {"theta-max", m.ThetaMax}} {
		if s.Given(f.name) && !(f.value > 0) {
			return cli.Usagef("-%s is %v, want a positive number", f.name, f.value)
		}
	}
	switch {
	case m.ThetaMax > 0 && m.ThetaMax <= m.ThetaMin:
		return cli.Usagef("-theta-max is %v, want more than -theta-min, which is %v", m.ThetaMax,
			m.ThetaMin)
	case s.Given("eta") && m.Nu != "gaussian", s.Given("prior-eta") && m.Nu != "gaussian":
		return cli.Usagef("-eta and -prior-eta are for -nu gaussian, and nu is %s", m.Nu)
	case s.Given("eta") && s.Given("prior-eta"):
		return cli.Usagef("-eta fixes eta and -prior-eta gives it a prior: want one of them")
	case s.Given("tau2") && s.Given("prior-tau2"):
		return cli.Usagef("-tau2 fixes tau2 and -prior-tau2 gives it a prior: want one of them")
	case s.Given("inputs") && m.Inputs < 2:
		return cli.Usagef("-inputs is %d, want at least 2", m.Inputs)
	case m.inputsFile != "" && (s.Given("inputs") || s.Given("inputs-from")):
		return cli.Usagef("-inputs-file gives the pseudo-inputs, and -inputs and -inputs-from choose " +
			"them: want only one of these")
	}
	if _, err := m.power(); err != nil {
		return err
	}
	_, err := m.priors(0)
	return err
}

// Admit rejects a kernel that is not defined for this many columns.
func (m *ModelFlags) Admit(data *input.Dataset) error {
	_, dim := data.P.Dims()
	return m.Kernel.Admit(m.Nu, dim)
}

// Free names the hyperparameters that are not fixed, for data of dim columns.
func (m *ModelFlags) Free(dim int) []string {
	names := []string{"theta"}
	if m.Ard {
		names = names[:0]
		for a := range dim {
			names = append(names, fmt.Sprintf("theta[%d]", a+1))
		}
	}
	if m.Tau2 == 0 {
		names = append(names, "tau2")
	}
	if m.Nu == "gaussian" && m.Eta == 0 {
		names = append(names, "eta")
	}
	return names
}

// power reads -weight; 0 means the default.
func (m *ModelFlags) power() (float64, error) {
	if m.Weight == "auto" {
		return 0, nil
	}
	w, err := strconv.ParseFloat(m.Weight, 64)
	if err != nil || !(w > 0) || w-w != 0 {
		return 0, cli.Usagef("-weight is %q, want auto or a positive number (-weights names "+
			"a column)", m.Weight)
	}
	return w, nil
}

// priors reads the priors; scale is the unit of the prior on theta, 0 for the pooled sd.
func (m *ModelFlags) priors(scale float64) (bke.Priors, error) {
	p := bke.Priors{ThetaScale: scale}
	for _, f := range []struct {
		name, text string
		to         *priors.Prior
	}{{"theta", m.Theta, &p.Theta}, {"tau2", m.Tau2Prior, &p.Tau2}, {"eta", m.EtaPr, &p.Eta}} {
		if f.text == "" {
			continue
		}
		var err error
		if *f.to, err = priors.Parse(f.text); err != nil {
			return p, cli.Usagef("-prior-%s: %v", f.name, err)
		}
		if lo, hi := (*f.to).Support(); lo > 0 || !math.IsInf(hi, 1) {
			return p, cli.Usagef("-prior-%s: %s is confined to (%g, %g), want one on all positive numbers "+
				"(-theta-min and -theta-max bound theta)", f.name, f.text, lo, hi)
		}
	}
	return p, nil
}

// options are the library's options, except the kernel.
func (m *ModelFlags) options() (bke.Options, error) {
	o := bke.Options{ARD: m.Ard, Tau2: m.Tau2, Eta: m.Eta, ThetaMin: m.ThetaMin,
		ThetaMax: m.ThetaMax, Path: m.Path}
	var err error
	if o.Weight, err = m.power(); err != nil {
		return o, err
	}
	o.Nu, err = kernels.ParseNu(m.Nu)
	return o, err
}
