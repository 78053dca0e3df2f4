package sample

import (
	"context"

	"bayeskernel/bke"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/compare"
	"bayeskernel/draws"
	"bayeskernel/embedding"
	"bayeskernel/kerneltest"
	"bayeskernel/summary"
)

// witnessFlags say how the witness is estimated and shown.
type witnessFlags struct {
	noise, Scale string
	observe      string
	band         float64
}

// define defines the flags.
func (f *witnessFlags) define(s *cli.FlagSet) {
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

// check returns an error if the flags are wrong.
func (f *witnessFlags) check(s *cli.FlagSet) error {
	if !(f.band > 0 && f.band < 1) {
		return cli.Usagef("-band is %v, want it between 0 and 1", f.band)
	}
	if s.Given("observe") {
		return cli.Usagef("-observe is no longer a flag: embeddings are now observed at the points drawn, " +
			"so there is nothing to choose")
	}
	return nil
}

// verdictFlags are the flags of the test that a run reports first.
type verdictFlags struct {
	Blocks       string
	alpha        float64
	permutations int
}

func (f *verdictFlags) define(s *cli.FlagSet) {
	s.Group("Test")
	s.Number(&f.alpha, "alpha", 0.05, "`level` of the test")
	s.Whole(&f.permutations, "permutations", 999, "`number` of permutations")
	s.Text(&f.Blocks, "blocks", "", "exchange rows only within the groups (patients, days, strata) "+
		"that this `column` names; it is left out of the data")
}

func (f *verdictFlags) check(*cli.FlagSet) error { return tests.CheckLevel(f.alpha, f.permutations) }

// options are those of the test that bkesample twosample runs by default on the same data.
func (f *verdictFlags) options(s *study.Study) kerneltest.Options {
	o := kerneltest.Options{Alpha: f.alpha, Permutations: f.permutations, Seed: s.Flags.Seed}
	if o.Kernel.Model.Path = s.Flags.Path; s.Flags.Path == "auto" {
		o.Kernel.Model.Path = ""
	}
	if s.Flags.Kernel.Named {
		o.Kernel.Model.Kernel = s.Radial
	}
	switch s.Flags.Standardize {
	case "columns":
		o.Standardize = kerneltest.StandardizeAlways
	case "none":
		o.Standardize = kerneltest.StandardizeNever
	}
	return o
}

// shown is the result for the witness of two samples, or for the mean embedding of one.
type shown struct {
	Two   *compare.Result      // nil for one sample
	One   *compare.Description // nil for two
	Other *compare.Witness     // at the other scale of the test; nil if there is none
	Scale string               // of the witness: test, other or paper
	Noise string
}

// witness is the function to show; nil if none can be drawn.
func (s *shown) witness() *compare.Witness {
	if s.One != nil {
		return s.One.Embedding
	}
	return s.Two.Witness
}

// show compares two samples, or describes one, with the draws of a run.
func show(ctx context.Context, con *cli.Console, s *study.Study, run *draws.Run, f *witnessFlags, v *verdictFlags) (*shown,
	error) {
	params, err := hyperparameters(s.Model, run, mostDraws)
	if err != nil {
		return nil, err
	}
	out := &shown{Scale: f.Scale, Noise: f.noise}
	if f.Scale == "auto" {
		out.Scale = "test"
		if s.Data.Synthetic || s.Q == nil {
			out.Scale = "paper"
		}
	}
	o := compare.Options{Columns: s.Data.Columns, Inexact: s.Data.Inexact(), Ordered: s.Data.Ordered, Write: s.Data.Write, Test: v.options(s), Pointwise: f.band,
		Posterior: &compare.Posterior{Model: s.Model, Scaling: s.Scaling, Draws: params},
		Seed:      s.Flags.Seed}
	if o.Noise, err = embedding.ParseNoise(f.noise); err != nil {
		return nil, err
	}
	if out.Scale == "paper" {
		o.Scale = compare.Paper()
	}
	line := con.Working("comparing the samples")
	defer line.End()
	o.Progress = line.Step
	both, notes, err := tests.Pictured(s.Summed, s.Data)
	if err != nil {
		return nil, err
	}
	s.Tell(notes)
	if s.Q == nil {
		out.One, err = compare.Describe(ctx, both[0], o)
		return out, explained(s, err)
	}
	if s.Summed != nil {
		alone, err := tests.ColumnsAlone(ctx, con, s.Summed, s.Flags.Path, o.Test)
		if err != nil {
			return nil, s.Explain(err)
		}
		if o.Tested, err = testSummed(s.Summed, v, s.Flags.Seed, alone.Sums); err != nil {
			return nil, err
		}
		o.Alone = alone.Tests
		s.Tell(alone.Notes)
	}
	if out.Two, err = compare.Samples(ctx, both[0], both[1], o); err != nil {
		return nil, s.Explain(err)
	}
	return out, explained(s, out.rescale(ctx))
}

// rescale draws the witness at those scales of the test that are not drawn yet.
func (s *shown) rescale(ctx context.Context) (err error) {
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

// otherRung is the second strongest scale of a test, as a multiple of the learned theta.
func otherRung(t *kerneltest.Result) (float64, bool) {
	if len(t.Scales) < 2 || t.Scales[1].Rung == 0 {
		return 0, false
	}
	return t.Scales[1].Rung, true
}

// explained is Explain, but passes nil through.
func explained(s *study.Study, err error) error {
	if err == nil {
		return nil
	}
	return s.Explain(err)
}

// mostDraws is the largest number of draws of the hyperparameters that results use.
const mostDraws = 1000

// testSummed compares the samples of a summary.
func testSummed(s *study.Summed, v *verdictFlags, seed uint64, columns []*summary.Summary) (*kerneltest.Result, error) {
	r, err := s.Sum.TwoSample(s.Names[0], s.Names[1], summary.TestOptions{Alpha: v.alpha,
		Permutations: v.permutations, Seed: seed, Columns: columns})
	if err != nil {
		return nil, err
	}
	if r.Kernel.Scaling == nil && s.Sum.Plan().Standardize == "columns" {
		r.Kernel.Scaling = &bke.Scaling{SD: s.Sum.Plan().SD}
	}
	return r, nil
}
