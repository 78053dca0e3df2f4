package causal

import (
	"slices"

	"bayeskernel/causal"
	"bayeskernel/cmd/internal/report"
)

// graphRecord is graph.json, which -format json prints.
type graphRecord struct {
	Nodes     []string    `json:"nodes" doc:"The columns, in the order of their names."`
	Edges     []graphEdge `json:"edges" doc:"The edges. Undirected ones and conflicts run in the order of the names."`
	Algorithm string      `json:"algorithm" doc:"PC, FCI, RFCI or DirectLiNGAM."`
	Conflicts []pair      `json:"conflicts" doc:"The edges on whose direction the tests contradict each other; they stand in edges too."`
	Tests     int         `json:"tests" doc:"The number of distinct tests."`
}

type graphEdge struct {
	From      string   `json:"from" doc:"One end: the cause, where the edge is directed."`
	To        string   `json:"to" doc:"The other end."`
	MarkFrom  string   `json:"mark_from" enum:"tail,arrow,circle" doc:"The mark at from; a circle, with -hidden, leaves open which of the others it is."`
	MarkTo    string   `json:"mark_to" enum:"tail,arrow,circle" doc:"The mark at to. A conflict has two arrows, or with -hidden a hidden common cause; an undirected edge has two tails."`
	Frequency *float64 `json:"frequency" doc:"The share of random halves in whose graphs the two are adjacent, at the level of the graph; null without -stability."`
	// Others has the frequencies at the other levels of -alpha.
	Others []edgeLevel `json:"other_levels,omitempty" doc:"Frequencies at the other levels of -alpha; not there if it has one."`
}

// edgeLevel is how often an edge was found at a level, and in which direction.
type edgeLevel struct {
	Alpha      report.Number `json:"alpha" doc:"The level of the tests."`
	Adjacent   report.Number `json:"adjacent" doc:"The share of random halves in whose graphs the two are adjacent: the sum of those below."`
	Forward    report.Number `json:"from_to" doc:"The share with an arrow at to alone."`
	Backward   report.Number `json:"to_from" doc:"The share with an arrow at from alone."`
	Undirected report.Number `json:"undirected" doc:"The share with no arrow."`
	Conflict   report.Number `json:"conflict" doc:"The share with two arrows."`
	Partial    report.Number `json:"partial" doc:"The share with a circle."`
}

type pair struct {
	From string `json:"from" doc:"One end."`
	To   string `json:"to" doc:"The other end."`
}

// graphRecord returns the graph alone.
func (g *learned) graphRecord() *graphRecord {
	out := &graphRecord{Nodes: g.Graph.Names(), Edges: []graphEdge{}, Conflicts: []pair{},
		Tests: g.Tests}
	_, out.Algorithm = g.flags.algorithm()
	s := g.frequencies()
	for _, e := range g.Graph.Edges() {
		edge := graphEdge{From: e.From, To: e.To, MarkFrom: e.MarkFrom.String(),
			MarkTo: e.MarkTo.String()}
		if s != nil {
			found := s.Of(e.From, e.To).Adjacent
			edge.Frequency = &found
			for _, l := range g.stable.Levels[1:] {
				f := l.Of(e.From, e.To)
				edge.Others = append(edge.Others, edgeLevel{report.Number(l.Alpha), report.Number(f.Adjacent),
					report.Number(f.Forward), report.Number(f.Backward), report.Number(f.Undirected),
					report.Number(f.Conflict), report.Number(f.Partial)})
			}
		}
		out.Edges = append(out.Edges, edge)
		if g.Graph.TypeOf(e) == "conflict" {
			out.Conflicts = append(out.Conflicts, pair{e.From, e.To})
		}
	}
	return out
}

// record is summary.json.
type record struct {
	report.Head
	Source        string           `json:"source" doc:"The files, in words."`
	Columns       []string         `json:"columns" doc:"The names of the columns that are data."`
	Rows          int              `json:"rows" doc:"The number of rows."`
	Verdict       []string         `json:"verdict" doc:"What was found, in sentences, the finding first."`
	Algorithm     string           `json:"algorithm" doc:"PC, FCI, RFCI or DirectLiNGAM."`
	Test          string           `json:"test" doc:"The test of conditional independence, as -test names it."`
	Choose        string           `json:"choose,omitempty" doc:"The rule of the lengthscales, as -choose names it; not there for the default."`
	Categories    []category       `json:"categories,omitempty" doc:"The columns of categories; not there if there are none."`
	Alpha         report.Number    `json:"alpha" doc:"The level of the tests of the graph."`
	Depth         int              `json:"depth" doc:"The largest number of columns that were given in a test; -1 for no limit."`
	Colliders     string           `json:"colliders" doc:"The rule for colliders, as -colliders names it."`
	Tests         int              `json:"tests" doc:"The number of distinct tests."`
	CannotTell    int              `json:"cannot_tell" doc:"The number of tests without a p-value, which do not separate."`
	LeastRows     int              `json:"least_rows" doc:"The number of rows of the test with fewest; 0 where it is not known."`
	Edges         []edgeRow        `json:"edges" doc:"The edges."`
	Separations   []separation     `json:"separations" doc:"The pairs that are not adjacent, with all sets that separate them."`
	Triples       triples          `json:"triples" doc:"Triples x, y, z of which x and z are not adjacent and y is adjacent to both."`
	Stability     *stabilityRecord `json:"stability,omitempty" doc:"Graphs of random halves; not there without -stability."`
	Whitened      []whitened       `json:"whitened,omitempty" doc:"What the time predicted of each column; not there if nothing was taken out."`
	Truth         []truthRecord    `json:"truth,omitempty" doc:"Comparisons with the graph of -truth and with its class; not there without it."`
	Adjust        *adjustRecord    `json:"adjust,omitempty" doc:"The answer to -adjust; not there without it."`
	Effects       []effectRecord   `json:"effects,omitempty" doc:"The total effects that were asked for by -effects and -adjust, in linear models; not there without them."`
	Disagreements []otherDecision  `json:"disagreements,omitempty" doc:"Decisions that the test of residuals would have taken otherwise; not there if there are none."`
	Seed          uint64           `json:"seed" doc:"The seed of all random numbers."`
	Notes         []string         `json:"notes" doc:"What to keep in mind although nothing is wrong, in sentences."`
}

// category is a column of categories.
type category struct {
	Column string   `json:"column" doc:"The name of the column."`
	Values []string `json:"values" doc:"The names of its categories, in their order."`
}

type edgeRow struct {
	From  string        `json:"from" doc:"One end: the cause, where the edge is directed."`
	To    string        `json:"to" doc:"The other end."`
	Type  string        `json:"type" doc:"directed, undirected or conflict; with -hidden also bidirected and partial."`
	P     report.Number `json:"largest_p" doc:"The largest p-value of the tests of the pair; null if none was made."`
	Given []string      `json:"given" doc:"The set that gave it."`
}

type separation struct {
	X    string          `json:"x" doc:"One of the pair."`
	Y    string          `json:"y" doc:"The other."`
	Sets []separatingSet `json:"sets" doc:"All sets of the smallest size that separate them."`
}

type separatingSet struct {
	Given []string      `json:"given" doc:"The set."`
	P     report.Number `json:"p" doc:"The p-value of the pair given it."`
}

// triples are the open triples x, y, z by what the tests found.
type triples struct {
	Colliders [][3]string `json:"colliders" doc:"Those with arrows at y from both sides."`
	Undecided [][3]string `json:"undecided" doc:"Those that the tests did not decide: separating sets say both, p-values are not clear-cut, or the pair was not tested; other arrows may still settle them."`
	Overruled [][3]string `json:"overruled" doc:"Colliders that the tests speak for, which stronger evidence or knowledge excludes."`
	Forced    [][3]string `json:"forced" doc:"Colliders that the tests speak against, which the rest of the graph implies."`
}

type stabilityRecord struct {
	Replicates int           `json:"replicates" doc:"The number of random halves."`
	Failed     int           `json:"failed" doc:"How many of them could not be used."`
	Rows       int           `json:"rows" doc:"The number of rows of each."`
	Alpha      report.Number `json:"alpha" doc:"The level of pairs, that of the graph."`
	Pairs      []frequency   `json:"pairs" doc:"All pairs that some random half has an edge of, the most frequent first."`
	Others     []level       `json:"other_levels,omitempty" doc:"The same at the other levels of -alpha; not there if it has one."`
}

// level is the table for another level.
type level struct {
	Alpha report.Number `json:"alpha" doc:"The level of the tests."`
	Pairs []frequency   `json:"pairs" doc:"All pairs that some random half has an edge of, the most frequent first."`
}

type frequency struct {
	A          string        `json:"a" doc:"One of the pair, the first by name."`
	B          string        `json:"b" doc:"The other."`
	Adjacent   report.Number `json:"adjacent" doc:"The share of random halves in whose graphs the two are adjacent: the sum of those below."`
	Forward    report.Number `json:"a_to_b" doc:"The share with an arrow at b alone."`
	Backward   report.Number `json:"b_to_a" doc:"The share with an arrow at a alone."`
	Undirected report.Number `json:"undirected" doc:"The share with no arrow."`
	Conflict   report.Number `json:"conflict" doc:"The share with two arrows."`
	Partial    report.Number `json:"partial" doc:"The share with a circle."`
}

type truthRecord struct {
	With               string        `json:"with" doc:"The graph that was compared with."`
	SHD                int           `json:"shd" doc:"The structural Hamming distance."`
	AdjacencyPrecision report.Number `json:"adjacency_precision" doc:"The share of adjacencies found that are right; null for none."`
	AdjacencyRecall    report.Number `json:"adjacency_recall" doc:"The share of right adjacencies that were found; null for none."`
	ArrowheadPrecision report.Number `json:"arrowhead_precision" doc:"The share of arrowheads found that are right; null for none."`
	ArrowheadRecall    report.Number `json:"arrowhead_recall" doc:"The share of right arrowheads that were found; null for none."`
}

type adjustRecord struct {
	X         string   `json:"x" doc:"The cause."`
	Y         string   `json:"y" doc:"The effect."`
	Exists    bool     `json:"exists" doc:"Whether a set of columns to adjust for exists."`
	Why       string   `json:"why,omitempty" doc:"Why there is none, or what else is to be known; not there if nothing is."`
	Minimal   []string `json:"minimal" doc:"A set no smaller part of which does."`
	Optimal   []string `json:"optimal" doc:"The set of least variance in linear models."`
	Canonical []string `json:"canonical" doc:"The largest set."`
}

type effectRecord struct {
	X        string          `json:"x" doc:"The cause."`
	Y        string          `json:"y" doc:"The effect."`
	Why      string          `json:"why,omitempty" doc:"Why there is no conclusion, or that there is no effect; not there otherwise."`
	Low      report.Number   `json:"low" doc:"The lowest limit of the 95% intervals over all graphs of the class; null for no conclusion."`
	High     report.Number   `json:"high" doc:"The highest limit."`
	Adjusted *adjustedRecord `json:"adjusted,omitempty" doc:"The adjusted estimate; not there where the graph does not say what to adjust for."`
}

type adjustedRecord struct {
	Effect report.Number `json:"effect" doc:"The change of the mean of y where x is set one unit higher."`
	SE     report.Number `json:"se" doc:"Its standard error."`
	Low    report.Number `json:"low" doc:"The lower limit of its 95% interval."`
	High   report.Number `json:"high" doc:"The upper limit."`
	Given  []string      `json:"given" doc:"The columns that were adjusted for."`
}

type otherDecision struct {
	X     string        `json:"x" doc:"One of the pair."`
	Y     string        `json:"y" doc:"The other."`
	Given []string      `json:"given" doc:"The set that was given."`
	P     report.Number `json:"p" doc:"The p-value of the test of the graph."`
	Other report.Number `json:"p_residual" doc:"That of the test of residuals."`
}

// record has all numbers, and the verdict as sentences.
func (g *learned) record(verdict []string) *record {
	n, _ := g.data.P.Dims()
	f := g.flags
	_, name := f.algorithm()
	s := &record{Head: report.NewHead("causal"), Source: g.data.Source, Columns: g.data.Columns, Rows: n,
		Verdict: verdict, Algorithm: name, Test: f.test, Choose: f.choose, Alpha: report.Number(f.alpha), Depth: f.depth,
		Colliders: f.colliders, Tests: g.Tests, CannotTell: g.CannotTell, LeastRows: g.LeastRows,
		Edges: []edgeRow{}, Separations: []separation{}, Triples: triples{tripleRows(g.Colliders),
			tripleRows(g.Undecided), tripleRows(g.Overruled), tripleRows(g.Forced)}, Stability: g.stabilityRecord(),
		Whitened: g.whitened, Seed: f.seed, Notes: listed(g.data.Notes)}
	for j, c := range g.data.Categories {
		if c != nil {
			s.Categories = append(s.Categories, category{g.data.Columns[j], c.Names})
		}
	}
	for _, e := range g.Graph.Edges() {
		v, _ := g.Strength(e.From, e.To)
		s.Edges = append(s.Edges, edgeRow{e.From, e.To, g.Graph.TypeOf(e), report.Number(v.P), listed(v.S)})
	}
	for _, p := range g.Separations {
		row := separation{X: p.X, Y: p.Y}
		for _, set := range p.Sets {
			row.Sets = append(row.Sets, separatingSet{listed(set.S), report.Number(set.P)})
		}
		s.Separations = append(s.Separations, row)
	}
	for _, c := range g.compared {
		s.Truth = append(s.Truth, truthRecord{c.with, c.SHD, report.Number(c.AdjacencyPrecision),
			report.Number(c.AdjacencyRecall), report.Number(c.ArrowheadPrecision),
			report.Number(c.ArrowheadRecall)})
	}
	if a := g.adjust; a != nil {
		s.Adjust = &adjustRecord{a.X, a.Y, a.Exists, a.Why, listed(a.Minimal), listed(a.Optimal),
			listed(a.Canonical)}
	}
	effects := g.effects
	if g.adjusted != nil {
		effects = append(slices.Clone(effects), g.adjusted)
	}
	for _, e := range effects {
		row := effectRecord{X: e.X, Y: e.Y, Why: e.Why, Low: report.Number(e.Low), High: report.Number(e.High)}
		if a := e.Adjusted; a != nil {
			row.Adjusted = &adjustedRecord{report.Number(a.Effect), report.Number(a.SE), report.Number(a.Low),
				report.Number(a.High), listed(a.Given)}
		}
		s.Effects = append(s.Effects, row)
	}
	for _, d := range g.disagreements {
		s.Disagreements = append(s.Disagreements, otherDecision{d.X, d.Y, listed(d.S),
			report.Number(d.P), report.Number(d.Other)})
	}
	return s
}

func (g *learned) stabilityRecord() *stabilityRecord {
	if g.stable == nil {
		return nil
	}
	out := &stabilityRecord{Replicates: g.stable.Replicates, Failed: g.stable.Failed,
		Rows: g.stable.Rows, Alpha: report.Number(g.flags.alpha), Pairs: frequencyRows(g.frequencies())}
	for _, l := range g.stable.Levels[1:] {
		out.Others = append(out.Others, level{report.Number(l.Alpha), frequencyRows(&l)})
	}
	return out
}

func frequencyRows(l *causal.LevelStability) []frequency {
	out := []frequency{}
	for _, f := range l.Pairs {
		out = append(out, frequency{f.A, f.B, report.Number(f.Adjacent), report.Number(f.Forward),
			report.Number(f.Backward), report.Number(f.Undirected), report.Number(f.Conflict),
			report.Number(f.Partial)})
	}
	return out
}

func tripleRows(list []causal.Triple) [][3]string {
	out := [][3]string{}
	for _, t := range list {
		out = append(out, [3]string{t.X, t.Y, t.Z})
	}
	return out
}

// listed returns a list that JSON writes as [] rather than null if it is empty.
func listed(names []string) []string { return append([]string{}, names...) }
