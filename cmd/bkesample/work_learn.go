package main

import (
	"bayeskernel/bke"
	"bayeskernel/kernels"
	"context"
)

// learning is what the kernels of a study have led to, without sampling.
type learning struct {
	study     *study      // goes on with the best kernel
	objective string      // "pseudolikelihood" or "posterior"
	kernels   []kernelRow // the best first
	medians   []medianRule
	profile   *bke.Profile // over theta; nil with several lengthscales
}

// medianRule is a lengthscale by the median heuristic.
type medianRule struct {
	Rule  string `json:"rule"`
	Theta number `json:"theta"`
}

// learn compares the kernels and looks closer at the best.
func learn(ctx context.Context, s *study, posterior bool) (*learning, error) {
	l := &learning{study: s, objective: "posterior"}
	var err error
	if l.kernels, err = compareKernels(ctx, s); err != nil {
		return nil, err
	}
	s.pick(l.kernels[0].candidate)
	priors := &s.priors
	if !posterior {
		l.objective, s.fit, priors = "pseudolikelihood", l.kernels[0].free, nil
	}
	if err := s.findInterval(ctx, priors); err != nil {
		return nil, err
	}
	if l.medians, err = medianRules(s); err != nil || s.flags.ard {
		return l, err
	}
	line := s.con.working("profile over theta")
	defer line.end()
	l.profile, err = s.model.Profile(ctx, nil)
	return l, err
}

// medianRules are the three conventions, in the units of the model.
func medianRules(s *study) ([]medianRule, error) {
	med, err := kernels.MedianDistance(s.all, s.flags.seed)
	if err != nil {
		return nil, s.explain(err)
	}
	var out []medianRule
	for _, c := range []kernels.Convention{kernels.MedianOverSqrt2, kernels.Median,
		kernels.Sqrt2Median} {
		out = append(out, medianRule{c.String(), number(med.Lengthscale(c))})
	}
	return out, nil
}
