package sample

import (
	"bayeskernel/bke"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/draws"
	"bayeskernel/kerneltest/statistic"
	"cmp"
	"fmt"
	"math"
)

// ended says that a run was stopped.
func (r *sampled) ended() string {
	return "This is a partial result: " + cli.OneLine(fmt.Errorf("%s",
		cmp.Or(r.Draws.Interrupted, r.Draws.Stopped))) + "."
}

// finding is the first sentence of the report. For two samples it says whether they differ, with p,
// and where; for one, where its embedding is largest.
func (r *sampled) finding() string {
	if r.Shown.One != nil {
		return r.Shown.One.Sentence()
	}
	return r.Shown.Two.Verdict()
}

// title is the finding in a few words.
func (r *sampled) title() string {
	if two := r.Shown.Two; two != nil {
		return two.Headline()
	}
	return "The mean embedding of " + r.Study.Data.PName
}

// sure says how certain the strongest difference is, and at which scale.
func (r *sampled) sure() []string {
	two, w := r.Shown.Two, r.Shown.witness()
	if two == nil || w == nil {
		return nil
	}
	var out []string
	if s := two.AtStrongest(); s != "" {
		out = append(out, s)
	}
	if r.Shown.Scale == "paper" && len(w.Axes) == 1 && r.Shown.Noise == "clt" {
		out = append(out, fmt.Sprintf("The %.6g%% band at each point, at theta and tau2 as sampled, "+
			"excludes 0 at %.0f%% of the points shown, where 5 to 20%% would be usual if both samples had "+
			"the same distribution.", 100*w.Band.Level, 100*w.Band.Share()))
	}
	return out
}

// outliers warns next to the verdict if a few outliers may decide it; "" if not.
func outliers(warnings []draws.Warning) string {
	for _, w := range warnings {
		if w.Kind == bke.WarnHeavyTails {
			return w.String()
		}
	}
	return ""
}

// good says that the diagnostics are good; nil if they are not.
func (r *sampled) good() []string {
	if len(r.Draws.Warnings) > 0 {
		return nil
	}
	rhat, ess := 0.0, math.Inf(1)
	for _, p := range r.Draws.Parameters {
		rhat, ess = math.Max(rhat, p.RHat), math.Min(ess, math.Min(p.ESSBulk, p.ESSTail))
	}
	return []string{fmt.Sprintf("The diagnostics are good: R-hat is at most %.3f, the "+
		"effective sample size is at least %.0f, and no transition diverged.", rhat, ess)}
}

// given says what the chains are conditional on.
func (r *sampled) given() []string {
	v := r.Study.Interval
	if v == nil || v.Temper > 0.9 {
		return nil
	}
	return []string{fmt.Sprintf("In the chains log theta has a variance about %s times smaller than the interval "+
		"of theta stands for. A pseudolikelihood counts rows for more than they are worth, and the "+
		"pseudo-inputs are taken as given. So the sd of the chains says how far they range, not how "+
		"certain theta is.", report.Roundly(1/v.Temper))}
}

// chance says in plain words how sure the finding is.
func (r *sampled) chance() []string {
	two := r.Shown.Two
	if two == nil || two.Test.Null != statistic.Permutation || r.Study.Data.Weights != nil {
		return nil
	}
	text := fmt.Sprintf("If both samples came from one distribution, a difference at least as large as this would "+
		"turn up with a probability of at most %s.", report.Short(two.Test.P))
	if w := two.Witness; w != nil && len(w.Where) > 0 && two.Test.Reject {
		text += " In about 19 of 20 data sets like these all coloured places are right."
	}
	return []string{text}
}

// next says what to do with the finding.
func (r *sampled) next() []string {
	two, data := r.Shown.Two, r.Study.Data
	switch {
	case data.Synthetic:
		return []string{"Next: give the program your own data, as in bkesample P.csv Q.csv."}
	case two == nil:
		return nil
	case !two.Test.Reject:
		return []string{"Next: if a difference would matter, collect more rows; bkesample power with the " +
			"same files says how many."}
	}
	text := "Next: judge from the picture whether a difference of this size matters to you. Collect new rows " +
		"to confirm it."
	if data.Blocks == nil && data.Weights == nil {
		text += " The test takes all rows as independent; if some belong together (the same patient, " +
			"the same day), say so by -blocks."
	}
	return []string{text}
}

// shownNotes are the notes of the comparison.
func shownNotes(s *shown) []string {
	var list []string
	if s.Two != nil {
		list = s.Two.Notes
	} else {
		list = s.One.Notes
	}
	var out []string
	for _, n := range list {
		out = append(out, cli.WithoutPackages(n))
	}
	return out
}

// basis says what the finding is based on: the test, and the model of the chains.
func (r *sampled) basis() []string {
	var out []string
	if two := r.Shown.Two; two != nil {
		out = append(out, tests.NullSentence(two.Test, r.Study.Flags.Seed), tests.KernelSentence("", two.Test.Kernel))
	}
	if w := r.Shown.witness(); w != nil {
		out = append(out, "The witness is drawn at "+tests.ScaleWords(r.Shown.Two, w)+".")
		if r.Shown.One != nil {
			out[len(out)-1] = "The embedding is drawn at " + tests.ScaleWords(r.Shown.Two, w) + "."
		}
	}
	return append(out, r.Study.Data.Source+": "+r.Study.Describe()+".")
}

// parameters has a row for each hyperparameter. It has no quantiles: the interval of theta is the
// calibrated one.
func (r *sampled) parameters() report.Table {
	intro := fmt.Sprintf("The chains, given %d pseudo-inputs", r.Study.Model.M())
	if len(r.given()) > 0 {
		intro += " (so they range less than theta is uncertain)"
	}
	head, rows := draws.Table(r.Draws.Parameters, "q05", "q50", "q95")
	return report.Table{Intro: intro + ":", Head: head, Rows: rows}
}

// tables are the comparisons that the user asked for.
func (r *sampled) tables() []report.Table {
	var out []report.Table
	if len(r.Verified) > 0 {
		out = append(out, verifyTable(r.Verified))
	}
	if len(r.Sensitivity) > 0 {
		out = append(out, sensitivityTable(r.Sensitivity))
	}
	return out
}

// verifyTable compares draws with quadrature.
func verifyTable(vs []verified) report.Table {
	t := report.Table{Head: []string{"", "draws", "exact", "MCSE", "difference/MCSE"}}
	worst := 0.0
	for _, v := range vs {
		t.Rows = append(t.Rows, []string{v.Parameter + " " + v.Statistic, report.Figures(float64(v.Draws)),
			fmt.Sprintf("%.6g", float64(v.Exact)), report.Errors(float64(v.MCSE)),
			fmt.Sprintf("%+.1f", float64(v.Z))})
		worst = math.Max(worst, math.Abs(float64(v.Z)))
	}
	t.Intro = fmt.Sprintf("Draws against the exact posterior given these pseudo-inputs, by "+
		"quadrature. The largest difference is %.1f MCSE; more than 5 would mean that the sampler is "+
		"wrong, or that the chains are too short to tell.", worst)
	return t
}

// sensitivityTable shows the results of other choices.
func sensitivityTable(list []sensitivityRow) report.Table {
	t := report.Table{Intro: "Other choices: the posterior mode, and the p-value of the test with kernels at " +
		"theta and 4 theta.", Head: []string{"", "m", "theta", "tau2", "p"}}
	for _, r := range list {
		if r.Error != "" {
			t.Rows = append(t.Rows, []string{r.Choice, "", r.Error, "", ""})
			continue
		}
		t.Rows = append(t.Rows, []string{r.Choice, fmt.Sprint(r.M), study.Thetas(r.Theta),
			fmt.Sprintf("%.3g", float64(r.Tau2)), report.Fixed(float64(r.P))})
	}
	return t
}
