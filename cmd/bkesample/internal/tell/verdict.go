package tell

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"bayeskernel/bke"
	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/compare"
)

// sentences say in words what came out, the finding first.
func (r *Report) sentences() []string {
	var out []string
	if r.Partial {
		out = append(out, r.Ended())
	}
	out = append(out, r.Finding())
	out = append(out, r.Sure()...)
	out = append(out, InfluenceSentences(r.Influence)...)
	return append(out, r.diagnosticSentences()...)
}

// Ended says that a run was stopped.
func (r *Report) Ended() string {
	return "This is a partial result: " + cli.OneLine(fmt.Errorf("%s",
		cmp.Or(r.Draws.Interrupted, r.Draws.Stopped))) + "."
}

// Finding is the first sentence: whether two samples differ, at which p and where; or where the
// embedding of one is largest.
func (r *Report) Finding() string {
	if r.Shown.One != nil {
		return r.Shown.One.Sentence()
	}
	return r.Shown.Two.Verdict()
}

// Title is the finding in few words.
func (r *Report) Title() string {
	if two := r.Shown.Two; two != nil {
		return two.Headline()
	}
	return "The mean embedding of " + r.Study.Data.PName
}

// Sure says what is known of the difference at its strongest, and at which scale.
func (r *Report) Sure() []string {
	two, w := r.Shown.Two, r.Shown.Witness()
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
	return append(out, columnSentences(two)...)
}

// columnSentences say which columns differ by themselves.
func columnSentences(r *compare.Result) []string {
	if len(r.ByColumn) == 0 {
		return nil
	}
	var names []string
	for _, c := range r.ByColumn {
		if c.Corrected <= r.Test.Alpha {
			names = append(names, fmt.Sprintf("%s (p = %s)", c.Name, short(c.Corrected)))
		}
	}
	all := fmt.Sprintf("tested one at a time, with Holm's correction for %d columns", len(r.ByColumn))
	if len(names) == 0 {
		return []string{fmt.Sprintf("No single column differs at level %g, %s.", r.Test.Alpha, all)}
	}
	return []string{fmt.Sprintf("These columns differ by themselves, %s: %s.", all,
		cli.AndList(fewer(names)))}
}

// mostNamed is the number of columns, or of pairs, that a sentence names.
const mostNamed = 8

// fewer cuts a list that is too long for a sentence.
func fewer(names []string) []string {
	if more := len(names) - mostNamed; more > 0 {
		return append(names[:mostNamed:mostNamed], fmt.Sprintf("%d more", more))
	}
	return names
}

// FigureTitle heads a picture of the samples.
func FigureTitle(d *input.Dataset) string {
	n, k := d.Rows()
	if d.Q == nil {
		return fmt.Sprintf("Mean embedding of %s, n = %d", d.PName, n)
	}
	if n == k {
		return fmt.Sprintf("%s and %s, n = %d each", d.PName, d.QName, n)
	}
	return fmt.Sprintf("%s (n = %d) and %s (n = %d)", d.PName, n, d.QName, k)
}

// ScaleWords says at which scale a witness is drawn.
func ScaleWords(s *work.Shown, w *compare.Witness) string {
	theta := short(w.Theta[0])
	for _, t := range w.Theta[1:] {
		theta += ", " + short(t)
	}
	switch {
	case w.Scale.Sampled:
		return fmt.Sprintf("theta and tau2 as sampled (theta about %s)", theta)
	case w.Scale.Rung == 0:
		return fmt.Sprintf("the kernel of the test, theta = %s", theta)
	case s.Two != nil && w.Scale.Rung == s.Two.Test.Scales[0].Rung:
		return fmt.Sprintf("the scale at which the samples differ most, %s (about %s)",
			times(w.Scale.Rung), theta)
	}
	return fmt.Sprintf("%s (about %s)", times(w.Scale.Rung), theta)
}

// times writes a multiple of theta.
func times(rung float64) string {
	if rung == 1 {
		return "theta as sampled"
	}
	return strconv.FormatFloat(rung, 'g', 4, 64) + " times the sampled theta"
}

// diagnosticSentences say what the draws are worth, and what to do.
func (r *Report) diagnosticSentences() []string {
	var out []string
	if s := r.Good(); s != "" {
		out = append(out, s)
	}
	for _, w := range r.Summary.Warnings {
		if w.Kind != bke.WarnHeavyTails {
			out = append(out, "Warning: "+w.String())
		}
	}
	return append(out, r.Summary.Notes...)
}

// Outliers warns, beside the verdict, that a few outliers may decide it; "" if they do not.
func (r *Report) Outliers() string {
	for _, w := range r.Summary.Warnings {
		if w.Kind == bke.WarnHeavyTails {
			return w.String()
		}
	}
	return ""
}

// Good says that the diagnostics are good; "" if they are not.
func (r *Report) Good() string {
	if len(r.Draws.Warnings) > 0 {
		return ""
	}
	rhat, ess := 0.0, math.Inf(1)
	for _, p := range r.Draws.Parameters {
		rhat, ess = math.Max(rhat, p.RHat), math.Min(ess, math.Min(p.ESSBulk, p.ESSTail))
	}
	return fmt.Sprintf("The diagnostics are good: R-hat is at most %.3f, the "+
		"effective sample size is at least %.0f, and no transition diverged.", rhat, ess)
}

// shownNotes are those of the comparison.
func shownNotes(s *work.Shown) []string {
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

// short writes a number for a sentence.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
