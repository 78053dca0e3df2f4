package main

import (
	"bayeskernel/draws"
	"context"
	"slices"
	"strings"
)

// compareFlags say what the draws are compared with.
type compareFlags struct {
	verify, sensitivity bool
}

func (f *compareFlags) define(s *flagSet) {
	s.yes(&f.verify, "verify", "compare the draws with the exact posterior given these "+
		"pseudo-inputs, by quadrature")
	s.yes(&f.sensitivity, "sensitivity", "repeat the learning with other pseudo-inputs and "+
		"priors, and show how much theta and the verdict move")
}

// check refuses -verify where too many hyperparameters are free, with data of dim columns.
func (f *compareFlags) check(m *modelFlags, dim int) error {
	if free := m.free(dim); f.verify && len(free) > mostVerified {
		return usagef("-verify integrates over at most %d hyperparameters, and %d are free: %s",
			mostVerified, len(free), strings.Join(free, ", "))
	}
	return nil
}

// asked names the comparisons that were asked for.
func (f *compareFlags) asked() string {
	var list []string
	if f.verify {
		list = append(list, "-verify")
	}
	if f.sensitivity {
		list = append(list, "-sensitivity")
	}
	return orList(list)
}

// sampled is all that the chains of a study have led to.
type sampled struct {
	study       *study
	run         *draws.Run
	draws       *draws.Summary
	partial     bool
	witness     *witness
	influence   []influence
	compare     *compareFlags
	verified    []verified
	sensitivity []sensitivityRow
	interrupted string // the comparisons that were not ended, or ""
}

// newSampled computes what follows from the draws; partial is set if something ended the run early.
func newSampled(ctx context.Context, s *study, run *draws.Run, partial bool, f *witnessFlags,
	compare *compareFlags) (*sampled, error) {
	r := &sampled{study: s, run: run, draws: run.Summary(), partial: partial, compare: compare}
	params, err := hyperparameters(s.model, run, drawsWanted(s))
	if err != nil {
		return nil, err
	}
	line := s.con.working("witness of %s", plural(len(params), "draw"))
	r.witness, err = newWitness(s, f, params)
	line.end()
	if err != nil {
		return nil, err
	}
	r.influence = influences(s, run)
	r.draws.Warnings = slices.DeleteFunc(r.draws.Warnings, func(w draws.Warning) bool {
		met := w.Kind == draws.WarnStopped && strings.HasPrefix(r.draws.Stopped, "targets met")
		if met {
			r.draws.Notes = append(r.draws.Notes, "The run ended early, as -until asks: "+
				r.draws.Stopped+".")
		}
		return met
	})
	return r, r.comparisons(ctx, f)
}

// comparisons makes those that were asked for, until it is interrupted.
func (r *sampled) comparisons(ctx context.Context, f *witnessFlags) (err error) {
	if r.compare.verify {
		r.verified, err = verify(ctx, r.study, r.draws)
	}
	if r.compare.sensitivity && err == nil {
		r.sensitivity, err = sensitivity(ctx, r.study, f)
	}
	if ctx.Err() != nil {
		r.interrupted = r.compare.asked()
		return nil
	}
	return err
}
