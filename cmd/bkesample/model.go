package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/internal/table"
	"bayeskernel/kernels"
	"bayeskernel/priors"

	"gonum.org/v1/gonum/mat"
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
	s.choice(&m.standardize, "standardize", "", []string{"none", "prior", "columns"}, "`what` is "+
		"put on the data's scale: none: nothing, columns and priors are in the units of the data; "+
		"prior: the prior is that of theta over the pooled sd; columns: each column is divided by its "+
		"sd (default prior for one column, columns for more)")
	s.whole(&m.inputs, "inputs", 0, "the `number` of pseudo-inputs: the fewer, the larger theta "+
		"(default min(10^D, 100, n/5), doubled where the fit calls for it)")
	s.choice(&m.inputsFrom, "inputs-from", "", []string{"quantiles", "kmeans", "heldout"},
		"`where` pseudo-inputs come from: quantiles, kmeans or heldout (default quantiles for one "+
			"column, kmeans for more)")
	s.text(&m.inputsFile, "inputs-file", "", "read the pseudo-inputs from this `file`, in the units "+
		"of the data")
	s.text(&m.weight, "weight", "auto", "the `power` of the Gaussian part of the pseudolikelihood: "+
		"auto is 0.9 d/m, 1 is eq. (15) of the paper, which is unbounded unless tau2 is fixed")
	s.choice(&m.nu, "nu", "unit", []string{"unit", "lebesgue", "gaussian"}, "the `measure` in the "+
		"prior covariance of the embedding: unit, lebesgue or gaussian")
	s.number(&m.tau2, "tau2", 0, "fix tau2 at this `value` (default sampled)")
	s.number(&m.eta, "eta", 0, "fix eta, the width of -nu gaussian, at this `value` (default sampled)")
	s.number(&m.thetaMin, "theta-min", 0, "lower `bound` on theta (default none)")
	s.number(&m.thetaMax, "theta-max", 0, "upper `bound` on theta (default none)")
	s.text(&m.theta, "prior-theta", "gamma(1,1)", "the `prior` of theta, such as gamma(1,1), "+
		"half-normal(2.5) or lognormal(0,1); of theta over the pooled sd unless -standardize none")
	s.text(&m.tau2Prior, "prior-tau2", "gamma(1,1)", "the `prior` of tau2")
	s.text(&m.etaPr, "prior-eta", "", "the `prior` of eta (default gamma(1,1) of eta over the "+
		"pooled sd)")
	s.yes(&m.ard, "ard", "one lengthscale for each column")
	s.yes(&m.noInterval, "no-interval", "leave out the interval of theta; it takes about 250 passes "+
		"over the rows, and 150 more where the pseudo-inputs have a seed")
	s.choice(&m.path, "path", "auto", []string{"auto", "portable", "avx2", "avx512"},
		"the `code` that computes exponentials: auto, portable, avx2 or avx512; results agree to "+
			"1e-12, and are the same to the last bit on the same one only")
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
		return usagef("-inputs-file gives the pseudo-inputs: -inputs and -inputs-from have " +
			"nothing left to choose")
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
		return 0, usagef("-weight is %q, want auto or a positive number", m.weight)
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

// study is a data set, the model of it and the mode of its posterior.
type study struct {
	flags       *modelFlags
	con         *console
	data        *dataset
	radial      kernels.Radial
	all         mat.Matrix // all rows, in the units of the model
	p, q        mat.Matrix // the samples, in the units of the model; q is nil for one sample
	standardize string     // resolved
	scaling     *bke.Scaling
	inputs      *inputs.Set
	priors      bke.Priors
	model       *bke.Model
	fit         *bke.Fit
	candidates  []candidate // one for each kernel, all with the same pseudo-inputs
	interval    *bke.ThetaInterval
	notes       []string
}

// candidate is the model with one of the kernels that were asked for.
type candidate struct {
	radial kernels.Radial
	model  *bke.Model
	fit    *bke.Fit // with the priors
}

// newStudy chooses pseudo-inputs, doubling their number where the fit calls for it, and learns the
// hyperparameters.
func newStudy(ctx context.Context, m *modelFlags, con *console, data *dataset) (*study, error) {
	s := &study{flags: m, con: con, data: data, all: data.pooled(), standardize: m.standardize,
		notes: slices.Clone(data.notes)}
	_, dim := data.p.Dims()
	if s.standardize == "" {
		s.standardize = "prior"
		if dim > 1 {
			s.standardize = "columns"
		}
	}
	if err := s.scale(); err != nil {
		return nil, err
	}
	var err error
	unit := 0.0
	if s.standardize == "none" {
		unit = 1
	}
	if s.priors, err = m.priors(unit); err != nil {
		return nil, err
	}
	if s.inputs, err = s.chooseInputs(ctx); err != nil {
		return nil, err
	}
	list := m.kernel.list
	for len(s.candidates) < len(list) {
		s.radial = list[len(s.candidates)]
		if err := s.learn(ctx); err != nil {
			return nil, err
		}
		again, err := s.double(ctx)
		if err != nil {
			return nil, err
		}
		if !again {
			s.candidates = append(s.candidates, candidate{s.radial, s.model, s.fit})
		}
	}
	return s, nil
}

// pick goes on with the model of one of the kernels.
func (s *study) pick(c candidate) { s.radial, s.model, s.fit = c.radial, c.model, c.fit }

// double takes twice as many pseudo-inputs if the fit calls for it, or says why not. A weight that
// the user gave is meant for the number that there is: the critical one falls as m grows. Kernels are
// compared at the same pseudo-inputs, those that the first one calls for.
func (s *study) double(ctx context.Context) (bool, error) {
	d := s.model.Doubling(s.fit.Modes[0].Params.Theta)
	if !d.Wanted {
		return false, nil
	}
	k, _ := s.inputs.Z.Dims()
	line := s.con.working("choosing more pseudo-inputs")
	next, ok, err := s.inputs.Double(ctx, s.all)
	line.end()
	if err != nil {
		return false, err
	}
	if ok && s.flags.weight == "auto" && len(s.candidates) == 0 {
		m, _ := next.Z.Dims()
		s.notes = append(s.notes, fmt.Sprintf("The number of pseudo-inputs was raised from %d to "+
			"%d: %s", k, m, lowerFirst(d.Reasons[0])))
		s.inputs = next
		return true, nil
	}
	advice := ""
	switch n, _ := s.all.Dims(); {
	case s.inputs.Fixed || ok:
		advice = " Try twice as many."
	case k >= n/3:
		advice = " More than a third of the rows is not tried."
	}
	var reasons []string
	for _, r := range d.Reasons {
		reasons = append(reasons, lowerFirst(strings.TrimSuffix(r, ".")))
	}
	of := ""
	if len(s.flags.kernel.list) > 1 {
		of = " of " + s.radial.String()
	}
	s.notes = append(s.notes, fmt.Sprintf("With %d pseudo-inputs theta%s may reflect the gaps "+
		"between them: %s.%s", k, of, strings.Join(reasons, "; "), advice))
	return false, nil
}

// scale divides the columns by their sds if that is asked for.
func (s *study) scale() error {
	s.p, s.q = s.data.p, nil
	if s.data.q != nil {
		s.q = s.data.q
	}
	if s.standardize != "columns" {
		return nil
	}
	all, scaling, err := bke.Standardize(s.all)
	if err != nil {
		return s.explain(err)
	}
	s.all, s.scaling = all, scaling
	if s.p, err = scaling.Apply(s.data.p); err != nil {
		return err
	}
	if s.q != nil {
		s.q, err = scaling.Apply(s.data.q)
	}
	return err
}

// inUnits brings points from the units of the data into those of the model.
func (s *study) inUnits(points mat.Matrix) (mat.Matrix, error) {
	if s.scaling == nil {
		return points, nil
	}
	return s.scaling.Apply(points)
}

func (s *study) chooseInputs(ctx context.Context) (*inputs.Set, error) {
	m := s.flags
	o := inputs.Options{Number: m.inputs, Seed: m.seed}
	switch n, dim := s.all.Dims(); {
	case m.inputs > n:
		return nil, usagef("-inputs is %d, want at most %d, the number of rows", m.inputs, n)
	case m.inputsFrom == "quantiles" && dim > 1:
		return nil, usagef("-inputs-from quantiles is for one column, and the data have %d", dim)
	}
	if m.inputsFrom != "" {
		var err error
		if o.Kind, err = inputs.ParseKind(m.inputsFrom); err != nil {
			return nil, err
		}
	}
	if m.inputsFile != "" {
		t, err := openTable(s.con, m.inputsFile, table.Options{})
		if err != nil {
			return nil, err
		}
		n, dim := t.Data.Dims()
		if _, want := s.data.p.Dims(); dim != want {
			return nil, fmt.Errorf("%s: has %s, want %d as the data have", m.inputsFile,
				plural(dim, "column"), want)
		}
		if rows, _ := s.all.Dims(); n > rows {
			return nil, fmt.Errorf("%s: has %d pseudo-inputs for data of %d rows, want fewer",
				m.inputsFile, n, rows)
		}
		o.Kind = inputs.Given
		if o.Points, err = s.inUnits(t.Data); err != nil {
			return nil, err
		}
	}
	defer s.con.working("choosing pseudo-inputs").end()
	in, err := inputs.Choose(ctx, s.all, o)
	if err != nil {
		return nil, s.explain(err)
	}
	return in, nil
}

// learn fits the model to the inputs that s has.
func (s *study) learn(ctx context.Context) error {
	o, err := s.flags.options()
	if err != nil {
		return err
	}
	o.Kernel = s.radial
	m, _ := s.inputs.Z.Dims()
	defer s.con.working("learning kernel %s with %d pseudo-inputs", s.radial, m).end()
	s.model, err = bke.NewModelContext(ctx, s.inputs.Likelihood(s.all), s.inputs.Z, o)
	if err != nil {
		return s.explain(err)
	}
	s.fit, err = s.model.Learn(ctx, bke.Search{Priors: &s.priors, Seed: s.flags.seed})
	return err
}

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

// explain says in the words of the program what the model found wrong with the data.
func (s *study) explain(err error) error {
	return fmt.Errorf("%s: %w", s.data.source, err)
}

// scaleOfTheta is the unit of theta's prior.
func (s *study) scaleOfTheta() float64 {
	if s.priors.ThetaScale > 0 {
		return s.priors.ThetaScale
	}
	return s.model.PooledSD()
}

// describe says in one line what the model is.
func (s *study) describe() string {
	n, _ := s.all.Dims()
	_, dim := s.data.p.Dims()
	text := fmt.Sprintf("n = %d", n)
	if s.q != nil {
		a, _ := s.p.Dims()
		b, _ := s.q.Dims()
		text = fmt.Sprintf("n = %d + %d", a, b)
	}
	text += fmt.Sprintf(", D = %d, kernel %s, m = %d %s, weight %.4g, nu %s", dim, s.radial,
		s.model.M(), s.whence(), s.model.Weight(), s.flags.nu)
	if s.flags.ard {
		text += ", a lengthscale for each column"
	}
	if s.flags.tau2 > 0 {
		text += fmt.Sprintf(", tau2 = %g", s.flags.tau2)
	}
	if s.flags.eta > 0 {
		text += fmt.Sprintf(", eta = %g", s.flags.eta)
	}
	switch unit := s.scaleOfTheta(); {
	case fmt.Sprintf("%.4g", unit) == "1":
		text += fmt.Sprintf(", theta ~ %s", s.flags.theta)
	default:
		text += fmt.Sprintf(", theta/%.4g ~ %s", unit, s.flags.theta)
	}
	if s.flags.tau2 == 0 {
		text += fmt.Sprintf(", tau2 ~ %s", s.flags.tau2Prior)
	}
	if s.flags.nu == "gaussian" && s.flags.eta == 0 {
		if s.flags.etaPr == "" {
			text += ", eta/sd ~ gamma(1,1)"
		} else {
			text += ", eta ~ " + s.flags.etaPr
		}
	}
	if v := s.flags.thetaMin; v > 0 {
		text += fmt.Sprintf(", theta above %g", v)
	}
	if v := s.flags.thetaMax; v > 0 {
		text += fmt.Sprintf(", theta below %g", v)
	}
	return text + fmt.Sprintf(", standardized: %s, seed %d, path %s", s.standardize,
		s.flags.seed, s.model.Path())
}

// whence says where the pseudo-inputs came from.
func (s *study) whence() string {
	switch s.inputs.Kind {
	case inputs.Quantiles:
		return "quantiles"
	case inputs.KMeans:
		return "k-means centres"
	case inputs.HeldOut:
		return "held-out rows"
	}
	return "points of " + s.flags.inputsFile
}

// lowerFirst makes a sentence the part of another.
func lowerFirst(s string) string {
	if s == "" || len(s) > 1 && s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	if s[0] >= 'A' && s[0] <= 'Z' {
		return string(s[0]+'a'-'A') + s[1:]
	}
	return s
}
