package causal

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"bayeskernel/causal/graph"
	"bayeskernel/internal/journal"
	"bayeskernel/internal/rng"
	"bayeskernel/internal/shown"
	"bayeskernel/internal/workers"
)

// StabilityOptions says how often a graph is learned anew, and where from.
type StabilityOptions struct {
	Replicates int       // 0 means 100
	Levels     []float64 // of the tests; nil means Options.Alpha alone
	Seed       uint64
	// Algorithm learns each graph: PC, FCI, or another; nil means PC. Name tells it in the file.
	Algorithm func(context.Context, Test, Options) (*Result, error)
	Name      string
	// Path is a file that keeps what is done, so that a run that was stopped goes on, or one with more
	// replicates begins with those. "" keeps nothing.
	Path string
	// About says, in one line, which table and test Path is of.
	About string
	// Only, if not nil, says which replicates are made, so that several machines can share them out. The
	// result is then of these and those of Path.
	Only func(replicate int) bool
}

// Opener makes the test of some of the rows. Seed is for what the test draws, such as
// pseudo-inputs; each replicate has one of its own.
type Opener func(rows []int, seed uint64) (Test, error)

// Frequency says how often an edge was in the graphs of the replicates.
type Frequency struct {
	A, B       string  // A is before B
	Adjacent   float64 // the sum of all below
	Forward    float64 // A -> B
	Backward   float64 // B -> A
	Undirected float64
	Conflict   float64 // A <-> B
	Partial    float64 // with a circle at an end
	// The shares with an arrowhead and with a tail at each end, which in partial graphs are told apart.
	HeadA, HeadB, TailA, TailB float64
}

// Stable is what the replicates have in common.
type Stable struct {
	Replicates, Failed int
	Failure            string // why the first of those failed
	Rows               int    // of each replicate
	// Levels has a table for each level.
	Levels []LevelStability
}

// NoneLeft is the error of a run whose replicates all failed.
type NoneLeft struct {
	Replicates int
	Failure    string // why the first failed
}

func (e *NoneLeft) Error() string {
	return fmt.Sprintf("causal: the graphs of all %d random halves failed, the first by: %s", e.Replicates, e.Failure)
}

// LevelStability is the table of one level: all pairs that some replicate has an edge of, the most
// frequent first.
type LevelStability struct {
	Alpha float64
	Pairs []Frequency
}

// Stability runs the whole of PC on random halves of the rows. They are drawn without replacement:
// rows that are drawn twice are a dependence to a kernel test, whose level of 0.05 becomes 0.4. The
// replicates are the same whatever runs at once. One that fails, because a column is constant in
// its half, say, is counted and passed over; it is an error if all do.
//
// For x -> y <- z InOrder wants x and z to be well apart here, a p-value of 0.2 with some set, as with kernel tests:
// directions are claimed by how often they occur.
//
// Half of the rows have less power than all, so that edges are rarer than their number in repeated
// samples of the full size would be. Rows of a time series are not independent: then frequencies
// say less than they seem to.
func Stability(ctx context.Context, rows int, open Opener, o Options, s StabilityOptions) (*Stable,
	error) {
	r, err := newReplicates(rows, open, o, s)
	if err != nil {
		return nil, err
	}
	if err := r.run(ctx); err != nil {
		return nil, err
	}
	return r.tally()
}

// replicates is a study under way.
type replicates struct {
	rows   int
	open   Opener
	o      Options
	s      StabilityOptions
	file   *journal.Journal
	atOnce int
	tell   func(step string, done, total int) // may be nil

	mu    sync.Mutex
	done  []*replicate // nil if not yet
	count int
}

// replicate is what one gave, and a line of the file.
type replicate struct {
	Number int            `json:"replicate"`
	Graphs []*graph.Graph `json:"graphs,omitempty"` // of each level
	Failed string         `json:"failed,omitempty"`
}

func newReplicates(rows int, open Opener, o Options, s StabilityOptions) (*replicates, error) {
	if s.Replicates == 0 {
		s.Replicates = 100
	}
	if len(s.Levels) == 0 {
		s.Levels = []float64{cmp.Or(o.Alpha, 0.05)}
	}
	switch {
	case o.Parallel < 0:
		return nil, fmt.Errorf("causal: Parallel is %d, want 0 for GOMAXPROCS, or more", o.Parallel)
	case s.Replicates < 0:
		return nil, fmt.Errorf("causal: the number of replicates is %d, want it positive", s.Replicates)
	case s.Algorithm != nil && s.Name == "":
		return nil, errors.New("causal: the algorithm has no Name, want one")
	case rows < 4:
		return nil, fmt.Errorf("causal: the table has %s, want at least 4 for halves", count(rows, "row"))
	}
	if s.Algorithm == nil {
		s.Algorithm = PC
	}
	r := &replicates{rows: rows, open: open, o: o, s: s, atOnce: o.Parallel, tell: o.Progress,
		done: make([]*replicate, s.Replicates)}
	r.o.Parallel, r.o.Progress, r.o.Log = 1, nil, nil
	r.o.careful = true
	if s.Path == "" {
		return r, nil
	}
	if s.Name != "" {
		s.About = s.Name + "; " + s.About
	}
	rule := o.Colliders.String()
	if o.Colliders == InOrder && (s.Name == "" || s.Name == "PC") {
		rule += ", careful"
	}
	about := fmt.Sprintf("%s; rows %d, levels %v, seed %d, depth %d, rule %s, knowledge %v", s.About,
		rows, s.Levels, s.Seed, o.Depth, rule, o.Knowledge)
	var err error
	r.file, err = journal.Open(s.Path, about, func(line []byte) error {
		p := new(replicate)
		if err := json.Unmarshal(line, p); err != nil {
			return err
		}
		if p.Number >= len(r.done) { // of a run with more of them
			return nil
		}
		if p.Number < 0 || r.done[p.Number] != nil ||
			p.Failed == "" && len(p.Graphs) != len(s.Levels) {
			return fmt.Errorf("replicate %d is out of place, want each once, with a graph for each level",
				p.Number)
		}
		r.done[p.Number] = p
		r.count++
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("causal: %w", err)
	}
	return r, nil
}

// run makes what is not done yet.
func (r *replicates) run(ctx context.Context) error {
	var todo []int
	for k, p := range r.done {
		if p == nil && (r.s.Only == nil || r.s.Only(k)) {
			todo = append(todo, k)
		}
	}
	if r.tell != nil && len(todo) > 0 {
		// A step of its own: an estimate of the time that is left counts from the end of the first.
		r.tell("the first random half", 0, 1)
	}
	errs := workers.Run(ctx, len(todo), r.atOnce, func(i int) error {
		p, err := r.make(ctx, todo[i])
		if err != nil {
			return err
		}
		return r.keep(p)
	})
	if r.file != nil {
		errs = append(errs, r.file.Close())
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// make learns the graphs of one replicate. An error is one that ends all.
func (r *replicates) make(ctx context.Context, k int) (*replicate, error) {
	p := &replicate{Number: k}
	source, err := rng.New("", rng.Name{Seed: r.s.Seed, Replicate: uint64(k), Purpose: "half-sample"}, 0)
	if err != nil {
		return nil, fmt.Errorf("causal: %w", err)
	}
	draw := rand.New(source)
	half := draw.Perm(r.rows)[:r.rows/2]
	slices.Sort(half)
	test, err := r.open(half, draw.Uint64())
	if err != nil {
		p.Failed = err.Error()
		return p, nil
	}
	o := r.o
	if len(r.s.Levels) > 1 {
		o.Log = NewLog()
	}
	for _, alpha := range r.s.Levels {
		o.Alpha = alpha
		got, err := r.s.Algorithm(ctx, test, o)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return &replicate{Number: k, Failed: err.Error()}, nil
		}
		p.Graphs = append(p.Graphs, got.Graph)
	}
	return p, nil
}

// keep writes a replicate to the file, in whatever order they come.
func (r *replicates) keep(p *replicate) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		if err := r.file.Write(p); err != nil {
			return fmt.Errorf("causal: %s: %w", r.s.Path, err)
		}
	}
	r.done[p.Number] = p
	r.count++
	if r.tell != nil {
		r.tell("random halves", r.count, len(r.done))
	}
	return nil
}

// tally counts edges.
func (r *replicates) tally() (*Stable, error) {
	r.done = slices.DeleteFunc(r.done, func(p *replicate) bool { return p == nil }) // not of those to make
	out := &Stable{Replicates: len(r.done), Rows: r.rows / 2}
	for _, p := range r.done {
		if p.Failed != "" {
			out.Failed++
			out.Failure = cmp.Or(out.Failure, p.Failed)
		}
	}
	if out.Failed == out.Replicates && out.Failed > 0 {
		return nil, &NoneLeft{out.Replicates, out.Failure}
	}
	share := func(n int) float64 { return float64(n) / float64(out.Replicates-out.Failed) }
	for l, alpha := range r.s.Levels {
		pairs := map[[2]string]*tallied{}
		for _, p := range r.done {
			if p.Failed == "" {
				addEdges(pairs, p.Graphs[l])
			}
		}
		table := LevelStability{Alpha: alpha}
		for pair, n := range pairs {
			table.Pairs = append(table.Pairs, Frequency{A: pair[0], B: pair[1],
				Adjacent: share(n.all()), Forward: share(n.forward),
				Backward: share(n.backward), Undirected: share(n.undirected),
				Conflict: share(n.conflict), Partial: share(n.partial), HeadA: share(n.heads[0]),
				HeadB: share(n.heads[1]), TailA: share(n.tails[0]), TailB: share(n.tails[1])})
		}
		slices.SortFunc(table.Pairs, func(a, b Frequency) int {
			return cmp.Or(cmp.Compare(b.Adjacent, a.Adjacent), strings.Compare(a.A, b.A),
				strings.Compare(a.B, b.B))
		})
		out.Levels = append(out.Levels, table)
	}
	return out, nil
}

type tallied struct {
	forward, backward, undirected, conflict, partial int
	heads, tails                                     [2]int // at A, at B
}

func (t tallied) all() int { return t.forward + t.backward + t.undirected + t.conflict + t.partial }

func addEdges(pairs map[[2]string]*tallied, g *graph.Graph) {
	for _, e := range g.Edges() {
		pair := [2]string{min(e.From, e.To), max(e.From, e.To)}
		if pairs[pair] == nil {
			pairs[pair] = new(tallied)
		}
		n := pairs[pair]
		marks := [2]graph.Mark{e.MarkFrom, e.MarkTo}
		if e.From != pair[0] {
			marks[0], marks[1] = marks[1], marks[0]
		}
		for i, m := range marks {
			switch m {
			case graph.Arrow:
				n.heads[i]++
			case graph.Tail:
				n.tails[i]++
			}
		}
		switch {
		case e.Type() == "conflict":
			n.conflict++
		case e.Type() == "undirected":
			n.undirected++
		case e.Type() == "partial":
			n.partial++
		case e.From == pair[0]:
			n.forward++
		default:
			n.backward++
		}
	}
}

// Of is the frequency of the edges of a pair, with A and B in the order that is asked for.
func (l *LevelStability) Of(a, b string) Frequency {
	for _, f := range l.Pairs {
		switch {
		case f.A == a && f.B == b:
			return f
		case f.A == b && f.B == a:
			f.A, f.B, f.Forward, f.Backward = a, b, f.Backward, f.Forward
			f.HeadA, f.HeadB, f.TailA, f.TailB = f.HeadB, f.HeadA, f.TailB, f.TailA
			return f
		}
	}
	return Frequency{A: a, B: b}
}

// Sure is an edge of a graph with the marks that most replicates have too: without an arrow where most do not
// have it, and in a partial graph with a circle in the place of such a mark. Where most have each of two marks but not
// both at once, the tail of a directed edge becomes a circle, of two arrowheads the one that fewer have. There says
// whether most replicates have the edge at all.
func (l *LevelStability) Sure(e graph.Edge, partial bool) (sure graph.Edge, there bool) {
	f := l.Of(e.From, e.To)
	if partial {
		e.MarkFrom, e.MarkTo = mostHave(e.MarkFrom, f.HeadA, f.TailA), mostHave(e.MarkTo, f.HeadB, f.TailB)
	}
	joint := 1.0 // the share with both marks at once
	switch e.Type() {
	case "directed":
		joint = f.Forward
	case "conflict":
		joint = f.Conflict
	}
	switch {
	case joint > most:
	case !partial:
		e.MarkFrom, e.MarkTo = graph.Tail, graph.Tail
	case e.Type() == "conflict" && f.HeadB < f.HeadA:
		e.MarkTo = graph.Circle
	default:
		e.MarkFrom = graph.Circle
	}
	return e, f.Adjacent > most
}

// Certain reports whether nearly all replicates, more than NearlyAll, have this directed edge, or most have the edge and all
// of those in this direction, as where it is known.
//
// Halves of the same rows share what misleads them: an effect that others cancel, or a cause that is no column. Of tables
// of which no direction can be told, a fifth have an arrow in most halves, and fewer than a tenth one in nearly all
// (examples/discovery).
func (l *LevelStability) Certain(e graph.Edge) bool {
	f := l.Of(e.From, e.To)
	return e.Type() == "directed" && (f.Forward > NearlyAll || f.Forward > most && f.Forward == f.Adjacent)
}

// NearlyAll is the share of replicates above which an arrow is certain.
const NearlyAll = 0.95

// most is the share of replicates above which something is sure.
const most = 0.5

func mostHave(m graph.Mark, head, tail float64) graph.Mark {
	if m == graph.Arrow && head > most || m == graph.Tail && tail > most {
		return m
	}
	return graph.Circle
}

// WriteCSV writes the tables of all levels.
func (s *Stable) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"alpha", "a", "b", "adjacent", "a_to_b", "b_to_a", "undirected",
		"conflict", "partial"}) // Flush keeps the error
	for _, l := range s.Levels {
		for _, f := range l.Pairs {
			_ = out.Write([]string{number(l.Alpha), shown.Cell(f.A), shown.Cell(f.B), number(f.Adjacent), number(f.Forward),
				number(f.Backward), number(f.Undirected), number(f.Conflict), number(f.Partial)})
		}
	}
	out.Flush()
	return out.Error()
}
