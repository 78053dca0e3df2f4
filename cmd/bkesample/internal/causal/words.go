package causal

import (
	"fmt"
	"slices"
	"strings"

	"bayeskernel/causal/graph"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
)

// hidden is the caveat that every reader of a PC graph needs.
const hidden = "The graph is right only if no hidden cause has effects on two of the columns: with " +
	"hidden confounders the FCI algorithm is needed, which is not here."

// finding is the first sentence.
func (g *learned) finding() string {
	directed, conflicts := 0, len(g.Graph.Conflicts())
	all := g.Graph.Edges()
	for _, e := range all {
		if e.Type() == "directed" {
			directed++
		}
	}
	s := fmt.Sprintf("The graph of %s has ", cli.Plural(len(g.data.Columns), "column"))
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

// sure says what else is known about the graph.
func (g *learned) sure() []string {
	out := slices.Clone(g.Notes)
	if g.stable != nil && g.stable.Failed > 0 {
		out = append(out, fmt.Sprintf("%s could not be used, the first because: %s.",
			cli.Plural(g.stable.Failed, "half-sample"), cli.WithoutPackages(g.stable.Failure)))
	}
	if a := g.adjust; a != nil {
		out = append(out, adjustWords(a))
	}
	for _, c := range g.compared {
		out = append(out, truthWords(c))
	}
	if n := len(g.disagreements); n > 0 {
		out = append(out, fmt.Sprintf("The test of residuals would have decided otherwise in %s: %s.",
			cli.Plural(n, "place"), cli.AndList(g.otherWords())))
	} else if g.flags.test == "kci" {
		out = append(out, "The test of residuals agrees with every edge and every separation.")
	}
	return out
}

// otherWords lists the decisions on which the other test differs.
func (g *learned) otherWords() []string {
	var out []string
	for _, d := range g.disagreements {
		where := d.X + ", " + d.Y
		if len(d.S) > 0 {
			where += " given " + strings.Join(d.S, ", ")
		}
		out = append(out, fmt.Sprintf("%s (p = %s, residuals %s)", where, report.Short(d.P),
			report.Short(d.Other)))
	}
	return cli.Fewer(out)
}

// adjustWords say what to adjust for.
func adjustWords(a *graph.Adjustment) string {
	if !a.Exists || a.Why != "" {
		return a.Why
	}
	s := fmt.Sprintf("The effect of %s on %s needs no adjustment.", a.X, a.Y)
	if len(a.Minimal) > 0 {
		s = fmt.Sprintf("To estimate the effect of %s on %s adjust for %s; no smaller part of this does.",
			a.X, a.Y, cli.AndList(a.Minimal))
	}
	if !slices.Equal(a.Minimal, a.Optimal) {
		least := "nothing"
		if len(a.Optimal) > 0 {
			least = cli.AndList(a.Optimal)
		}
		s += fmt.Sprintf(" The least variance in linear models has %s.", least)
	}
	return s
}

// truthWords compare with a known graph.
func truthWords(c comparison) string {
	return fmt.Sprintf("Compared with %s, the structural Hamming distance is %d: %d edges missing, %d too "+
		"many, %d with other marks. Adjacencies have precision %s and recall %s, arrowheads %s and %s.",
		c.with, c.SHD, c.Missing, c.Extra, c.Reversed, report.Decimals(c.AdjacencyPrecision),
		report.Decimals(c.AdjacencyRecall), report.Decimals(c.ArrowheadPrecision),
		report.Decimals(c.ArrowheadRecall))
}

// basis says what the graph is based on.
func (g *learned) basis() []string {
	f := g.flags
	how := ""
	switch f.choose {
	case "median":
		how = ", lengthscales by the median heuristic"
	case "learned":
		how = ", lengthscales learned"
	}
	s := fmt.Sprintf("The PC algorithm made %s (%s%s, level %g)", cli.Plural(g.Tests, "test"),
		testWords(f.test), how, f.alpha)
	switch n, _ := g.data.P.Dims(); {
	case g.LeastRows == n:
		s += fmt.Sprintf(" on %d rows", n)
	case g.LeastRows > 0:
		s += fmt.Sprintf(", the one with fewest rows with %d", g.LeastRows)
	}
	out := []string{s + ".", hidden}
	if f.test == "residual" {
		out = append(out, "The test of residuals is not a test of conditional independence where the scale "+
			"of the noise depends on the columns that are given: it then finds edges that are not there.")
	}
	if f.time != "" {
		s := fmt.Sprintf("Nothing has an effect on %s, the time.", f.time)
		if g.whitened != nil {
			s = fmt.Sprintf("What a Gaussian process of %s predicts was taken out of each column.", f.time)
		}
		out = append(out, s+" Rows that follow each other may still be dependent: p-values are then too "+
			"small, and frequencies too sure.")
	}
	return out
}

// testWords is the usual name of a test.
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
