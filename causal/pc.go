package causal

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/causal/graph"
)

// Rule is how the colliders among open triples are found: x - y - z with x and z not adjacent.
type Rule int

// The rules.
const (
	// InOrder takes the votes of Majority. It places the collider first that the largest share of the
	// sets asked speaks for, and passes over those that contradict an arrow that stands or close a
	// cycle. A triple whose p-values are not clear-cut stays open. With a *Kernel the mean p-values with
	// and without the middle column decide, not votes. Its graph always stands for some DAG, and has no conflicts.
	InOrder Rule = iota
	// SeparatingSets makes y a collider if it is in none of the sets that separated x and z.
	SeparatingSets
	// Majority asks all sets of neighbours of x, or of z, in the skeleton. Then y is a collider if it
	// is in fewer than half of those that separate x and z, and undecided if it is in half of them.
	Majority
	// Conservative asks the same sets: y is a collider if it is in none, and undecided if in some.
	Conservative
)

// String is the word for the rule.
func (rule Rule) String() string {
	switch rule {
	case InOrder:
		return "ordered"
	case SeparatingSets:
		return "sets"
	case Majority:
		return "majority"
	case Conservative:
		return "conservative"
	}
	return fmt.Sprintf("Rule(%d)", int(rule))
}

// EmptySets is the depth at which only the empty set is looked at.
const EmptySets = -1

// Options says how PC works. The zero value is the default.
type Options struct {
	Alpha     float64 // independent if p > Alpha; 0 means 0.05
	Depth     int     // the largest set that may separate; 0 means no limit, EmptySets none
	Knowledge Knowledge
	Colliders Rule
	Log       *Log // tests made before, and those that are made; nil keeps none
	Parallel  int  // at most so many at once; 0 means GOMAXPROCS; changes no result
	// Progress, if not nil, is called from time to time, by one goroutine at a time: done parts of
	// total of the step under way. It must not block.
	Progress func(step string, done, total int)

	careful bool // InOrder wants columns that collide well apart: see doubt
}

// Separation is a pair of columns that tests have shown no dependence of.
type Separation struct {
	X, Y string
	Sets []Set // all sets of this size that separate, not only the first found
}

// Set is a set of columns with the p-value of x and y given it.
type Set struct {
	S []string
	P float64
}

// Strength is the largest p-value of an adjacent pair: the smaller, the surer the edge. S is the
// set that gave it. P is NaN if no test was made, because knowledge requires the edge.
type Strength struct {
	X, Y string
	Set
}

// Triple is x - y - z with x and z not adjacent.
type Triple struct{ X, Y, Z string }

// String is the triple as a collider.
func (t Triple) String() string { return t.X + " -> " + t.Y + " <- " + t.Z }

// path is the triple without directions.
func (t Triple) path() string { return t.X + " - " + t.Y + " - " + t.Z }

// Result is what PC found.
type Result struct {
	// Graph has the columns in the order of their names. Edges with two arrows are conflicts: the
	// tests speak for both.
	Graph       *graph.Graph
	Separations []Separation
	Strengths   []Strength
	Colliders   []Triple
	Undecided   []Triple // neither collider nor not
	Overruled   []Triple // colliders that the tests speak for and the graph has not
	Forced      []Triple // colliders of the graph that the tests speak against; by InOrder only
	Tests       int      // distinct tests of this run, those from the log included
	CannotTell  int      // tests whose p is NaN, or small and doubtful
	LeastRows   int      // complete rows of the test with fewest; 0 if tests have no rows
	// Notes are sentences on what the user should know, such as that no DAG has this graph.
	Notes []string
}

// PC learns a graph by the PC algorithm (Spirtes, Glymour and Scheines) in its order-independent
// form (Colombo and Maathuis 2014). The result does not depend on the order of the columns. It ends
// between two tests when ctx does, and the Log then holds what was done.
func PC(ctx context.Context, test Test, o Options) (*Result, error) {
	r, err := newRun(test, o)
	if err != nil {
		return nil, err
	}
	if err := r.skeleton(ctx); err != nil {
		return nil, err
	}
	verdicts, err := r.verdicts(ctx)
	if err != nil {
		return nil, err
	}
	r.orient(verdicts)
	r.describe()
	return r.result, nil
}

// run is PC under way. Columns are numbered in the order of their names.
type run struct {
	test    Test
	o       Options
	names   []string
	column  []int // number within test
	rules   *rules
	g       *graph.Graph
	sets    map[[2]int][]separating
	nearest []separating    // of each pair x*p+y, x < y: the largest p-value
	asked   map[string]bool // nil unless a test may be asked for twice
	means   bool            // InOrder decides by mean p-values: see doubt
	result  *Result
}

func newRun(test Test, o Options) (*run, error) {
	if test == nil {
		return nil, fmt.Errorf("causal: the test is nil, want one")
	}
	if o.Parallel < 0 {
		return nil, fmt.Errorf("causal: Parallel is %d, want 0 for GOMAXPROCS, or more", o.Parallel)
	}
	if o.Depth < EmptySets {
		return nil, fmt.Errorf("causal: Depth is %d, want a size of sets, 0 for no limit or EmptySets", o.Depth)
	}
	if o.Colliders < InOrder || o.Colliders > Conservative {
		return nil, fmt.Errorf("causal: Colliders is %d, want one of the rules InOrder to Conservative", int(o.Colliders))
	}
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return nil, fmt.Errorf("causal: the level is %v, want it between 0 and 1", o.Alpha)
	}
	if o.Colliders != SeparatingSets && o.Log == nil {
		o.Log = NewLog()
	}
	g, err := graph.New(test.Names())
	if err != nil {
		return nil, fmt.Errorf("causal: the columns: %w", err)
	}
	r := &run{test: test, o: o, g: g, names: g.Names(), sets: map[[2]int][]separating{},
		result: &Result{Graph: g}}
	_, r.means = test.(*Kernel)
	p := len(r.names)
	if p < 2 {
		return nil, fmt.Errorf("causal: the table has %s, want at least 2", count(p, "column"))
	}
	r.nearest = make([]separating, p*p)
	r.column = make([]int, p)
	for j, name := range test.Names() {
		r.column[g.Index(name)] = j
	}
	if r.rules, err = o.Knowledge.resolve(r.names); err != nil {
		return nil, err
	}
	for x := range p {
		for y := x + 1; y < p; y++ {
			r.nearest[x*p+y].p = math.NaN()
			if !r.rules.apart(x, y) {
				g.Set(x, y, graph.Tail, graph.Tail)
			}
		}
	}
	if o.Colliders != SeparatingSets {
		r.asked = map[string]bool{}
	}
	return r, nil
}

// deepest is the largest size of separating sets.
func (r *run) deepest() int {
	switch {
	case r.o.Depth < 0:
		return 0
	case r.o.Depth == 0:
		return len(r.names)
	}
	return r.o.Depth
}

// describe fills in the lists and the notes.
func (r *run) describe() {
	p, out := len(r.names), r.result
	for x := range p {
		for y := x + 1; y < p; y++ {
			if r.g.Adjacent(x, y) {
				near := r.nearest[x*p+y]
				out.Strengths = append(out.Strengths, Strength{r.names[x], r.names[y],
					Set{r.namesOf(near.s), near.p}})
			}
		}
	}
	note := func(format string, a ...any) { out.Notes = append(out.Notes, fmt.Sprintf(format, a...)) }
	if c := r.g.Conflicts(); len(c) > 0 && !r.g.Partial {
		var words []string
		for _, e := range c {
			words = append(words, e.String())
		}
		note("The tests contradict each other on the direction of %s: %s.", count(len(c), "edge"),
			strings.Join(words, ", "))
	}
	if c := r.g.Cycle(); c != nil && !r.g.Partial {
		note("The directed edges have a cycle, %s -> %s: no DAG has this graph.",
			strings.Join(c, " -> "), c[0])
	} else if _, err := r.g.Extend(); err != nil && len(r.g.Conflicts()) == 0 && !r.g.Partial {
		note("No DAG has these arrows and no colliders besides: the tests contradict each other.")
	}
	var kept []string
	for x := range r.names {
		for y := x + 1; y < len(r.names); y++ {
			if r.rules.apart(x, y) {
				kept = append(kept, r.names[x]+" and "+r.names[y])
			}
		}
	}
	if len(kept) > 0 {
		note("Kept without a link, as you said, whatever the rows say of it: %s.", strings.Join(few(kept), "; "))
	}
	if r.o.Colliders == InOrder {
		if len(out.Overruled) > 0 {
			it, support := "it", "support"
			if len(out.Overruled) > 1 {
				it = "them"
			}
			if r.o.Knowledge.any() {
				support += ", or what you said,"
			}
			note("Left out, though some tests spoke for %s: %s. Arrows with more %s contradict %s.", it,
				triples(out.Overruled, Triple.String), support, it)
		}
		if len(out.Forced) > 0 {
			note("There is some evidence against %s, which the rest of the graph implies.", triples(out.Forced, Triple.String))
		}
	} else {
		for _, t := range out.Overruled {
			note("The tests speak for %v, which the knowledge excludes.", t)
		}
	}
	if open := r.leftOpen(); len(open) > 0 {
		lack := "a link there may lack an arrow for that reason"
		if r.g.Partial {
			lack = "marks there stay open"
		}
		note("In %s the tests cannot tell whether both outer columns affect the middle one; %s: %s.",
			count(len(open), "chain"), lack, triples(open, Triple.path))
	}
	if out.CannotTell > 0 {
		note("In %s of %d the rows could not tell: no p-value, or too few rows for the columns that are given.", count(out.CannotTell, "test"), out.Tests)
	}
}

// leftOpen are the triples that the tests leave undecided and that may leave the direction of an edge open: not those
// whose middle has an arrow that points away, nor those whose outer columns were not tested because they are known to be
// apart.
func (r *run) leftOpen() []Triple {
	return slices.DeleteFunc(slices.Clone(r.result.Undecided), func(t Triple) bool {
		x, y, z := r.g.Index(t.X), r.g.Index(t.Y), r.g.Index(t.Z)
		return r.rules.apart(x, z) || !r.g.Partial && (r.g.Points(y, x) || r.g.Points(y, z) || !r.g.Open(x, y) && !r.g.Open(y, z))
	})
}

// triples lists the first of them.
func triples(list []Triple, form func(Triple) string) string {
	var words []string
	for _, t := range list {
		words = append(words, form(t))
	}
	return strings.Join(few(words), ", ")
}

// few are the first of a list, and that there are more.
func few(words []string) []string {
	const most = 5
	if len(words) <= most {
		return words
	}
	return append(words[:most:most], "…")
}

// Strength is the largest p-value of the edge of two columns.
func (r *Result) Strength(a, b string) (Set, bool) {
	a, b = min(a, b), max(a, b)
	i := slices.IndexFunc(r.Strengths, func(s Strength) bool { return s.X == a && s.Y == b })
	if i < 0 {
		return Set{}, false
	}
	return r.Strengths[i].Set, true
}
