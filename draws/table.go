package draws

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
)

// mostRows is how many rows of a table are printed.
const mostRows = 50

// String is a table of the parameters, and under it the warnings and notes.
func (s *Summary) String() string {
	used := 0
	for _, c := range s.Chains {
		if c.Used {
			used++
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s, %s of %s\n\n", title(s.Model, s.Sampler.Algorithm, s.Seed),
		plural(used, "chain"), plural(s.Draws, "draw"))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	head, rows := Table(s.Parameters[:min(len(s.Parameters), mostRows)])
	width := 0
	for _, r := range rows {
		width = max(width, len([]rune(r[0])))
	}
	for _, r := range append([][]string{head}, rows...) {
		fmt.Fprintf(w, "%-*s\t%s\t\n", width, r[0], strings.Join(r[1:], "\t"))
	}
	w.Flush() // to a buffer, which cannot fail
	if more := len(s.Parameters) - mostRows; more > 0 {
		fmt.Fprintf(&b, "and %s more\n", plural(more, "parameter"))
	}
	if len(s.Warnings)+len(s.Notes) > 0 {
		b.WriteByte('\n')
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(&b, "Warning: %v\n", w)
	}
	for _, n := range s.Notes {
		fmt.Fprintf(&b, "Note: %s\n", n)
	}
	return trimLines(&b)
}

// String is a table of the chains. That of the parameters is Summary's.
func (r *Run) String() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s, %s", title(r.Model, r.Sampler.Algorithm, r.Seed),
		plural(len(r.Names), "parameter"))
	for _, end := range []string{r.Stopped, r.Interrupted} {
		if end != "" {
			fmt.Fprintf(&b, " (%s)", oneLine(end))
		}
	}
	b.WriteString("\n\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w,
		"chain\tdraws\tstep size\tmetric\tacceptance\tmean lp\tdivergences\tgradients\t\n")
	for c := range r.Chains {
		s := summarizeChain(&r.Chains[c], c, &r.Sampler)
		failure := ""
		if s.Error != "" {
			failure = "  " + oneLine(s.Error)
		}
		metric := s.Metric
		if s.MetricRank > 0 {
			metric += fmt.Sprintf(" (%d)", s.MetricRank)
		}
		fmt.Fprintf(w, "%d\t%d\t%.3g\t%s\t%.2f\t%.4g\t%d\t%d\t%s\n", s.Chain, s.Draws, s.StepSize,
			metric, s.AcceptStat, s.LP, s.Divergences, s.Gradients, failure)
	}
	w.Flush()
	return trimLines(&b)
}

// String is a table of the modes.
func (m *Modes) String() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s from %s, %d of which failed\n\n", plural(len(m.Modes), "mode"),
		plural(m.Starts, "start"), m.Failed)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "log density\tmass\tsearches\t\n")
	for k, mass := range m.masses() {
		fmt.Fprintf(w, "%.4g\t%s\t%d\t  at %.4g\n", m.Modes[k].LP, percent(mass), m.Modes[k].Hits,
			m.Modes[k].Values)
	}
	w.Flush()
	return trimLines(&b)
}

func title(model, algorithm string, seed uint64) string {
	if model == "" {
		model = "run"
	}
	return fmt.Sprintf("%s: %s, seed %d", oneLine(model), algorithm, seed)
}

// digits writes x with three digits of the spread, so that a column lines up; numbers that would
// need too many zeros are written with an exponent.
func digits(x, spread float64) string {
	if !(spread > 0) || math.IsInf(spread, 1) {
		return fmt.Sprintf("%.4g", x)
	}
	decimals := 2 - int(math.Floor(math.Log10(spread)))
	if decimals > 6 || math.Abs(x) >= 1e9 {
		return fmt.Sprintf("%.3g", x)
	}
	return fmt.Sprintf("%.*f", max(decimals, 0), x+0) // no -0
}

// trimLines drops the blanks at the ends of lines, and the last newline.
func trimLines(b *bytes.Buffer) string {
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
