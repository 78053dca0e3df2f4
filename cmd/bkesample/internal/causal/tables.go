package causal

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/cmd/internal/cli"
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
	t := report.Table{Intro: "Edges, and the largest p-value of the tests of each, with the set that gave it:",
		Head: []string{"edge", "largest p", "given"}}
	s := g.frequencies()
	if s != nil {
		t.Intro = fmt.Sprintf("How often each edge is in the graphs of %s of %d rows, and which way; "+
			"the largest p-value of its tests on all rows, with the set that gave it:",
			cli.Plural(g.stable.Replicates-g.stable.Failed, "half-sample"), g.stable.Rows)
		t.Head = []string{"edge", "found", "->", "<-", "--", "<->", "largest p", "given"}
	}
	for _, e := range g.edges() {
		row := []string{e.String()}
		if s != nil {
			row = append(row, percent(s.Of(e.From, e.To))...)
		}
		p, set := "", ""
		if v, ok := g.Strength(e.From, e.To); ok && !math.IsNaN(v.P) {
			p, set = report.Errors(v.P), strings.Join(v.S, ", ")
		}
		t.Rows = append(t.Rows, append(row, p, set))
	}
	t.Words = []int{len(t.Head) - 1}
	return t
}

// percent are the cells of a frequency.
func percent(f causal.Frequency) []string {
	var out []string
	for _, v := range []float64{f.Adjacent, f.Forward, f.Backward, f.Undirected, f.Conflict} {
		out = append(out, fmt.Sprintf("%.0f%%", 100*v))
	}
	return out
}

// otherLevels is the table of edges at the other test levels; empty if there are none.
func (g *learned) otherLevels() report.Table {
	t := report.Table{Intro: fmt.Sprintf("The same at other levels of the tests than %g:", g.flags.alpha),
		Head: []string{"edge", "level", "found", "->", "<-", "--", "<->"}}
	if g.stable == nil {
		return t
	}
	for _, e := range g.edges() {
		for _, l := range g.stable.Levels[1:] {
			row := []string{e.String(), fmt.Sprint(l.Alpha)}
			t.Rows = append(t.Rows, append(row, percent(l.Of(e.From, e.To))...))
		}
	}
	return t
}

// oftenAbsent is the frequency from which a missing edge is reported.
const oftenAbsent = 0.2

// absent is the table of pairs that many half-samples connect and the graph does not; empty if
// there are none.
func (g *learned) absent() report.Table {
	t := report.Table{Intro: "Not in the graph, but often in those of half-samples:",
		Head: []string{"pair", "found", "->", "<-", "--", "<->"}}
	s := g.frequencies()
	if s == nil {
		return t
	}
	for _, f := range s.Pairs {
		if f.Adjacent >= oftenAbsent && !g.Graph.Adjacent(g.Graph.Index(f.A), g.Graph.Index(f.B)) {
			t.Rows = append(t.Rows, append([]string{f.A + ", " + f.B}, percent(f)...))
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
