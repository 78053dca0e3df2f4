// Package chains tells what a run of chains is worth: a verdict first, then the table, traces, and the places
// where trajectories diverged. Every command that samples shows it.
package chains

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/draws"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// Told is a run and what is told of it.
type Told struct {
	Run     *draws.Run
	Summary *draws.Summary
	// Asked is how many columns, the first of the run, may show where trajectories diverged: those that the
	// density has. 0: all.
	Asked int
	fits  string // that the draws agree with the gradient, "" if this is not known
}

// Tell summarises a run. Programs have values that are constant by design, as the upper triangle of a Cholesky
// factor is: of these a note is made, and no warning, unless all are constant.
func Tell(run *draws.Run) Told {
	t := Told{Run: run, Summary: run.Summary()}
	s := t.Summary
	for i, w := range s.Warnings {
		if w.Kind == draws.WarnConstant && len(w.Parameters) < len(s.Parameters) {
			s.Warnings = slices.Delete(s.Warnings, i, i+1)
			s.Notes = append(s.Notes, constants(w.Parameters))
			break
		}
	}
	s.Warnings = slices.DeleteFunc(s.Warnings, func(w draws.Warning) bool {
		if w.Kind == draws.WarnESSCapped { // draws that are better than independent
			s.Notes = append(s.Notes, w.String())
		}
		return w.Kind == draws.WarnESSCapped
	})
	return t
}

// Clone is a copy to which warnings and notes can be added.
func (t Told) Clone() Told {
	s := *t.Summary
	s.Warnings, s.Notes = slices.Clone(s.Warnings), slices.Clone(s.Notes)
	t.Summary = &s
	return t
}

// Final has the warning of an interrupted run say what can be done where there is no checkpoint.
func (t Told) Final() {
	for i := range t.Summary.Warnings {
		if w := &t.Summary.Warnings[i]; w.Kind == draws.WarnInterrupted {
			w.Advice = "Run it again, if the errors are too large."
		}
	}
}

// constants names a few of them.
func constants(names []string) string {
	const shown = 4
	if n := len(names); n > shown {
		return fmt.Sprintf("%s and %d more are the same in all draws.", strings.Join(names[:shown], ", "), n-shown)
	} else if n == 1 {
		return names[0] + " is the same in all draws."
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " are the same in all draws."
}

// varying are the parameters whose diagnostics are known.
func (t Told) varying() []draws.Parameter {
	return slices.DeleteFunc(slices.Clone(t.Summary.Parameters), func(p draws.Parameter) bool {
		return p.SD == 0 || p.ESSBulk != p.ESSBulk
	})
}

// Sound reports whether nothing warns.
func (t Told) Sound() bool { return len(t.Summary.Warnings) == 0 }

// Verdict says in a sentence whether the chains can be used.
func (t Told) Verdict() string {
	s, all := t.Summary, t.varying()
	if len(all) == 0 {
		return fmt.Sprintf("%s made %s each.", cli.Plural(len(s.Chains), "chain"), cli.Plural(s.Draws, "draw"))
	}
	rhat, least := 0.0, math.Inf(1)
	for _, p := range all {
		rhat = max(rhat, p.RHat)
		least = min(least, p.ESSBulk)
		if p.ESSTail == p.ESSTail { // not of two values, whose quantiles are constant
			least = min(least, p.ESSTail)
		}
	}
	if t.Sound() && len(s.Chains) == 1 {
		return fmt.Sprintf("One chain of %d draws is worth at least %s independent draws of each parameter (R-hat of its "+
			"parts at most %.3f).", s.Draws, report.Whole(least), rhat)
	}
	if t.Sound() {
		return fmt.Sprintf("The chains agree: %d chains of %d draws are worth at least %s independent draws of each "+
			"parameter (R-hat at most %.3f).", len(s.Chains), s.Draws, report.Whole(least), rhat)
	}
	return fmt.Sprintf("Read the warnings before you use these draws: %s.", lowerFirst(s.Warnings[0].Finding))
}

// lowerFirst is a sentence within another.
func lowerFirst(s string) string {
	for len(s) > 0 && s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	if len(s) > 1 && !strings.HasPrefix(s, "Pareto") && 'A' <= s[0] && s[0] <= 'Z' && !('A' <= s[1] && s[1] <= 'Z') && s[1] != '-' {
		return string(s[0]+'a'-'A') + s[1:]
	}
	return s
}

// Worst are the places of the parameters that mixed worst.
func (t Told) Worst(most int) []int {
	var at []int
	for k, p := range t.Summary.Parameters {
		if p.SD > 0 && p.ESSBulk == p.ESSBulk {
			at = append(at, k)
		}
	}
	slices.SortStableFunc(at, func(a, b int) int {
		p, q := t.Summary.Parameters[a], t.Summary.Parameters[b]
		return cmp.Compare(min(p.ESSBulk, p.ESSTail), min(q.ESSBulk, q.ESSTail))
	})
	return at[:min(most, len(at))]
}

// Section is the part of a page on the chains.
func (t Told) Section() page.Section {
	s := page.Section{Heading: "The chains", Warnings: report.Warnings(t.Summary.Warnings), Notes: t.Summary.Notes}
	if t.Sound() { // otherwise the first warning says it
		s.Text = append(s.Text, t.Verdict())
	}
	if t.fits != "" {
		s.Text = append(s.Text, t.fits)
	}
	if f, ok := t.traces(); ok {
		s.Figures = append(s.Figures, page.Figure{Draw: f, File: "trace", What: "the chains", PNGOnly: true,
			Caption: "The parameters that mixed worst. Left: the draws of each chain. Middle: the ranks of the draws of each " +
				"chain among all, which should be flat. Right: the density of each chain."})
	}
	if f, ok := t.divergences(); ok {
		s.Figures = append(s.Figures, page.Figure{Draw: f, File: "divergences", What: "where trajectories diverged",
			Caption: "Of all pairs of parameters the one in which divergent transitions stand most apart from other draws. " +
				"Where they gather, the density has a corner that the step size is too large for."})
	}
	return s
}

// traces draws the parameters that mixed worst.
func (t Told) traces() (figure.Trace, bool) {
	f := figure.Trace{}
	for _, k := range t.Worst(4) {
		p := t.Summary.Parameters[k]
		f.Names = append(f.Names, name(p))
		f.Chains = append(f.Chains, t.Run.Column(k))
		f.RHat, f.ESS = append(f.RHat, p.RHat), append(f.ESS, p.ESSBulk)
	}
	f.Divergent = t.divergent()
	return f, len(f.Names) > 0
}

// Table has a row for each parameter, up to a number of them.
func (t Told) Table(most int) report.Table {
	all := t.Summary.Parameters
	head, rows := draws.Table(all[:min(most, len(all))])
	return report.Table{Head: head, Rows: rows}
}

// Warnings are those of the chains, for the terminal.
func (t Told) Warnings() []string {
	var out []string
	for _, w := range t.Summary.Warnings {
		out = append(out, "Warning: "+w.String())
	}
	return out
}

// name is what a table calls a parameter.
func name(p draws.Parameter) string { return cmp.Or(p.Label, p.Name) }
