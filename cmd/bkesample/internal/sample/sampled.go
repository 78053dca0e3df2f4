package sample

import (
	"context"
	"strings"

	"bayeskernel/bke/quadrature"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/draws"
)

// compareFlags say what to compare the draws with.
type compareFlags struct {
	verify, Sensitivity bool
}

// define defines the flags.
func (f *compareFlags) define(s *cli.FlagSet) {
	s.Yes(&f.verify, "verify", "compare the draws with the exact posterior given these "+
		"pseudo-inputs, by quadrature")
	s.Yes(&f.Sensitivity, "sensitivity", "repeat the learning with other pseudo-inputs and "+
		"priors, and show how much theta and the verdict move")
}

// check rejects -verify if too many hyperparameters are free for data of dim columns.
func (f *compareFlags) check(m *study.ModelFlags, dim int) error {
	if free := m.Free(dim); f.verify && len(free) > quadrature.MostFree {
		return cli.Usagef("-verify integrates over at most %d hyperparameters, and %d are free: %s",
			quadrature.MostFree, len(free), strings.Join(free, ", "))
	}
	return nil
}

// asked names the comparisons that the user asked for.
func (f *compareFlags) asked() string {
	var list []string
	if f.verify {
		list = append(list, "-verify")
	}
	if f.Sensitivity {
		list = append(list, "-sensitivity")
	}
	return cli.OrList(list)
}

// sampled is everything computed from the chains of a study.
type sampled struct {
	Study       *study.Study
	Run         *draws.Run
	Draws       *draws.Summary
	Partial     bool
	Shown       *shown
	Influence   []influence
	Compare     *compareFlags
	Verified    []verified
	Sensitivity []sensitivityRow
	Interrupted string       // the comparisons that were not ended, or ""
	Bayes       *tests.Bayes // nil without -bayes
	Sizes       *tests.Sizes // of the differences; nil for one sample
}

// newSampled computes the results from the draws. If partial is set, the run ended early; the
// samples are compared anyway.
func newSampled(ctx context.Context, con *cli.Console, s *study.Study, run *draws.Run, partial bool, f *witnessFlags,
	v *verdictFlags, b *tests.BayesFlags, compare *compareFlags) (*sampled, error) {
	r := &sampled{Study: s, Run: run, Draws: run.Summary(), Partial: partial, Compare: compare}
	var err error
	if r.Shown, err = show(context.WithoutCancel(ctx), con, s, run, f, v); err != nil {
		return nil, err
	}
	r.Bayes, err = b.Factor(context.WithoutCancel(ctx), con, s.Data, v.permutations, s.Flags.Seed)
	if err != nil {
		return nil, err
	}
	if r.Sizes, err = tests.NewSizes(context.WithoutCancel(ctx), s.Data, b.Paired, s.Flags.Seed); err != nil {
		return nil, err
	}
	r.Influence = influences(s, run)
	return r, r.comparisons(ctx, con)
}

// comparisons runs the comparisons that the user asked for, until interrupted.
func (r *sampled) comparisons(ctx context.Context, con *cli.Console) (err error) {
	if r.Compare.verify {
		r.Verified, err = verify(ctx, con, r.Study, r.Draws)
	}
	if r.Compare.Sensitivity && err == nil {
		r.Sensitivity, err = sensitivity(ctx, con, r.Study)
	}
	if ctx.Err() != nil {
		r.Interrupted = r.Compare.asked()
		return nil
	}
	return err
}
