package tell

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/embedding"
)

// sentences say in words what came out.
func (r *Report) sentences() []string {
	var out []string
	if r.Partial {
		out = append(out, "This is a partial result: "+cli.OneLine(fmt.Errorf("%s",
			cmp.Or(r.Draws.Interrupted, r.Draws.Stopped)))+".")
	}
	if r.Study.Q == nil {
		out = append(out, r.embeddingSentences()...)
	} else {
		out = append(out, r.witnessSentences()...)
	}
	out = append(out, InfluenceSentences(r.Influence)...)
	return append(out, r.diagnosticSentences()...)
}

// witnessSentences say whether and where P and Q differ.
func (r *Report) witnessSentences() []string {
	w, d := r.Witness, r.Study.Data
	pair := d.PName + " and " + d.QName
	var out []string
	switch {
	case w.Fewest < work.FewRows:
		out = append(out, fmt.Sprintf("%s have too few rows to be told apart: the smaller sample has "+
			"%s, and with fewer than %d the level at which bands exclude 0, here %s, cannot be trusted.", pair,
			fewestWords(r.Study.Data, w.Fewest), work.FewRows, level(w.Certainty, w.Functions)))
	case w.Strength(w.Strongest[0]) == 0:
		return append(out, fmt.Sprintf("%s cannot be told apart: the witness is 0 everywhere, as for "+
			"one sample given twice.", pair))
	case w.Certainty >= work.Decided:
		text := fmt.Sprintf("%s can be told apart: simultaneous bands of the witness exclude 0 up "+
			"to level %s", pair, level(w.Certainty, w.Functions))
		if places := r.places(w.SimIntervals); places != "" {
			text += fmt.Sprintf("; that of level %g shows %s", work.Simultaneous, places)
		}
		out = append(out, text+".")
	default:
		out = append(out, fmt.Sprintf("%s cannot be told apart from these data: a simultaneous band "+
			"of the witness excludes 0 somewhere only up to level %s, and level 0.95 would "+
			"be convincing.", pair, level(w.Certainty, w.Functions)))
		if r.test != "" {
			level := ", at an exact level,"
			if d.Weights != nil {
				level = "" // it depends on the weights, as the test will say
			}
			out = append(out, fmt.Sprintf("Whether they differ at all can be tested%s by", level), r.test)
		}
	}
	at := w.Strongest[0]
	sign, prob := "positive", w.Positive[at]
	if w.Mean[at] < 0 {
		sign, prob = "negative", 1-prob
	}
	out = append(out, fmt.Sprintf("The difference is most certain at %s, where mu_P - mu_Q is %s "+
		"(sd %s), %s with posterior probability %s.", r.point(at), short(w.Mean[at]),
		short(w.Sd[at]), sign, probability(prob)))
	chance := ""
	if w.Noise == "clt" && w.Level == 0.8 && len(w.Axes) == 1 {
		chance = ", where 5 to 20% would be usual if P = Q"
	}
	text := fmt.Sprintf("Point by point the %.6g%% band excludes 0 at %.0f%% of the points shown%s",
		100*w.Level, 100*w.Share, chance)
	if places := r.places(w.Intervals); places != "" {
		text += ": " + places
	}
	out = append(out, text+".")
	if len(w.Axes) == 0 {
		out = append(out, "All points are in witness.csv; the differences are strongest at these:")
		for _, j := range w.Strongest[:min(5, len(w.Strongest))] {
			out = append(out, fmt.Sprintf("  %s: %s (sd %s), positive with probability %s",
				r.point(j), short(w.Mean[j]), short(w.Sd[j]), probability(w.Positive[j])))
		}
	}
	return out
}

// embeddingSentences describe the embedding of a single sample.
func (r *Report) embeddingSentences() []string {
	w := r.Witness
	top := 0
	for j, v := range w.Mean {
		if v > w.Mean[top] {
			top = j
		}
	}
	return []string{fmt.Sprintf("The mean embedding of %s is largest at %s, where it is %s (sd %s, "+
		"%.6g%% band from %s to %s).", r.Study.Data.PName, r.point(top), short(w.Mean[top]),
		short(w.Sd[top]), 100*w.Level, short(w.Lower[top]), short(w.Upper[top]))}
}

// mostPlaces is the number of intervals of a sample that a sentence lists.
const mostPlaces = 6

// places lists intervals by sample: more of P on [a, b] and [c, d], and more of Q on [e, f]. It
// is "" if there are none to list.
func (r *Report) places(in []embedding.Interval) string {
	in = r.merged(in)
	var parts []string
	for k, v := range in {
		if k > 0 && slices.ContainsFunc(in[:k], func(u embedding.Interval) bool {
			return u.Sign == v.Sign
		}) {
			continue
		}
		name := r.Study.Data.PName
		if v.Sign < 0 {
			name = r.Study.Data.QName
		}
		var list []string
		for _, u := range in {
			if u.Sign == v.Sign {
				list = append(list, r.interval(u))
			}
		}
		if more := len(list) - mostPlaces; more > 1 {
			list = append(list[:mostPlaces], fmt.Sprintf("%d more intervals", more))
		}
		parts = append(parts, fmt.Sprintf("more of %s on %s", name, cli.AndList(list)))
	}
	return strings.Join(parts, ", and ")
}

// merged joins intervals of one sign that touch in the digits of a sentence, and leaves out those
// that are a point there.
func (r *Report) merged(in []embedding.Interval) []embedding.Interval {
	var out []embedding.Interval
	for _, v := range in {
		if last := len(out) - 1; last >= 0 && out[last].Sign == v.Sign &&
			r.coordinate(0, out[last].To) == r.coordinate(0, v.From) {
			out[last].To = v.To
			continue
		}
		out = append(out, v)
	}
	return slices.DeleteFunc(out, func(v embedding.Interval) bool {
		return r.coordinate(0, v.From) == r.coordinate(0, v.To)
	})
}

// point names a point of the witness.
func (r *Report) point(j int) string {
	var parts []string
	row := r.Witness.Points.RawRowView(j)
	for a, v := range row {
		if a == 6 && len(row) > 7 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, r.Study.Data.Columns[a]+" = "+r.coordinate(a, v))
	}
	return strings.Join(parts, ", ")
}

// interval writes an interval of the first column.
func (r *Report) interval(v embedding.Interval) string {
	return "[" + r.coordinate(0, v.From) + ", " + r.coordinate(0, v.To) + "]"
}

// coordinate writes a value of column a with three digits of it, or more where all values of the
// column have those in common.
func (r *Report) coordinate(a int, v float64) string {
	points := r.Witness.Points
	n, _ := points.Dims()
	lo, hi := points.At(0, a), points.At(0, a)
	for i := range n {
		lo, hi = min(lo, points.At(i, a)), max(hi, points.At(i, a))
	}
	digits := 3
	if hi > lo && v != 0 {
		digits = max(3, min(17, 3+int(math.Floor(math.Log10(math.Abs(v)/(hi-lo))))))
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// diagnosticSentences say what the draws are worth, and what to do.
func (r *Report) diagnosticSentences() []string {
	var out []string
	if len(r.Draws.Warnings) == 0 {
		rhat, ess := 0.0, math.Inf(1)
		for _, p := range r.Draws.Parameters {
			rhat, ess = math.Max(rhat, p.RHat), math.Min(ess, math.Min(p.ESSBulk, p.ESSTail))
		}
		out = append(out, fmt.Sprintf("The diagnostics are good: R-hat is at most %.3f, the "+
			"effective sample size is at least %.0f, and no transition diverged.", rhat, ess))
	}
	for _, w := range r.Summary.Warnings {
		out = append(out, "Warning: "+w.String())
	}
	out = append(out, r.Summary.Notes...)
	return out
}

// short writes a number for a sentence.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// level writes the level of a band that was estimated from some draws of a function.
func level(v float64, functions int) string {
	if v >= 1 {
		return fmt.Sprintf("above %.4g", 1-1/float64(functions))
	}
	return fmt.Sprintf("%.3g", v)
}

// probability writes a probability without rounding it to certainty.
func probability(p float64) string {
	switch {
	case p > 0.9999:
		return "above 0.9999"
	case p < 0.0001:
		return "below 0.0001"
	}
	return strconv.FormatFloat(p, 'f', 4, 64)
}
