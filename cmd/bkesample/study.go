package main

import (
	"context"
	"fmt"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/internal/table"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

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
	return s, s.learnKernels(ctx)
}

// learnKernels chooses pseudo-inputs, as many as the fit calls for, and learns the hyperparameters
// with each kernel.
func (s *study) learnKernels(ctx context.Context) error {
	in, err := s.inputOptions()
	if err != nil {
		return err
	}
	o, err := s.flags.options()
	if err != nil {
		return err
	}
	line := s.con.working("choosing pseudo-inputs")
	fitted, err := bke.LearnKernels(ctx, s.all, in, o, bke.Search{Priors: &s.priors,
		Seed: s.flags.seed, Progress: func(what string) { line.step(what, 0, 0) }},
		s.flags.kernel.list)
	line.end()
	if err != nil {
		return s.explain(err)
	}
	for k, f := range fitted {
		s.candidates = append(s.candidates, candidate{s.flags.kernel.list[k], f.Model, f.Fit})
		s.notes = append(s.notes, f.Notes...)
		s.inputs = f.Inputs
	}
	s.pick(s.candidates[0])
	return nil
}

// pick goes on with the model of one of the kernels.
func (s *study) pick(c candidate) { s.radial, s.model, s.fit = c.radial, c.model, c.fit }

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

// inputOptions says which pseudo-inputs are wanted.
func (s *study) inputOptions() (inputs.Options, error) {
	m := s.flags
	o := inputs.Options{Number: m.inputs, Seed: m.seed}
	switch n, dim := s.all.Dims(); {
	case m.inputs > n:
		return o, usagef("-inputs is %d, want at most %d, the number of rows", m.inputs, n)
	case m.inputsFrom == "quantiles" && dim > 1:
		return o, usagef("-inputs-from quantiles is for one column, and the data have %d", dim)
	}
	var err error
	if m.inputsFrom != "" {
		if o.Kind, err = inputs.ParseKind(m.inputsFrom); err != nil {
			return o, err
		}
	}
	if m.inputsFile == "" {
		return o, nil
	}
	t, err := openTable(s.con, m.inputsFile, table.Options{})
	if err != nil {
		return o, err
	}
	n, dim := t.Data.Dims()
	if _, want := s.data.p.Dims(); dim != want {
		return o, fmt.Errorf("%s: has %s, want %d as the data have", m.inputsFile,
			plural(dim, "column"), want)
	}
	if rows, _ := s.all.Dims(); n > rows {
		return o, fmt.Errorf("%s: has %d pseudo-inputs for data of %d rows, want fewer",
			m.inputsFile, n, rows)
	}
	o.Kind = inputs.Given
	o.Points, err = s.inUnits(t.Data)
	return o, err
}

// relearn fits the model to the inputs and priors that s has.
func (s *study) relearn(ctx context.Context) error {
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
	if s.inputs.Kind == inputs.Given {
		return "points of " + s.flags.inputsFile
	}
	return kindWords(s.inputs.Kind)
}

// kindWords says what pseudo-inputs of a kind are.
func kindWords(k inputs.Kind) string {
	switch k {
	case inputs.KMeans:
		return "k-means centres"
	case inputs.HeldOut:
		return "held-out rows"
	}
	return k.String()
}
