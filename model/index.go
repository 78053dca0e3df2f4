package model

import (
	"fmt"
	"slices"

	"bayeskernel/engine"
)

// Factor is a dimension with labels, such as the counties of a survey. Vectors of parameters run
// over it.
type Factor struct {
	m      *Model
	name   string
	labels []string
	at     map[string]int
}

// Name returns the name of the dimension.
func (f *Factor) Name() string { return f.name }

// Labels returns the labels in the order of the values.
func (f *Factor) Labels() []string { return slices.Clone(f.labels) }

// Len returns the number of labels.
func (f *Factor) Len() int { return len(f.labels) }

// Index says which value of a vector goes with each row: see Expr.Of.
type Index struct {
	m    *Model
	name string
	over *Factor // nil for an index without labels
	at   []int
	n    int // values that it chooses from
}

// Len returns the number of rows.
func (in *Index) Len() int { return len(in.at) }

// Factor declares a dimension whose labels are those that occur in names, in the order in which they
// first occur, and returns it with the index of each row.
func (m *Model) Factor(name string, names []string) (*Factor, *Index) {
	where := caller()
	f := &Factor{m: m, name: name, at: map[string]int{}}
	in := &Index{m: m, name: name, over: f, at: make([]int, len(names))}
	for i, s := range names {
		k, ok := f.at[s]
		if !ok {
			k = len(f.labels)
			f.at[s] = k
			f.labels = append(f.labels, s)
		}
		in.at[i] = k
	}
	in.n = len(f.labels)
	if len(names) == 0 {
		m.failAt(where, "factor %s: it has no rows, want at least one", name)
	}
	m.declareName(name, where)
	m.factors = append(m.factors, f)
	m.indices = append(m.indices, in)
	return f, in
}

// Codes declares a dimension of n values that rows call by their numbers, from 1 to n. The labels
// are the numbers.
func (m *Model) Codes(name string, n int, codes []int) (*Factor, *Index) {
	where := caller()
	f := &Factor{m: m, name: name, at: map[string]int{}}
	in := &Index{m: m, name: name, over: f, at: make([]int, len(codes)), n: max(n, 0)}
	for k := range max(n, 0) {
		f.labels = append(f.labels, fmt.Sprint(k+1))
		f.at[f.labels[k]] = k
	}
	if n < 1 {
		m.failAt(where, "factor %s: it has %d values, want at least one", name, n)
	}
	for i, c := range codes {
		if c < 1 || c > n {
			m.failAt(where, "factor %s: row %d is %d, want a number from 1 to %d", name, i+1, c, n)
			break
		}
		in.at[i] = c - 1
	}
	m.declareName(name, where)
	m.factors = append(m.factors, f)
	m.indices = append(m.indices, in)
	return f, in
}

// Of returns a vector with the value of e that goes with each row of the index.
func (e Expr) Of(in *Index) Expr {
	where := caller()
	if e.node == nil {
		return nowhere("Of", where)
	}
	m := e.about().m
	switch {
	case in == nil:
		m.failAt(where, "Of: the index is nil, want one")
	case in.m != m:
		m.failAt(where, "Of: the index %s belongs to another model", in.name)
	case e.node.Scalar:
		m.failAt(where, "Of: %s is a number, want a vector over %s", labelOf(e.node), in.name)
	case e.about().over != nil && in.over != nil && e.about().over != in.over:
		m.failAt(where, "Of: %s runs over %s, the index over %s", labelOf(e.node), e.about().over.name,
			in.name)
	case e.node.N != in.n:
		m.failAt(where, "Of: %s has %s, the index %s chooses from %d", labelOf(e.node),
			plural(e.node.N, "value"), in.name, in.n)
	case slices.Max(append([]int{-1}, in.at...)) >= e.node.N:
		m.brokenNode(where)
	default:
		out := m.apply("Of", engine.Gather{At: in.at}, len(in.at), false, where, e.node)
		about(out).index = in
		return Expr{out}
	}
	return Expr{m.brokenNode(where)}
}

// El returns value i of a vector, counted from 0.
func (e Expr) El(i int) Expr {
	where := caller()
	if e.node == nil {
		return nowhere("El", where)
	}
	if i < 0 || i >= e.node.N {
		if !e.about().broken {
			e.about().m.failAt(where, "El: %s has %s, there is no value %d (the first is 0)",
				labelOf(e.node),
				plural(e.node.N, "value"), i)
		}
		return Expr{e.about().m.brokenNode(where)}
	}
	return Expr{e.about().m.apply("El", engine.View{Lo: i, Hi: i + 1}, 1, true, where, e.node)}
}

// Slice returns the values from lo, counted from 0, to hi, which is left out.
func (e Expr) Slice(lo, hi int) Expr {
	where := caller()
	if e.node == nil {
		return nowhere("Slice", where)
	}
	if lo < 0 || hi > e.node.N || lo >= hi {
		if !e.about().broken {
			e.about().m.failAt(where, "Slice: %s has %s, want 0 <= lo < hi <= %d, not %d and %d",
				labelOf(e.node),
				plural(e.node.N, "value"), e.node.N, lo, hi)
		}
		return Expr{e.about().m.brokenNode(where)}
	}
	return Expr{e.about().m.apply("Slice", engine.View{Lo: lo, Hi: hi}, hi-lo, false, where, e.node)}
}

// At returns the values of e at these places, counted from 0.
func (e Expr) At(places []int) Expr {
	where := caller()
	if e.node == nil {
		return nowhere("At", where)
	}
	for i, p := range places {
		if p < 0 || p >= e.node.N {
			if !e.about().broken {
				e.about().m.failAt(where, "At: place %d is %d, want 0 to %d", i+1, p, e.node.N-1)
			}
			return Expr{e.about().m.brokenNode(where)}
		}
	}
	if len(places) == 0 {
		e.about().m.failAt(where, "At: no places, want at least one")
		return Expr{e.about().m.brokenNode(where)}
	}
	op := engine.Gather{At: slices.Clone(places)}
	return Expr{e.about().m.apply("At", op, len(places), false, where, e.node)}
}

// Stack puts expressions one after the other into a vector.
func Stack(es ...Expr) Expr {
	where := caller()
	m := model("Stack", where, es...)
	if m == nil {
		return nowhere("Stack", where)
	}
	n := 0
	args := make([]*engine.Node, len(es))
	for k, e := range es {
		args[k] = e.node
		n += e.node.N
	}
	return Expr{m.apply("Stack", engine.Stack{}, n, false, where, args...)}
}
