package main

import (
	"fmt"
	"math"
	"strconv"

	"bayeskernel/bke"
	"bayeskernel/kernels"
	"bayeskernel/priors"
)

// modelFlags say which model is fitted.
type modelFlags struct {
	kernel                  kernelFlag
	standardize             string
	inputs                  int
	inputsFrom, inputsFile  string
	weight, nu, path        string
	tau2, eta               float64
	thetaMin, thetaMax      float64
	theta, tau2Prior, etaPr string
	ard, noInterval         bool
	seed                    uint64
}

func (m *modelFlags) define(s *flagSet, kernelUsage string) {
	s.group("Model")
	m.kernel.define(s, "kernel", "se", kernelUsage)
	s.choice(&m.standardize, "standardize", "", []string{"none", "prior", "columns"}, "`how` columns "+
		"and priors are scaled: none (all is in the units of the data), prior (the prior is that of "+
		"theta over the pooled sd) or columns (each column is divided by its sd) (default prior for "+
		"one column, columns for more)")
	s.whole(&m.inputs, "inputs", 0, "the `number` of pseudo-inputs; with fewer of them theta is "+
		"larger (default min(10^D, 100, n/5), doubled if the fit calls for it)")
	s.choice(&m.inputsFrom, "inputs-from", "", []string{"quantiles", "kmeans", "heldout"},
		"`where` pseudo-inputs come from: quantiles, kmeans or heldout (default quantiles for one "+
			"column, kmeans for more)")
	s.text(&m.inputsFile, "inputs-file", "", "read the pseudo-inputs from this `file`, in the units "+
		"of the data")
	s.text(&m.weight, "weight", "auto", "the `power` of the Gaussian part of the pseudolikelihood: "+
		"auto is 0.9 d/m, 1 is eq. (15) of the paper, which is unbounded unless tau2 is fixed")
	s.choice(&m.nu, "nu", "unit", []string{"unit", "lebesgue", "gaussian"}, "the `measure` in the "+
		"prior covariance of the embedding: unit, lebesgue or gaussian")
	s.number(&m.tau2, "tau2", 0, "fix tau2 at this `value` (default learned)")
	s.number(&m.eta, "eta", 0, "fix eta, the width of -nu gaussian, at this `value` (default "+
		"learned)")
	s.number(&m.thetaMin, "theta-min", 0, "lower `bound` on theta (default none)")
	s.number(&m.thetaMax, "theta-max", 0, "upper `bound` on theta (default none)")
	s.text(&m.theta, "prior-theta", "gamma(1,1)", "the `prior` of theta, such as gamma(1,1), "+
		"half-normal(2.5) or lognormal(0,1); on theta over the pooled sd unless -standardize none")
	s.text(&m.tau2Prior, "prior-tau2", "gamma(1,1)", "the `prior` of tau2")
	s.text(&m.etaPr, "prior-eta", "", "the `prior` of eta (default gamma(1,1) on eta over the "+
		"pooled sd)")
	s.yes(&m.ard, "ard", "one lengthscale for each column")
	s.yes(&m.noInterval, "no-interval", "do not compute the interval of theta, which takes about 250 "+
		"passes over the rows, and 150 more if the pseudo-inputs are random (kmeans, heldout)")
	s.choice(&m.path, "path", "auto", []string{"auto", "portable", "avx2", "avx512"},
		"the `code` that computes exponentials: auto, portable, avx2 or avx512; results on "+
			"different paths agree to 1e-12, and only those on the same path are equal bit for bit")
	s.seed(&m.seed, "seed", 1, "the `seed` of everything random: the example's data, pseudo-inputs, "+
		"chains and functions")
}

// check finds what is wrong with the flags before anything is read.
func (m *modelFlags) check(s *flagSet) error {
	for _, f := range []struct {
		name  string
		value float64
	}{{"tau2", m.tau2}, {"eta", m.eta}, {"theta-min", m.thetaMin}, {"theta-max", m.thetaMax}} {
		if s.given(f.name) && !(f.value > 0) {
			return usagef("-%s is %v, want a positive number", f.name, f.value)
		}
	}
	switch {
	case m.thetaMax > 0 && m.thetaMax <= m.thetaMin:
		return usagef("-theta-max is %v, want more than -theta-min, which is %v", m.thetaMax,
			m.thetaMin)
	case s.given("eta") && m.nu != "gaussian", s.given("prior-eta") && m.nu != "gaussian":
		return usagef("-eta and -prior-eta are for -nu gaussian, and nu is %s", m.nu)
	case s.given("eta") && s.given("prior-eta"):
		return usagef("-eta fixes eta and -prior-eta gives it a prior: want one of them")
	case s.given("tau2") && s.given("prior-tau2"):
		return usagef("-tau2 fixes tau2 and -prior-tau2 gives it a prior: want one of them")
	case s.given("inputs") && m.inputs < 2:
		return usagef("-inputs is %d, want at least 2", m.inputs)
	case m.inputsFile != "" && (s.given("inputs") || s.given("inputs-from")):
		return usagef("-inputs-file gives the pseudo-inputs, and -inputs and -inputs-from choose " +
			"them: want only one of these")
	}
	if _, err := m.power(); err != nil {
		return err
	}
	_, err := m.priors(0)
	return err
}

// admit refuses a kernel that the data have too many columns for.
func (m *modelFlags) admit(data *dataset) error {
	_, dim := data.p.Dims()
	return m.kernel.admit(m.nu, dim)
}

// free names the hyperparameters that are not fixed, with data of dim columns.
func (m *modelFlags) free(dim int) []string {
	names := []string{"theta"}
	if m.ard {
		names = names[:0]
		for a := range dim {
			names = append(names, fmt.Sprintf("theta[%d]", a+1))
		}
	}
	if m.tau2 == 0 {
		names = append(names, "tau2")
	}
	if m.nu == "gaussian" && m.eta == 0 {
		names = append(names, "eta")
	}
	return names
}

// power reads -weight; 0 means the default.
func (m *modelFlags) power() (float64, error) {
	if m.weight == "auto" {
		return 0, nil
	}
	w, err := strconv.ParseFloat(m.weight, 64)
	if err != nil || !(w > 0) || w-w != 0 {
		return 0, usagef("-weight is %q, want auto or a positive number (-weights names "+
			"a column)", m.weight)
	}
	return w, nil
}

// priors reads the priors; scale is the unit of that of theta, 0 for the pooled sd.
func (m *modelFlags) priors(scale float64) (bke.Priors, error) {
	p := bke.Priors{ThetaScale: scale}
	for _, f := range []struct {
		name, text string
		to         *priors.Prior
	}{{"theta", m.theta, &p.Theta}, {"tau2", m.tau2Prior, &p.Tau2}, {"eta", m.etaPr, &p.Eta}} {
		if f.text == "" {
			continue
		}
		var err error
		if *f.to, err = priors.Parse(f.text); err != nil {
			return p, usagef("-prior-%s: %v", f.name, err)
		}
		if lo, hi := (*f.to).Support(); lo > 0 || !math.IsInf(hi, 1) {
			return p, usagef("-prior-%s: %s is confined to (%g, %g), want one on all positive numbers "+
				"(-theta-min and -theta-max bound theta)", f.name, f.text, lo, hi)
		}
	}
	return p, nil
}

// options are those of the library, but for the kernel.
func (m *modelFlags) options() (bke.Options, error) {
	o := bke.Options{ARD: m.ard, Tau2: m.tau2, Eta: m.eta, ThetaMin: m.thetaMin,
		ThetaMax: m.thetaMax, Path: m.path}
	var err error
	if o.Weight, err = m.power(); err != nil {
		return o, err
	}
	o.Nu, err = kernels.ParseNu(m.nu)
	return o, err
}
