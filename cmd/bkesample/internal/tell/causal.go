package tell

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/work"
)

// CausalReport is what is told of a learned graph.
type CausalReport struct {
	*work.Caused
	Dir     string
	Again   string // how to make it again
	Graph   *causalGraph
	Summary *causalSummary
}

// NewCausalReport puts a graph into words.
func NewCausalReport(c *work.Caused, dir, again string) *CausalReport {
	r := &CausalReport{Caused: c, Dir: dir, Again: again}
	r.Graph = r.record()
	r.Summary = r.summarise()
	return r
}

// Hidden is what every reader should know of a graph by the PC algorithm.
const Hidden = "The graph is right only if no hidden cause has effects on two of the columns: with " +
	"hidden confounders the FCI algorithm is needed, which is not here."

// edges of the graph, the most frequent first where frequencies are known.
func (r *CausalReport) edges() []graph.Edge {
	list := r.Result.Graph.Edges()
	if s := r.Stability(); s != nil {
		slices.SortStableFunc(list, func(a, b graph.Edge) int {
			x, y := s.Of(a.From, a.To).Adjacent, s.Of(b.From, b.To).Adjacent
			if x > y {
				return -1
			} else if x < y {
				return 1
			}
			return 0
		})
	}
	return list
}

// Edges is the table of the graph's edges.
func (r *CausalReport) Edges() Table {
	t := Table{Intro: "Edges, and the largest p-value of the tests of each, with the set that gave it:",
		Head: []string{"edge", "largest p", "given"}}
	s := r.Stability()
	if s != nil {
		t.Intro = fmt.Sprintf("How often each edge is in the graphs of %s of %d rows, and which way; "+
			"the largest p-value of its tests on all rows, with the set that gave it:",
			cli.Plural(r.Stable.Replicates-r.Stable.Failed, "half-sample"), r.Stable.Rows)
		t.Head = []string{"edge", "found", "->", "<-", "--", "<->", "largest p", "given"}
	}
	for _, e := range r.edges() {
		row := []string{e.String()}
		if s != nil {
			row = append(row, frequencies(s.Of(e.From, e.To))...)
		}
		p, set := "", ""
		if v, ok := r.Result.Strength(e.From, e.To); ok && !math.IsNaN(v.P) {
			p, set = format("%.2g", v.P), strings.Join(v.S, ", ")
		}
		t.Rows = append(t.Rows, append(row, p, set))
	}
	return t
}

func frequencies(f causal.Frequency) []string {
	var out []string
	for _, v := range []float64{f.Adjacent, f.Forward, f.Backward, f.Undirected, f.Conflict} {
		out = append(out, fmt.Sprintf("%.0f%%", 100*v))
	}
	return out
}

// OtherLevels is the table of the edges at the other levels of the tests; without rows if there are
// none.
func (r *CausalReport) OtherLevels() Table {
	t := Table{Intro: fmt.Sprintf("The same at other levels of the tests than %g:", r.Flags.Alpha),
		Head: []string{"edge", "level", "found", "->", "<-", "--", "<->"}}
	if r.Stable == nil {
		return t
	}
	for _, e := range r.edges() {
		for _, l := range r.Stable.Levels[1:] {
			row := []string{e.String(), fmt.Sprint(l.Alpha)}
			t.Rows = append(t.Rows, append(row, frequencies(l.Of(e.From, e.To))...))
		}
	}
	return t
}

// oftenAbsent is the frequency from which an edge that the graph lacks is worth telling.
const oftenAbsent = 0.2

// Absent is the table of pairs that many half-samples join and the graph does not; without rows if
// there are none.
func (r *CausalReport) Absent() Table {
	t := Table{Intro: "Not in the graph, but often in those of half-samples:",
		Head: []string{"pair", "found", "->", "<-", "--", "<->"}}
	s := r.Stability()
	if s == nil {
		return t
	}
	g := r.Result.Graph
	for _, f := range s.Pairs {
		if f.Adjacent >= oftenAbsent && !g.Adjacent(g.Index(f.A), g.Index(f.B)) {
			t.Rows = append(t.Rows, append([]string{f.A + ", " + f.B}, frequencies(f)...))
		}
	}
	return t
}

// Whitening is the table of what was taken out of the columns; without rows if nothing was.
func (r *CausalReport) Whitening() Table {
	t := Table{Intro: fmt.Sprintf("What the time, %s, predicted, and the correlation of neighbours in time:",
		r.Flags.Time), Head: []string{"column", "lengthscale", "taken out", "before", "after",
		"other lengthscales"}}
	for _, w := range r.Whitened {
		var others []string
		for _, v := range w.Others {
			others = append(others, short(v))
		}
		t.Rows = append(t.Rows, []string{w.Column, short(w.Lengthscale),
			fmt.Sprintf("%.0f%%", 100*w.Removed), format("%.2f", w.Before), format("%.2f", w.After),
			strings.Join(others, ", ")})
	}
	return t
}

// Finding is the first sentence.
func (r *CausalReport) Finding() string {
	directed, conflicts := 0, len(r.Result.Graph.Conflicts())
	all := r.Result.Graph.Edges()
	for _, e := range all {
		if e.Type() == "directed" {
			directed++
		}
	}
	s := fmt.Sprintf("The graph of %s has ", cli.Plural(len(r.Data.Columns), "column"))
	switch {
	case len(all) == 0:
		return s + "no edges."
	case directed == 0:
		s += cli.Plural(len(all), "edge") + ", none with a direction"
	case directed == len(all):
		s += cli.Plural(len(all), "edge") + ", each with a direction"
	default:
		s += fmt.Sprintf("%s, %d of them with a direction", cli.Plural(len(all), "edge"), directed)
	}
	if conflicts > 0 {
		s += fmt.Sprintf(", and %d on whose direction the tests contradict each other", conflicts)
	}
	return s + "."
}

// Sure says what else is known.
func (r *CausalReport) Sure() []string {
	out := slices.Clone(r.Result.Notes)
	if r.Stable != nil && r.Stable.Failed > 0 {
		out = append(out, fmt.Sprintf("%s could not be used, the first because: %s.",
			cli.Plural(r.Stable.Failed, "half-sample"), cli.WithoutPackages(r.Stable.Failure)))
	}
	if a := r.Adjust; a != nil {
		out = append(out, adjustWords(a))
	}
	for _, c := range r.Truth {
		out = append(out, truthWords(c))
	}
	if n := len(r.Disagreements); n > 0 {
		out = append(out, fmt.Sprintf("The test of residuals would have decided otherwise in %s: %s.",
			cli.Plural(n, "place"), cli.AndList(r.otherWords())))
	} else if r.Other != "" {
		out = append(out, "The test of residuals agrees with every edge and every separation.")
	}
	return out
}

// otherWords names where the other test decides otherwise.
func (r *CausalReport) otherWords() []string {
	var out []string
	for i, d := range r.Disagreements {
		if i == mostNamed {
			return append(out, fmt.Sprintf("%d more", len(r.Disagreements)-i))
		}
		pair := d.X + ", " + d.Y
		if len(d.S) > 0 {
			pair += " given " + strings.Join(d.S, ", ")
		}
		out = append(out, fmt.Sprintf("%s (p = %s, residuals %s)", pair, short(d.P), short(d.Other)))
	}
	return out
}

// adjustWords say what to adjust for.
func adjustWords(a *graph.Adjustment) string {
	if !a.Exists {
		return a.Why
	}
	list := func(names []string) string {
		if len(names) == 0 {
			return "nothing"
		}
		return cli.AndList(names)
	}
	if a.Why != "" {
		return a.Why
	}
	s := fmt.Sprintf("The effect of %s on %s needs no adjustment.", a.X, a.Y)
	if len(a.Minimal) > 0 {
		s = fmt.Sprintf("To estimate the effect of %s on %s adjust for %s; no smaller part of this does.",
			a.X, a.Y, list(a.Minimal))
	}
	if !slices.Equal(a.Minimal, a.Optimal) {
		s += fmt.Sprintf(" The least variance in linear models has %s.", list(a.Optimal))
	}
	return s
}

// truthWords compare with a known graph.
func truthWords(c work.Comparison) string {
	return fmt.Sprintf("Compared with %s, the structural Hamming distance is %d: %d edges missing, %d too "+
		"many, %d with other marks. Adjacencies have precision %s and recall %s, arrowheads %s and %s.",
		c.With, c.SHD, c.Missing, c.Extra, c.Reversed, share(c.AdjacencyPrecision),
		share(c.AdjacencyRecall), share(c.ArrowheadPrecision), share(c.ArrowheadRecall))
}

// share writes one to two decimals; "-" for that of nothing.
func share(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.2f", v)
}

// Basis says what the graph rests on.
func (r *CausalReport) Basis() []string {
	f := r.Flags
	how := ""
	switch f.Choose {
	case "median":
		how = ", lengthscales by the median heuristic"
	case "learned":
		how = ", lengthscales learned"
	}
	s := fmt.Sprintf("The PC algorithm made %s (%s%s, level %g)", cli.Plural(r.Result.Tests, "test"),
		testWords(f.Test), how, f.Alpha)
	switch n, _ := r.Data.P.Dims(); {
	case r.Result.LeastRows == n:
		s += fmt.Sprintf(" on %d rows", n)
	case r.Result.LeastRows > 0:
		s += fmt.Sprintf(", the one with fewest rows with %d", r.Result.LeastRows)
	}
	out := []string{s + ".", Hidden}
	if f.Test == "residual" {
		out = append(out, "The test of residuals is not a test of conditional independence where the scale "+
			"of the noise depends on the columns that are given: it then finds edges that are not there.")
	}
	if f.Time != "" {
		s := fmt.Sprintf("Nothing has an effect on %s, the time.", f.Time)
		if r.Whitened != nil {
			s = fmt.Sprintf("What a Gaussian process of %s predicts was taken out of each column.", f.Time)
		}
		out = append(out, s+" Rows that follow each other may still be dependent: p-values are then too "+
			"small, and frequencies too sure.")
	}
	return out
}

// testWords names a test as one says it.
func testWords(name string) string {
	switch name {
	case "kci":
		return "kernel tests of conditional independence"
	case "residual":
		return "kernel tests of residuals"
	case "fisherz":
		return "partial correlations"
	}
	return "G² of counts"
}

// Text prints the graph as a person reads it, the table first.
func (r *CausalReport) Text(out io.Writer) error {
	var b strings.Builder
	if t := r.Edges(); len(t.Rows) > 0 {
		if err := t.write(&b); err != nil {
			return err
		}
		fmt.Fprintln(&b)
	}
	for _, t := range []Table{r.OtherLevels(), r.Absent(), r.Whitening()} {
		if len(t.Rows) == 0 {
			continue
		}
		if err := t.write(&b); err != nil {
			return err
		}
		fmt.Fprintln(&b)
	}
	for _, s := range slices.Concat([]string{r.Finding()}, r.Sure(), r.Basis(), r.Data.Notes) {
		paragraph(&b, s)
	}
	fmt.Fprintf(&b, "\nOpen %s.\n", filepath.Join(r.Dir, "report.html"))
	_, err := io.WriteString(out, b.String())
	return err
}
