package tell

import (
	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/draws"
)

// causalGraph is graph.json, and what -format json prints.
type causalGraph struct {
	Nodes     []string     `json:"nodes"`
	Edges     []causalEdge `json:"edges"`
	Conflicts []causalPair `json:"conflicts"`
	Tests     int          `json:"tests"`
}

type causalEdge struct {
	From      string     `json:"from"`
	To        string     `json:"to"`
	MarkFrom  graph.Mark `json:"mark_from"`
	MarkTo    graph.Mark `json:"mark_to"`
	Frequency *float64   `json:"frequency"` // of the adjacency; null without -stability
	// Others has the frequencies at the other levels of -alpha.
	Others []causalEdgeLevel `json:"other_levels,omitempty"`
}

// causalEdgeLevel is how often an edge was found at a level, and which way.
type causalEdgeLevel struct {
	Alpha      number `json:"alpha"`
	Adjacent   number `json:"adjacent"`
	Forward    number `json:"from_to"`
	Backward   number `json:"to_from"`
	Undirected number `json:"undirected"`
	Conflict   number `json:"conflict"`
}

type causalPair struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func (r *CausalReport) record() *causalGraph {
	g := &causalGraph{Nodes: r.Result.Graph.Names(), Edges: []causalEdge{}, Conflicts: []causalPair{},
		Tests: r.Result.Tests}
	s := r.Stability()
	for _, e := range r.Result.Graph.Edges() {
		edge := causalEdge{From: e.From, To: e.To, MarkFrom: e.MarkFrom, MarkTo: e.MarkTo}
		if s != nil {
			f := s.Of(e.From, e.To).Adjacent
			edge.Frequency = &f
			for _, l := range r.Stable.Levels[1:] {
				f := l.Of(e.From, e.To)
				edge.Others = append(edge.Others, causalEdgeLevel{number(l.Alpha), number(f.Adjacent),
					number(f.Forward), number(f.Backward), number(f.Undirected), number(f.Conflict)})
			}
		}
		g.Edges = append(g.Edges, edge)
		if e.Type() == "conflict" {
			g.Conflicts = append(g.Conflicts, causalPair{e.From, e.To})
		}
	}
	return g
}

// causalSummary is summary.json.
type causalSummary struct {
	SchemaVersion int                `json:"schema_version"`
	Command       string             `json:"command"`
	Source        string             `json:"source"`
	Columns       []string           `json:"columns"`
	Rows          int                `json:"rows"`
	Verdict       []string           `json:"verdict"`
	Test          string             `json:"test"`
	Choose        string             `json:"choose,omitempty"`
	Categories    []causalCategory   `json:"categories,omitempty"`
	Alpha         number             `json:"alpha"`
	Depth         int                `json:"depth"` // -1: no limit
	Colliders     string             `json:"colliders"`
	Tests         int                `json:"tests"`
	CannotTell    int                `json:"cannot_tell"`
	LeastRows     int                `json:"least_rows"`
	Edges         []causalEdgeRow    `json:"edges"`
	Separations   []causalSeparation `json:"separations"`
	Triples       causalTriples      `json:"triples"`
	Stability     *causalStability   `json:"stability,omitempty"`
	Whitened      []causalWhitened   `json:"whitened,omitempty"`
	Truth         []causalTruth      `json:"truth,omitempty"`
	Adjust        *causalAdjust      `json:"adjust,omitempty"`
	Disagreements []causalOther      `json:"disagreements,omitempty"`
	Seed          uint64             `json:"seed"`
	Notes         []string           `json:"notes"`
}

// causalCategory is a column of categories.
type causalCategory struct {
	Column string   `json:"column"`
	Values []string `json:"values"`
}

type causalEdgeRow struct {
	From  string   `json:"from"`
	To    string   `json:"to"`
	Type  string   `json:"type"`
	P     number   `json:"largest_p"`
	Given []string `json:"given"`
}

type causalSeparation struct {
	X    string      `json:"x"`
	Y    string      `json:"y"`
	Sets []causalSet `json:"sets"`
}

type causalSet struct {
	Given []string `json:"given"`
	P     number   `json:"p"`
}

// causalTriples are the open triples x, y, z by what the tests say of them.
type causalTriples struct {
	Colliders [][3]string `json:"colliders"`
	Undecided [][3]string `json:"undecided"`
	Overruled [][3]string `json:"overruled"`
}

type causalStability struct {
	Replicates int               `json:"replicates"`
	Failed     int               `json:"failed"`
	Rows       int               `json:"rows"`
	Alpha      number            `json:"alpha"`
	Pairs      []causalFrequency `json:"pairs"`
	Others     []causalLevel     `json:"other_levels,omitempty"`
}

// causalLevel is the table of another level.
type causalLevel struct {
	Alpha number            `json:"alpha"`
	Pairs []causalFrequency `json:"pairs"`
}

type causalFrequency struct {
	A          string `json:"a"`
	B          string `json:"b"`
	Adjacent   number `json:"adjacent"`
	Forward    number `json:"a_to_b"`
	Backward   number `json:"b_to_a"`
	Undirected number `json:"undirected"`
	Conflict   number `json:"conflict"`
}

// causalWhitened is what the time predicted of a column.
type causalWhitened struct {
	Column      string   `json:"column"`
	Lengthscale number   `json:"lengthscale"`
	Removed     number   `json:"removed"`
	Before      number   `json:"autocorrelation_before"`
	After       number   `json:"autocorrelation_after"`
	Others      []number `json:"other_lengthscales"`
}

type causalTruth struct {
	With               string `json:"with"`
	SHD                int    `json:"shd"`
	AdjacencyPrecision number `json:"adjacency_precision"`
	AdjacencyRecall    number `json:"adjacency_recall"`
	ArrowheadPrecision number `json:"arrowhead_precision"`
	ArrowheadRecall    number `json:"arrowhead_recall"`
}

type causalAdjust struct {
	X         string   `json:"x"`
	Y         string   `json:"y"`
	Exists    bool     `json:"exists"`
	Why       string   `json:"why,omitempty"`
	Minimal   []string `json:"minimal"`
	Optimal   []string `json:"optimal"`
	Canonical []string `json:"canonical"`
}

type causalOther struct {
	X     string   `json:"x"`
	Y     string   `json:"y"`
	Given []string `json:"given"`
	P     number   `json:"p"`
	Other number   `json:"p_residual"`
}

func (r *CausalReport) summarise() *causalSummary {
	n, _ := r.Data.P.Dims()
	f, res := r.Flags, r.Result
	s := &causalSummary{SchemaVersion: draws.SchemaVersion, Command: "causal", Source: r.Data.Source,
		Columns: r.Data.Columns, Rows: n, Test: f.Test, Alpha: number(f.Alpha), Depth: f.Depth,
		Colliders: f.Colliders, Tests: res.Tests, CannotTell: res.CannotTell, LeastRows: res.LeastRows,
		Edges: []causalEdgeRow{}, Separations: []causalSeparation{}, Seed: f.Seed,
		Verdict: append([]string{r.Finding()}, r.Sure()...), Notes: append([]string{}, r.Data.Notes...)}
	s.Choose = f.Choose
	for j, c := range r.Data.Categories {
		if c != nil {
			s.Categories = append(s.Categories, causalCategory{r.Data.Columns[j], c.Names})
		}
	}
	for _, e := range res.Graph.Edges() {
		v, _ := res.Strength(e.From, e.To)
		s.Edges = append(s.Edges, causalEdgeRow{e.From, e.To, e.Type(), number(v.P), listed(v.S)})
	}
	for _, p := range res.Separations {
		row := causalSeparation{X: p.X, Y: p.Y}
		for _, set := range p.Sets {
			row.Sets = append(row.Sets, causalSet{listed(set.S), number(set.P)})
		}
		s.Separations = append(s.Separations, row)
	}
	s.Triples = causalTriples{tripleRows(res.Colliders), tripleRows(res.Undecided),
		tripleRows(res.Overruled)}
	for _, w := range r.Whitened {
		s.Whitened = append(s.Whitened, causalWhitened{w.Column, number(w.Lengthscale),
			number(w.Removed), number(w.Before), number(w.After), numbers(w.Others)})
	}
	for _, c := range r.Truth {
		s.Truth = append(s.Truth, causalTruth{c.With, c.SHD, number(c.AdjacencyPrecision),
			number(c.AdjacencyRecall), number(c.ArrowheadPrecision), number(c.ArrowheadRecall)})
	}
	if a := r.Adjust; a != nil {
		s.Adjust = &causalAdjust{a.X, a.Y, a.Exists, a.Why, listed(a.Minimal), listed(a.Optimal),
			listed(a.Canonical)}
	}
	for _, d := range r.Disagreements {
		s.Disagreements = append(s.Disagreements, causalOther{d.X, d.Y, listed(d.S), number(d.P),
			number(d.Other)})
	}
	s.Stability = r.stabilityRecord()
	return s
}

func (r *CausalReport) stabilityRecord() *causalStability {
	if r.Stable == nil {
		return nil
	}
	out := &causalStability{Replicates: r.Stable.Replicates, Failed: r.Stable.Failed,
		Rows: r.Stable.Rows, Alpha: number(r.Flags.Alpha), Pairs: frequencyRows(r.Stability())}
	for _, l := range r.Stable.Levels[1:] {
		out.Others = append(out.Others, causalLevel{number(l.Alpha), frequencyRows(&l)})
	}
	return out
}

func frequencyRows(l *causal.LevelStability) []causalFrequency {
	out := []causalFrequency{}
	for _, f := range l.Pairs {
		out = append(out, causalFrequency{f.A, f.B, number(f.Adjacent), number(f.Forward),
			number(f.Backward), number(f.Undirected), number(f.Conflict)})
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

// listed is a list that JSON writes as one though it be empty.
func listed(names []string) []string { return append([]string{}, names...) }
