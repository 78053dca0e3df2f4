package graph

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// Cycle returns the nodes along a cycle of directed edges, nil if there is none.
func (g *Graph) Cycle() []string {
	const active, done = 1, 2
	state := make([]uint8, len(g.names))
	var path []int
	var visit func(i int) []string
	visit = func(i int) []string {
		state[i] = active
		path = append(path, i)
		for j := range g.names {
			if !g.Points(i, j) || state[j] == done {
				continue
			}
			if state[j] == active {
				return g.namesOf(path[slices.Index(path, j):])
			}
			if c := visit(j); c != nil {
				return c
			}
		}
		path = path[:len(path)-1]
		state[i] = done
		return nil
	}
	for i := range g.names {
		if state[i] == 0 {
			if c := visit(i); c != nil {
				return c
			}
		}
	}
	return nil
}

func (g *Graph) namesOf(nodes []int) []string {
	out := make([]string, len(nodes))
	for k, i := range nodes {
		out[k] = g.names[i]
	}
	return out
}

// Extend returns a DAG with the adjacencies and arrows of g and no colliders besides those of g, by
// the algorithm of Dor and Tarsi (1992). It is an error if there is none.
func (g *Graph) Extend() (*Graph, error) {
	if c := g.Conflicts(); len(c) > 0 {
		return nil, fmt.Errorf("graph: the edge %v has two arrows, want one for a DAG", c[0])
	}
	if c := g.Cycle(); c != nil {
		return nil, fmt.Errorf("graph: the edges %s -> %s are a cycle, want none for a DAG",
			strings.Join(c, " -> "), c[0])
	}
	out, rest := g.Clone(), g.Clone()
	left := make([]bool, len(g.names))
	for i := range left {
		left[i] = true
	}
	for range g.names {
		sink := -1
		for i := range g.names {
			if left[i] && rest.canBeSink(i) {
				sink = i
				break
			}
		}
		if sink < 0 {
			return nil, fmt.Errorf("graph: no DAG has these arrows and no other colliders, want one")
		}
		left[sink] = false
		for j := range g.names {
			if rest.Open(sink, j) {
				out.Set(j, sink, Tail, Arrow)
			}
			rest.Set(sink, j, None, None)
		}
	}
	return out, nil
}

// ExtendCheapest returns a DAG with the adjacencies and arrows of g, which must have no directed cycle
// and no conflict. It works like Extend; where that finds no DAG without new colliders, it takes the
// node next whose new colliders x -> y <- z cost least, the first by name of equal ones.
func (g *Graph) ExtendCheapest(cost func(x, y, z int) float64) *Graph {
	out, rest := g.Clone(), g.Clone()
	left := make([]bool, len(g.names))
	for i := range left {
		left[i] = true
	}
	for range g.names {
		sink, least := -1, math.Inf(1)
		for i := range g.names {
			if !left[i] || slices.ContainsFunc(rest.Neighbours(i), func(j int) bool {
				return rest.Points(i, j)
			}) {
				continue
			}
			if c := rest.sinkCost(i, cost); c < least || sink < 0 {
				sink, least = i, c
			}
		}
		left[sink] = false
		for j := range g.names {
			if rest.Open(sink, j) {
				out.Set(j, sink, Tail, Arrow)
			}
			rest.Set(sink, j, None, None)
		}
	}
	return out
}

// sinkCost is the cost of the colliders that arise where all edges of i point to it.
func (g *Graph) sinkCost(i int, cost func(x, y, z int) float64) float64 {
	sum, all := 0.0, g.Neighbours(i)
	for a, k := range all {
		for _, j := range all[:a] {
			if !g.Adjacent(j, k) && (g.Open(i, j) || g.Open(i, k)) {
				sum += cost(j, i, k)
			}
		}
	}
	return sum
}

// Reaches reports whether directed edges lead from i to j.
func (g *Graph) Reaches(i, j int) bool {
	seen, stack := make([]bool, len(g.names)), []int{i}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for k := range g.names {
			if !seen[k] && g.Points(at, k) {
				if k == j {
					return true
				}
				seen[k] = true
				stack = append(stack, k)
			}
		}
	}
	return false
}

// OpenTriples yields the open triples x - y - z, whose ends are not adjacent, with x < z.
func (g *Graph) OpenTriples(yield func(t [3]int) bool) {
	for y := range g.names {
		all := g.Neighbours(y)
		for k, z := range all {
			for _, x := range all[:k] {
				if !g.Adjacent(x, z) && !yield([3]int{x, y, z}) {
					return
				}
			}
		}
	}
}

// canBeSink reports whether all edges of i may point to it without a new collider.
func (g *Graph) canBeSink(i int) bool {
	all := g.Neighbours(i)
	for _, j := range all {
		if g.Points(i, j) {
			return false
		}
		if !g.Open(i, j) {
			continue
		}
		for _, k := range all {
			if k != j && !g.Adjacent(j, k) {
				return false
			}
		}
	}
	return true
}

// isDAG says why g is not a DAG.
func (g *Graph) isDAG() error {
	for _, e := range g.Edges() {
		if e.Type() != "directed" {
			return fmt.Errorf("graph: the edge %v is not directed, want a DAG", e)
		}
	}
	if c := g.Cycle(); c != nil {
		return fmt.Errorf("graph: the edges %s -> %s are a cycle, want a DAG", strings.Join(c, " -> "),
			c[0])
	}
	return nil
}

// CPDAG is the graph of the Markov equivalence class of the DAG g.
func (g *Graph) CPDAG() (*Graph, error) {
	if err := g.isDAG(); err != nil {
		return nil, err
	}
	out := g.Clone()
	for i := range g.names {
		for j := range i {
			if g.Adjacent(i, j) {
				out.Set(i, j, Tail, Tail)
			}
		}
	}
	for y := range g.names {
		parents := g.Parents(y)
		for k, z := range parents {
			for _, x := range parents[:k] {
				if !g.Adjacent(x, z) {
					out.Set(x, y, Tail, Arrow)
					out.Set(z, y, Tail, Arrow)
				}
			}
		}
	}
	out.Meek(nil)
	return out, nil
}

// Separation returns the function that says whether x and y are d-separated given s in the DAG g.
// It may be called by several goroutines at once.
func (g *Graph) Separation() (func(x, y int, s []int) bool, error) {
	if err := g.isDAG(); err != nil {
		return nil, err
	}
	p := len(g.names)
	d := &separation{words: (p + 63) / 64, parents: make([][]int, p), children: make([][]int, p)}
	for i := range p {
		d.parents[i] = g.Parents(i)
		for _, j := range d.parents[i] {
			d.children[j] = append(d.children[j], i)
		}
	}
	d.scratch.New = func() any {
		return &reach{ancestors: make([]uint64, d.words), given: make([]uint64, d.words),
			seen: [2][]uint64{make([]uint64, d.words), make([]uint64, d.words)}}
	}
	return d.separated, nil
}

// separation answers questions of d-separation by reachability along active paths (Shachter 1998).
type separation struct {
	words             int
	parents, children [][]int
	scratch           sync.Pool
}

type reach struct {
	ancestors, given []uint64
	seen             [2][]uint64 // reached from a child, and from a parent
	stack            []int       // 2 i + 1 if reached from a parent
}

func has(set []uint64, i int) bool { return set[i>>6]&(1<<(i&63)) != 0 }
func put(set []uint64, i int)      { set[i>>6] |= 1 << (i & 63) }

func (d *separation) separated(x, y int, s []int) bool {
	r := d.scratch.Get().(*reach)
	defer d.scratch.Put(r)
	for _, set := range [][]uint64{r.ancestors, r.given, r.seen[0], r.seen[1]} {
		clear(set)
	}
	for _, i := range s {
		put(r.given, i)
	}
	d.addAncestors(r)
	r.stack = append(r.stack[:0], 2*x)
	for len(r.stack) > 0 {
		top := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		i, down := top>>1, top&1
		if has(r.seen[down], i) {
			continue
		}
		put(r.seen[down], i)
		given := has(r.given, i)
		if i == y && !given {
			return false
		}
		if down == 0 && !given || down == 1 && has(r.ancestors, i) {
			for _, j := range d.parents[i] {
				r.stack = append(r.stack, 2*j)
			}
		}
		if !given {
			for _, j := range d.children[i] {
				r.stack = append(r.stack, 2*j+1)
			}
		}
	}
	return true
}

// addAncestors collects the given nodes and their ancestors.
func (d *separation) addAncestors(r *reach) {
	r.stack = r.stack[:0]
	for w, word := range r.given {
		for ; word != 0; word &= word - 1 {
			r.stack = append(r.stack, w<<6+bits.TrailingZeros64(word))
		}
	}
	for len(r.stack) > 0 {
		i := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		if !has(r.ancestors, i) {
			put(r.ancestors, i)
			r.stack = append(r.stack, d.parents[i]...)
		}
	}
}
