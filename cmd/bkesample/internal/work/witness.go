package work

import (
	"context"
	"math"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/compare"
	"bayeskernel/draws"
	"bayeskernel/embedding"
	"bayeskernel/kerneltest"
)

// WitnessFlags say how the witness is observed and shown.
type WitnessFlags struct {
	noise, Scale string
	observe      string
	band         float64
}

// Define defines the flags.
func (f *WitnessFlags) Define(s *cli.FlagSet) {
	s.Group("Witness")
	s.Choice(&f.Scale, "scale", "auto", []string{"auto", "test", "other", "paper"}, "the `scale` at "+
		"which the difference is drawn: the one of theta and 4 times theta at which the samples differ "+
		"most (test), the other of these (other), or theta and tau2 as sampled (paper); auto is test for "+
		"two samples, and paper for one and for the example")
	s.Choice(&f.noise, "noise", "clt", []string{"clt", "iid"}, "the `covariance` of the error of "+
		"the sample mean: clt (as in the central limit theorem), or iid (as in the paper; its bands "+
		"are too narrow)")
	s.Retired(&f.observe, "observe")
	s.Number(&f.band, "band", 0.8, "the posterior `probability` of the band at each point")
}

// Check finds what is wrong with the flags.
func (f *WitnessFlags) Check(s *cli.FlagSet) error {
	if !(f.band > 0 && f.band < 1) {
		return cli.Usagef("-band is %v, want it between 0 and 1", f.band)
	}
	if s.Given("observe") {
		return cli.Usagef("-observe is no longer a flag: embeddings are now observed at the points drawn, " +
			"so there is nothing to choose")
	}
	return nil
}

// VerdictFlags are those of the test that a run is led by.
type VerdictFlags struct {
	Blocks       string
	alpha        float64
	permutations int
}

func (f *VerdictFlags) Define(s *cli.FlagSet) {
	s.Group("Test")
	s.Number(&f.alpha, "alpha", 0.05, "`level` of the test")
	s.Whole(&f.permutations, "permutations", 999, "`number` of permutations")
	s.Text(&f.Blocks, "blocks", "", "exchange rows only within the groups (patients, days, strata) "+
		"that this `column` names; it is left out of the data")
}

func (f *VerdictFlags) Check(*cli.FlagSet) error { return checkLevel(f.alpha, f.permutations) }

// checkLevel wants a level that the permutations can reach.
func checkLevel(alpha float64, permutations int) error {
	switch {
	case !(alpha > 0 && alpha < 1):
		return cli.Usagef("-alpha is %v, want it between 0 and 1", alpha)
	case permutations < 1 || permutations > mostPermutations:
		return cli.Usagef("-permutations is %d, want between 1 and %d", permutations,
			mostPermutations)
	case 1/float64(permutations+1) > alpha:
		return cli.Usagef("-permutations is %d, with which no p-value is as small as -alpha, %v: want at "+
			"least %.0f", permutations, alpha, math.Ceil(1/alpha-1))
	}
	return nil
}

// options are those of the test that bkesample twosample makes of the same data by default.
func (f *VerdictFlags) options(s *Study) kerneltest.Options {
	o := kerneltest.Options{Alpha: f.alpha, Permutations: f.permutations, Seed: s.Flags.Seed}
	if o.Kernel.Model.Path = s.Flags.path; s.Flags.path == "auto" {
		o.Kernel.Model.Path = ""
	}
	if s.Flags.Kernel.Named {
		o.Kernel.Model.Kernel = s.Radial
	}
	switch s.Flags.standardize {
	case "columns":
		o.Standardize = kerneltest.StandardizeAlways
	case "none":
		o.Standardize = kerneltest.StandardizeNever
	}
	return o
}

// Shown is what the witness of two samples, or the mean embedding of one, has led to.
type Shown struct {
	Two   *compare.Result      // nil for one sample
	One   *compare.Description // nil for two
	Other *compare.Witness     // at the other scale of the test; nil if there is none
	Scale string               // of the witness: test, other or paper
	Noise string
}

// Witness is the function that is shown; nil if none can be drawn.
func (s *Shown) Witness() *compare.Witness {
	if s.One != nil {
		return s.One.Embedding
	}
	return s.Two.Witness
}

// show compares the samples, or describes the one there is, with the draws of a run.
func (s *Study) show(ctx context.Context, run *draws.Run, f *WitnessFlags, v *VerdictFlags) (*Shown,
	error) {
	params, err := hyperparameters(s.Model, run, mostDraws)
	if err != nil {
		return nil, err
	}
	out := &Shown{Scale: f.Scale, Noise: f.noise}
	if f.Scale == "auto" {
		out.Scale = "test"
		if s.Data.Synthetic || s.Q == nil {
			out.Scale = "paper"
		}
	}
	o := compare.Options{Columns: s.Data.Columns, Test: v.options(s), Pointwise: f.band,
		Posterior: &compare.Posterior{Model: s.Model, Scaling: s.Scaling, Draws: params},
		Seed:      s.Flags.Seed}
	if o.Noise, err = embedding.ParseNoise(f.noise); err != nil {
		return nil, err
	}
	if out.Scale == "paper" {
		o.Scale = compare.Paper()
	}
	line := s.con.Working("comparing the samples")
	defer line.End()
	o.Progress = line.Step
	if s.Q == nil {
		one := samples(s.Data)
		if s.summed != nil {
			s.summed.means(&one)
		}
		out.One, err = compare.Describe(ctx, one[0], o)
		return out, s.explained(err)
	}
	both := samples(s.Data)
	if s.summed != nil {
		if o.Tested, err = s.summed.test(v, s.Flags.Seed); err != nil {
			return nil, err
		}
		s.summed.means(&both)
	}
	if out.Two, err = compare.Samples(ctx, both[0], both[1], o); err != nil {
		return nil, s.explain(err)
	}
	return out, s.explained(out.rescale(ctx))
}

// rescale draws the witness at the scales of the test that are not drawn yet.
func (s *Shown) rescale(ctx context.Context) (err error) {
	other, ok := otherRung(s.Two.Test)
	if s.Two.Witness == nil || !ok {
		return nil
	}
	switch s.Scale {
	case "paper":
		s.Other, err = s.Two.At(ctx, compare.Scale{})
	case "test":
		s.Other, err = s.Two.At(ctx, compare.Scale{Rung: other})
	case "other":
		s.Other = s.Two.Witness
		s.Two.Witness, err = s.Two.At(ctx, compare.Scale{Rung: other})
	}
	return err
}

// otherRung is the strongest scale of a test but one, as a multiple of the learned theta.
func otherRung(t *kerneltest.Result) (float64, bool) {
	if len(t.Scales) < 2 || t.Scales[1].Rung == 0 {
		return 0, false
	}
	return t.Scales[1].Rung, true
}

// samples are those of a data set, with their weights and blocks.
func samples(d *input.Dataset) [2]compare.Sample {
	out := [2]compare.Sample{{Name: d.PName, X: d.P}, {Name: d.QName}}
	n, _ := d.P.Dims()
	if d.Q != nil {
		out[1].X = d.Q
	}
	if w := d.Weights; w != nil {
		for k := range out {
			out[k].Weights = w.Given[k]
		}
	}
	if d.Blocks != nil {
		out[0].Blocks, out[1].Blocks = d.Blocks[:n], d.Blocks[n:]
	}
	return out
}

// explained is explain where there may be no error.
func (s *Study) explained(err error) error {
	if err == nil {
		return nil
	}
	return s.explain(err)
}

// mostDraws is the number of draws of the hyperparameters that results use at most.
const mostDraws = 1000
