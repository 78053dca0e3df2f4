package work

import (
	"context"
	"slices"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/draws"
)

// CompareFlags say what the draws are compared with.
type CompareFlags struct {
	verify, Sensitivity bool
}

// Define defines the flags.
func (f *CompareFlags) Define(s *cli.FlagSet) {
	s.Yes(&f.verify, "verify", "compare the draws with the exact posterior given these "+
		"pseudo-inputs, by quadrature")
	s.Yes(&f.Sensitivity, "sensitivity", "repeat the learning with other pseudo-inputs and "+
		"priors, and show how much theta and the verdict move")
}

// Check refuses -verify where too many hyperparameters are free, with data of dim columns.
func (f *CompareFlags) Check(m *ModelFlags, dim int) error {
	if free := m.free(dim); f.verify && len(free) > mostVerified {
		return cli.Usagef("-verify integrates over at most %d hyperparameters, and %d are free: %s",
			mostVerified, len(free), strings.Join(free, ", "))
	}
	return nil
}

// asked names the comparisons that were asked for.
func (f *CompareFlags) asked() string {
	var list []string
	if f.verify {
		list = append(list, "-verify")
	}
	if f.Sensitivity {
		list = append(list, "-sensitivity")
	}
	return cli.OrList(list)
}

// Sampled is all that the chains of a study have led to.
type Sampled struct {
	Study       *Study
	Run         *draws.Run
	Draws       *draws.Summary
	Partial     bool
	Shown       *Shown
	Influence   []Influence
	Compare     *CompareFlags
	Verified    []Verified
	Sensitivity []SensitivityRow
	Interrupted string // the comparisons that were not ended, or ""
	Bayes       *Bayes // nil without -bayes
}

// NewSampled computes what follows from the draws; partial is set if something ended the run early.
// The samples are then compared all the same.
func NewSampled(ctx context.Context, s *Study, run *draws.Run, partial bool, f *WitnessFlags,
	v *VerdictFlags, b *BayesFlags, compare *CompareFlags) (*Sampled, error) {
	r := &Sampled{Study: s, Run: run, Draws: run.Summary(), Partial: partial, Compare: compare}
	var err error
	if r.Shown, err = s.show(context.WithoutCancel(ctx), run, f, v); err != nil {
		return nil, err
	}
	r.Bayes, err = b.Factor(context.WithoutCancel(ctx), s.con, s.Data, v.permutations, s.Flags.Seed)
	if err != nil {
		return nil, err
	}
	r.Influence = influences(s, run)
	r.Draws.Warnings = slices.DeleteFunc(r.Draws.Warnings, func(w draws.Warning) bool {
		met := w.Kind == draws.WarnStopped && run.Ending == draws.RuleMet
		if met {
			r.Draws.Notes = append(r.Draws.Notes, "The run ended early, as -until asks: "+
				r.Draws.Stopped+".")
		}
		return met
	})
	return r, r.comparisons(ctx)
}

// comparisons makes those that were asked for, until it is interrupted.
func (r *Sampled) comparisons(ctx context.Context) (err error) {
	if r.Compare.verify {
		r.Verified, err = verify(ctx, r.Study, r.Draws)
	}
	if r.Compare.Sensitivity && err == nil {
		r.Sensitivity, err = sensitivity(ctx, r.Study)
	}
	if ctx.Err() != nil {
		r.Interrupted = r.Compare.asked()
		return nil
	}
	return err
}
