package causal

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/cmd/internal/report"
)

// edges lists the edges of the graph, the most frequent first if frequencies are known.
func (g *learned) edges() []graph.Edge {
	list := g.Graph.Edges()
	if s := g.frequencies(); s != nil {
		slices.SortStableFunc(list, func(a, b graph.Edge) int {
			return cmp.Compare(s.Of(b.From, b.To).Adjacent, s.Of(a.From, a.To).Adjacent)
		})
	}
	return list
}

// edgeTable is the table of the graph's edges.
func (g *learned) edgeTable() report.Table {
	t := report.Table{Intro: "Links, the largest p-value of the tests of each, and the columns held fixed in that test:",
		Head: []string{"link", "largest p", "held fixed"}}
	s := g.frequencies()
	if s != nil {
		t.Intro = fmt.Sprintf("How often each link was found in %s (%d rows each), and which way (--: not known). Then, of all rows, the test that "+
			"came closest to removing the link: its p-value (smaller is stronger evidence), and the columns held fixed:", halves(g.used()), g.stable.Rows)
		t.Head = slices.Concat([]string{"link"}, g.ways(), []string{"largest p", "held fixed"})
	}
	for _, e := range g.edges() {
		sure, _ := g.sureOf(e)
		row := []string{sure.String()}
		if s != nil {
			row = append(row, g.percent(s.Of(e.From, e.To))...)
		}
		p, set := "", ""
		if v, ok := g.Strength(e.From, e.To); ok && !math.IsNaN(v.P) {
			p, set = pValue(v.P, g.flags.alpha), strings.Join(v.S, ", ")
		}
		t.Rows = append(t.Rows, append(row, p, set))
	}
	t.Words = []int{len(t.Head) - 1}
	return t
}

// ways are the columns of frequencies. Two arrows come from rules that list conflicts, or stand for
// hidden causes.
func (g *learned) ways() []string {
	out := []string{"found", "->", "<-", "--"}
	if g.twoArrows() {
		out = append(out, "<->")
	}
	if g.flags.hidden {
		out = append(out, "with o")
	}
	return out
}

func (g *learned) twoArrows() bool { return g.flags.hidden || g.flags.colliders != "ordered" }

// percent are the cells of a frequency.
func (g *learned) percent(f causal.Frequency) []string {
	values := []float64{f.Adjacent, f.Forward, f.Backward, f.Undirected}
	if g.twoArrows() {
		values = append(values, f.Conflict)
	}
	if g.flags.hidden {
		values = append(values, f.Partial)
	}
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprintf("%.0f%%", 100*v))
	}
	return out
}

// pValue writes a p-value with two digits, or with more where fewer would put it on the other side of
// the level.
func pValue(p, alpha float64) string {
	for digits := 2; digits < 17; digits++ {
		s := strconv.FormatFloat(p, 'g', digits, 64)
		if v, err := strconv.ParseFloat(s, 64); err == nil && (v < alpha) == (p < alpha) &&
			(v > alpha) == (p > alpha) {
			return s
		}
	}
	return strconv.FormatFloat(p, 'g', -1, 64)
}

// mostEffects is how many effects the terminal and the page list; effects.csv has all.
const mostEffects = 40

// effectTable is the table of effects that were asked for; empty if none were.
func (g *learned) effectTable() report.Table {
	fit := "fit what the tests decided"
	if g.stable != nil {
		fit = "have these links, and the directions found in " + g.most()
	}
	t := report.Table{Intro: "Total effects in linear models: by how much the mean of the second column changes " +
		"where the first is set one unit higher. The range is over all graphs that " + fit +
		", with 95% intervals",
		Head: []string{"effect", "range", "adjusted", "95% interval", "for"}, Words: []int{4}}
	more := false // than ranges
	for _, e := range g.effects {
		if len(t.Rows) == mostEffects {
			break
		}
		row := []string{e.X + " -> " + e.Y, "", "", "", ""}
		switch {
		case e.None:
			row[1] = "0"
		case e.Why != "":
			row[1] = "no conclusion"
			row[4], more = strings.TrimPrefix(e.Why, "No conclusion: "), true
		default:
			row[1] = report.Short(e.Low) + " to " + report.Short(e.High)
			if a := e.Adjusted; a != nil {
				more = true
				row[2], row[3] = report.Short(a.Effect), report.Short(a.Low)+" to "+report.Short(a.High)
				row[4] = strings.Join(a.Given, ", ")
			}
		}
		t.Rows = append(t.Rows, row)
	}
	if more {
		t.Intro += "; the last columns adjust, where the graph says for what:"
		return t
	}
	t.Intro += "; the graph says of none of them what to adjust for:"
	t.Head, t.Words = t.Head[:2], nil
	for i, row := range t.Rows {
		t.Rows[i] = row[:2]
	}
	return t
}

// otherTable lists the decisions that the test of residuals would have taken otherwise.
func (g *learned) otherTable() report.Table {
	t := report.Table{Head: []string{"pair", "p", "p of residuals", "given"}, Words: []int{3}}
	for _, d := range g.disagreements {
		t.Rows = append(t.Rows, []string{d.X + ", " + d.Y, pValue(d.P, g.flags.alpha),
			pValue(d.Other, g.flags.alpha), strings.Join(d.S, ", ")})
	}
	return t
}

// otherLevels is the table of edges at the other test levels; empty if there are none.
func (g *learned) otherLevels() report.Table {
	t := report.Table{Intro: fmt.Sprintf("The same at other levels of the tests than %g:", g.flags.alpha),
		Head: append([]string{"link", "level"}, g.ways()...)}
	if g.stable == nil {
		return t
	}
	for _, e := range g.edges() {
		for _, l := range g.stable.Levels[1:] {
			sure, _ := l.Sure(e, g.flags.hidden)
			row := []string{sure.String(), fmt.Sprint(l.Alpha)}
			t.Rows = append(t.Rows, append(row, g.percent(l.Of(e.From, e.To))...))
		}
	}
	return t
}

// oftenAbsent is the frequency from which a missing edge is reported.
const oftenAbsent = 0.2

// absent is the table of pairs that many random halves connect and the graph does not; empty if
// there are none.
func (g *learned) absent() report.Table {
	t := report.Table{Intro: "Not in the graph, but often in those of random halves:",
		Head: append([]string{"pair"}, g.ways()...)}
	s := g.frequencies()
	if s == nil {
		return t
	}
	for _, f := range s.Pairs {
		if f.Adjacent >= oftenAbsent && !g.Graph.Adjacent(g.Graph.Index(f.A), g.Graph.Index(f.B)) {
			t.Rows = append(t.Rows, append([]string{f.A + ", " + f.B}, g.percent(f)...))
		}
	}
	return t
}

// whitening is the table of what was removed from the columns; empty if nothing was.
func (g *learned) whitening() report.Table {
	t := report.Table{Intro: fmt.Sprintf("What the time, %s, predicted, and the correlation of "+
		"neighbours in time:", g.flags.time), Head: []string{"column", "lengthscale", "taken out", "before",
		"after", "other lengthscales"}}
	for _, w := range g.whitened {
		var others []string
		for _, v := range w.Others {
			others = append(others, report.Short(float64(v)))
		}
		t.Rows = append(t.Rows, []string{w.Column, report.Short(float64(w.Lengthscale)),
			fmt.Sprintf("%.0f%%", 100*w.Removed), report.Decimals(float64(w.Before)),
			report.Decimals(float64(w.After)), strings.Join(others, ", ")})
	}
	return t
}
