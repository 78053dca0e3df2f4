package learn

import (
	"context"

	"bayeskernel/bke"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/kernels"
)

// learning is what was learned about the kernels of a study, without sampling.
type learning struct {
	Study     *study.Study // goes on with the best kernel
	Objective string       // "pseudolikelihood" or "posterior"
	Kernels   []KernelRow  // the best first
	Medians   []medianRule
	Profile   *bke.Profile // over theta; nil with several lengthscales
}

// medianRule is a lengthscale by the median heuristic.
type medianRule struct {
	Rule  string        `json:"rule" doc:"The convention of the median heuristic."`
	Theta report.Number `json:"theta" doc:"Its lengthscale."`
}

// learn compares the kernels and studies the best one further.
func learn(ctx context.Context, con *cli.Console, s *study.Study, posterior bool) (*learning, error) {
	l := &learning{Study: s, Objective: "posterior"}
	var err error
	if l.Kernels, err = compareKernels(ctx, con, s); err != nil {
		return nil, err
	}
	s.Pick(l.Kernels[0].candidate)
	priors := &s.Priors
	if !posterior {
		l.Objective, s.Fit, priors = "pseudolikelihood", l.Kernels[0].free, nil
	}
	if err := s.FindInterval(ctx, con, priors); err != nil {
		return nil, err
	}
	if l.Medians, err = medianRules(s); err != nil || s.Flags.Ard {
		return l, err
	}
	line := con.Working("profile over theta")
	defer line.End()
	l.Profile, err = s.Model.Profile(ctx, nil)
	return l, err
}

// medianRules are three conventions for the median heuristic, in the units of the model.
func medianRules(s *study.Study) ([]medianRule, error) {
	med, err := kernels.MedianDistance(s.All, s.Flags.Seed)
	if err != nil {
		return nil, s.Explain(err)
	}
	var out []medianRule
	for _, c := range []kernels.Convention{kernels.MedianOverSqrt2, kernels.Median,
		kernels.Sqrt2Median} {
		out = append(out, medianRule{c.String(), report.Number(med.Lengthscale(c))})
	}
	return out, nil
}
