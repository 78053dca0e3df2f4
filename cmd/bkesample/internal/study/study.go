// Package study combines a data set and its model: the flags that describe the model, the
// pseudo-inputs, the mode of the posterior of the hyperparameters, and the interval of theta. The
// data are rows, or a summary made in one pass over them. The package also describes the model in
// words and in JSON.
package study

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/frame"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Study is a data set, its model and the mode of its posterior.
type Study struct {
	Flags       *ModelFlags
	Data        *input.Dataset
	Radial      kernels.Radial
	All         mat.Matrix // all rows, in the units of the model
	P, Q        mat.Matrix // the samples, in the units of the model; Q is nil for one sample
	Standardize string     // resolved
	Scaling     *bke.Scaling
	Inputs      *inputs.Set
	Priors      bke.Priors
	Model       *bke.Model
	Fit         *bke.Fit
	Candidates  []Candidate // one for each kernel, all with the same pseudo-inputs
	Interval    *bke.ThetaInterval
	Notes       []string
	Summed      *Summed // nil where the rows are all there
	Tabulated   bool    // the sums over the rows, for the chains
}

// Candidate is the model with one of the requested kernels.
type Candidate struct {
	Radial kernels.Radial
	Model  *bke.Model
	Fit    *bke.Fit // with the priors
}

// New chooses pseudo-inputs and learns the hyperparameters. It doubles the number of pseudo-inputs
// until the fit is good enough.
func New(ctx context.Context, con *cli.Console, m *ModelFlags, data *input.Dataset) (*Study,
	error) {
	s := &Study{Flags: m, Data: data, All: data.Pooled(), Standardize: m.Standardize,
		Notes: slices.Clone(data.Notes)}
	_, dim := data.P.Dims()
	s.Standardize = Standardized(m.Standardize, dim)
	if err := s.scale(); err != nil {
		return nil, err
	}
	if err := s.drawIn(); err != nil {
		return nil, err
	}
	var err error
	unit := 0.0
	if s.Standardize == "none" {
		unit = 1
	}
	if s.Priors, err = m.priors(unit); err != nil {
		return nil, err
	}
	return s, s.learnKernels(ctx, con)
}

// learnKernels chooses as many pseudo-inputs as the fit needs, and learns the hyperparameters with
// each kernel.
func (s *Study) learnKernels(ctx context.Context, con *cli.Console) error {
	in, err := s.inputOptions(con)
	if err != nil {
		return err
	}
	o, err := s.Flags.options()
	if err != nil {
		return err
	}
	line := con.Working("choosing pseudo-inputs")
	fitted, err := bke.LearnKernels(ctx, s.All, in, o, bke.LearnOptions{Priors: &s.Priors,
		Seed: s.Flags.Seed, Progress: line.Step},
		s.Flags.Kernel.List)
	line.End()
	if err != nil {
		return s.Explain(err)
	}
	for k, f := range fitted {
		s.Candidates = append(s.Candidates, Candidate{s.Flags.Kernel.List[k], f.Model, f.Fit})
		s.Notes = append(s.Notes, f.Notes...)
		s.Inputs = f.Inputs
	}
	s.Pick(s.Candidates[0])
	return nil
}

// Pick makes one of the candidates the model of the study.
func (s *Study) Pick(c Candidate) { s.Radial, s.Model, s.Fit = c.Radial, c.Model, c.Fit }

// scale divides the columns by their sds if the user asked for that.
func (s *Study) scale() error {
	s.P, s.Q = s.Data.P, nil
	if s.Data.Q != nil {
		s.Q = s.Data.Q
	}
	if s.Standardize != "columns" {
		return nil
	}
	all, scaling, err := bke.StandardizeBulk(s.All)
	if err != nil {
		return s.Explain(err)
	}
	s.All, s.Scaling = all, scaling
	if s.P, err = scaling.Apply(s.Data.P); err != nil {
		return err
	}
	if s.Q != nil {
		s.Q, err = scaling.Apply(s.Data.Q)
	}
	return err
}

// drawIn draws in the tails of the columns that have heavy ones.
func (s *Study) drawIn() error {
	if s.Flags.inputsFile != "" {
		return nil
	}
	all, columns, err := bke.DrawIn(s.All)
	if err != nil {
		return s.Explain(err)
	}
	if columns == nil {
		return nil
	}
	var names []string
	for _, j := range columns {
		names = append(names, s.Data.Columns[j])
	}
	s.All = mat.DenseCopyOf(all)
	s.Notes = append(s.Notes, fmt.Sprintf("The tails of %s are heavy: theta is learned from the data with values beyond "+
		"three standard deviations of their bulk drawn in.", strings.Join(names, ", ")))
	return nil
}

// inUnits converts points from the units of the data to those of the model.
func (s *Study) inUnits(points mat.Matrix) (mat.Matrix, error) {
	if s.Scaling == nil {
		return points, nil
	}
	return s.Scaling.Apply(points)
}

// inputOptions are the options for pseudo-inputs.
func (s *Study) inputOptions(con *cli.Console) (inputs.Options, error) {
	m := s.Flags
	o := inputs.Options{Number: m.Inputs, Seed: m.Seed}
	switch n, dim := s.All.Dims(); {
	case m.Inputs > n:
		return o, cli.Usagef("-inputs is %d, want at most %d, the number of rows", m.Inputs, n)
	case m.InputsFrom == "quantiles" && dim > 1:
		return o, cli.Usagef("-inputs-from quantiles is for one column, and the data have %d", dim)
	}
	if err := ReadInputs(con, &o, m.InputsFrom, m.inputsFile); err != nil || o.Points == nil {
		return o, err
	}
	n, dim := o.Points.Dims()
	if _, want := s.Data.P.Dims(); dim != want {
		return o, fmt.Errorf("%s: has %s, want %d as the data have", m.inputsFile,
			cli.Plural(dim, "column"), want)
	}
	if rows, _ := s.All.Dims(); n > rows {
		return o, fmt.Errorf("%s: has %d pseudo-inputs for data of %d rows, want fewer",
			m.inputsFile, n, rows)
	}
	o.Kind = inputs.Given
	var err error
	o.Points, err = s.inUnits(o.Points)
	return o, err
}

// Standardized is how columns are standardized: if nobody asked, one column is left to the prior, and of several each is
// divided.
func Standardized(asked string, columns int) string {
	switch {
	case asked != "":
		return asked
	case columns > 1:
		return "columns"
	}
	return "prior"
}

// ReadInputs sets by which rule pseudo-inputs are chosen, or the points of a file; "" for neither.
func ReadInputs(con *cli.Console, o *inputs.Options, rule, file string) (err error) {
	if rule != "" {
		if o.Kind, err = inputs.ParseKind(rule); err != nil {
			return err
		}
	}
	if file == "" {
		return nil
	}
	t, err := input.Open(con, file, frame.Options{Numbers: true})
	if err == nil {
		o.Points = t.Data
	}
	return err
}

// Relearn fits the model with the current pseudo-inputs and priors.
func (s *Study) Relearn(ctx context.Context, con *cli.Console) error {
	o, err := s.Flags.options()
	if err != nil {
		return err
	}
	o.Kernel = s.Radial
	m, _ := s.Inputs.Z.Dims()
	defer con.Working("learning kernel %s with %d pseudo-inputs", s.Radial, m).End()
	s.Model, err = bke.NewModelContext(ctx, s.Inputs.Likelihood(s.All), s.Inputs.Z, o)
	if err != nil {
		return s.Explain(err)
	}
	s.Fit, err = s.Model.Learn(ctx, bke.LearnOptions{Priors: &s.Priors, Seed: s.Flags.Seed})
	return err
}

// Explain rewrites an error of the model about the data in the program's words.
func (s *Study) Explain(err error) error {
	return fmt.Errorf("%s: %w", s.Data.Source, err)
}

// ScaleOfTheta is the unit of the prior on theta.
func (s *Study) ScaleOfTheta() float64 {
	if s.Priors.ThetaScale > 0 {
		return s.Priors.ThetaScale
	}
	return s.Model.PooledSD()
}

// Describe describes the model in one line.
func (s *Study) Describe() string {
	_, dim := s.Data.P.Dims()
	a, b := s.Data.Rows()
	text := fmt.Sprintf("n = %d", a)
	if s.Q != nil {
		text = fmt.Sprintf("n = %d + %d", a, b)
	}
	text += fmt.Sprintf(", D = %d, kernel %s, m = %d %s, weight %.4g, nu %s", dim, s.Radial,
		s.Model.M(), s.whence(), s.Model.Weight(), s.Flags.Nu)
	if s.Flags.Ard {
		text += ", a lengthscale for each column"
	}
	if s.Flags.Tau2 > 0 {
		text += fmt.Sprintf(", tau2 = %g", s.Flags.Tau2)
	}
	if s.Flags.Eta > 0 {
		text += fmt.Sprintf(", eta = %g", s.Flags.Eta)
	}
	switch unit := s.ScaleOfTheta(); {
	case fmt.Sprintf("%.4g", unit) == "1":
		text += fmt.Sprintf(", theta ~ %s", s.Flags.Theta)
	default:
		text += fmt.Sprintf(", theta/%.4g ~ %s", unit, s.Flags.Theta)
	}
	if s.Flags.Tau2 == 0 {
		text += fmt.Sprintf(", tau2 ~ %s", s.Flags.Tau2Prior)
	}
	if s.Flags.Nu == "gaussian" && s.Flags.Eta == 0 {
		if s.Flags.EtaPr == "" {
			text += ", eta/sd ~ gamma(1,1)"
		} else {
			text += ", eta ~ " + s.Flags.EtaPr
		}
	}
	if v := s.Flags.ThetaMin; v > 0 {
		text += fmt.Sprintf(", theta above %g", v)
	}
	if v := s.Flags.ThetaMax; v > 0 {
		text += fmt.Sprintf(", theta below %g", v)
	}
	return text + fmt.Sprintf(", standardized: %s, seed %d", s.Standardize, s.Flags.Seed)
}

// whence says how the pseudo-inputs were chosen.
func (s *Study) whence() string {
	if s.Inputs.Kind == inputs.Given {
		return "points of " + s.Flags.inputsFile
	}
	return KindWords(s.Inputs.Kind)
}

// KindWords describes a kind of pseudo-inputs.
func KindWords(k inputs.Kind) string {
	switch k {
	case inputs.KMeans:
		return "k-means centres"
	case inputs.HeldOut:
		return "held-out rows"
	}
	return k.String()
}
