package engine

import (
	"math"

	"bayeskernel/internal/workers"
)

// Terms of many rows are computed in pieces. A lane is a run of rows with adjoints of its own for what all rows
// share; lanes go to the processors, and their sums are added up in order. Within a lane a chunk of rows goes
// forwards and backwards before the next one, in the same memory, which stays in the cache. How rows
// are divided depends on their number alone, so that the result has the same bytes for any GOMAXPROCS.
const (
	lanes     = 16
	chunkRows = 2048
	// leastWork is the number of rows times operations from which on it pays.
	leastWork = 1 << 17
)

// sharded is the density of many rows: a term whose arguments are computed row by row from sources, which are
// numbers and vectors that all rows share.
type sharded struct {
	Distributed
	d       *Density
	rows    int
	sources []*Node
	known   map[*Node]bool // whether a node goes row by row
	work    int
	total   int // values of sources
}

// sharded returns the term to be computed in pieces, nil where that does not pay or is not possible.
func (d *Density) sharded(p Part) *sharded {
	t, ok := p.(Distributed)
	if !ok || !t.Y.Fixed || t.Y.Scalar || t.Y.N < leastWork/64 {
		return nil
	}
	switch dist := t.Dist.(type) {
	case *Univariate:
	case *Mixture:
		if dist.Rows > 0 {
			return nil
		}
	case *Ordinal:
		if dist.Cuts.N == t.Y.N {
			return nil
		}
	default:
		return nil
	}
	s := &sharded{Distributed: t, d: d, rows: t.Y.N, known: map[*Node]bool{}, work: 1}
	for _, a := range t.Dist.Arguments() {
		if !s.look(a) {
			return nil
		}
	}
	if s.work == 1 || s.work*s.rows < leastWork || s.total > s.rows/8 {
		return nil
	}
	return s
}

// by is what computes a node.
func (s *sharded) by(n *Node) *Node {
	if r := s.d.Subst[n]; r != nil {
		return r
	}
	return n
}

// look finds the sources of a node and reports whether it can go row by row.
func (s *sharded) look(n *Node) bool {
	if _, seen := s.known[n]; seen || n.Fixed {
		return true
	}
	if n.Scalar || n.N != s.rows {
		s.known[n] = false
		s.sources = append(s.sources, n)
		s.total += n.N
		return true
	}
	s.known[n] = true
	s.work++
	by := s.by(n)
	switch op := by.Op.(type) {
	case Unary, Linear, Power, Binary, mulAdd:
	case Gather, MatVec:
		return by.Args[0].N != s.rows && s.look(by.Args[0])
	case *affine:
		s.work += len(op.terms) - 1
		for _, t := range op.terms {
			if t.source.N == s.rows && !t.source.Scalar && !straight(t.at) {
				return false
			}
		}
	default:
		return false
	}
	for _, a := range by.Args {
		if !s.look(a) {
			return false
		}
	}
	return true
}

// straight reports whether each row has its own value.
func straight(at []int) bool {
	for i, k := range at {
		if i != k {
			return false
		}
	}
	return len(at) > 0
}

// Nodes are those that are computed before: the sources.
func (s *sharded) Nodes() []*Node { return s.sources }

func (s *sharded) Root(c *Memory) Root {
	r := &shardedRoot{lanes: make([]lane, lanes)}
	for _, n := range s.sources {
		r.adjoints, r.sizes = append(r.adjoints, c.Adjoint[n.ID]), append(r.sizes, n.N)
	}
	own := places(chunkRows)
	for k := range r.lanes {
		l := &r.lanes[k]
		l.adjoint = make([]float64, s.total)
		var scratch Scratch
		for lo, hi := s.rows*k/lanes, s.rows*(k+1)/lanes; lo < hi; lo += chunkRows {
			l.chunks = append(l.chunks, s.chunk(c, l, &scratch, own, lo, min(lo+chunkRows, hi)))
		}
	}
	r.blocks = workers.NewBlocks(lanes, 1, func(k, _, _ int) { r.lanes[k].run() })
	return r
}

func places(n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	return at
}

// chunk binds the rows from lo to hi - 1. It reads the values of sources where they are, and adds to adjoints of
// the lane.
func (s *sharded) chunk(c *Memory, l *lane, scratch *Scratch, own []int, lo, hi int) chunk {
	g := &Graph{}
	given := map[*Node][2][]float64{}
	var inputs []*Node
	done, at := map[*Node]*Node{}, 0
	for _, n := range s.sources {
		in := g.Add(&Node{N: n.N, Scalar: n.Scalar})
		given[in] = [2][]float64{c.Value[n.ID], l.adjoint[at : at+n.N]}
		inputs, at = append(inputs, in), at+n.N
		done[n] = in
	}
	var slice func(n *Node) *Node
	slice = func(n *Node) *Node {
		if out := done[n]; out != nil {
			return out
		}
		out := &Node{N: hi - lo}
		switch by := s.by(n); {
		case n.Fixed && (n.Scalar || n.N != s.rows):
			out.N, out.Scalar, out.Fixed, out.Value = n.N, n.Scalar, true, n.Value
		case n.Fixed:
			out.Fixed, out.Value = true, n.Value[lo:hi]
		default:
			out.Op = by.Op
			switch op := by.Op.(type) {
			case Gather:
				out.Op = Gather{At: op.At[lo:hi]}
			case MatVec:
				out.Op = op.part(lo, hi)
			case *affine:
				a := op.part(lo, hi, own)
				for k := range a.terms {
					a.terms[k].source = slice(a.terms[k].source)
				}
				out.Op, out.Args = a, a.sources()
			}
			if out.Args == nil {
				for _, a := range by.Args {
					out.Args = append(out.Args, slice(a))
				}
			}
		}
		done[n] = g.Add(out)
		return out
	}
	y := slice(s.Y)
	dist := s.Dist.Mapped(slice)
	e := NewEvaluator(len(g.Nodes), Evaluation{Wanted: append([]*Node{y}, dist.Arguments()...), Inputs: inputs,
		Gradient: true, Given: given, Scratch: scratch})
	return chunk{e, dist.Bind(&e.Memory, y)}
}

// part is the product with the rows from lo to hi - 1.
func (a MatVec) part(lo, hi int) MatVec {
	return MatVec{Rows: hi - lo, Cols: a.Cols, X: a.X[lo:], stride: a.step()}
}

// part is the form of the rows from lo to hi - 1, whose sources are those of all rows; own are the places 0, 1, …
func (a *affine) part(lo, hi int, own []int) *affine {
	out := &affine{n: hi - lo}
	if a.constant != nil {
		out.constant = a.constant[lo:hi]
	}
	for _, t := range a.terms {
		if t.weight != nil {
			t.weight = t.weight[lo:hi]
		}
		switch {
		case t.at != nil && t.source.N == a.n && !t.source.Scalar:
			t.at = own[:hi-lo]
		case t.at != nil:
			t.at = t.at[lo:hi]
		}
		out.terms = append(out.terms, t)
	}
	return out
}

type chunk struct {
	e    *Evaluator
	root Root
}

type lane struct {
	chunks  []chunk
	adjoint []float64 // of all sources
	lp      float64
}

func (l *lane) run() {
	clear(l.adjoint)
	l.lp = 0
	for _, c := range l.chunks {
		c.e.Forward()
		clear(c.e.Adjoints)
		if l.lp += c.root.Add(); math.IsInf(l.lp, -1) || math.IsNaN(l.lp) {
			return
		}
		c.e.Backward()
	}
}

type shardedRoot struct {
	lanes    []lane
	blocks   *workers.Blocks
	adjoints [][]float64 // of the sources
	sizes    []int
}

func (r *shardedRoot) Add() float64 {
	r.blocks.Run()
	lp := 0.0
	for k := range r.lanes {
		at := 0
		for j, d := range r.adjoints {
			for i := range d {
				d[i] += r.lanes[k].adjoint[at+i]
			}
			at += r.sizes[j]
		}
		lp += r.lanes[k].lp
	}
	return lp
}
