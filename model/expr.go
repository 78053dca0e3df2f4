package model

import (
	"fmt"
	"math"

	"bayeskernel/engine"
)

// Expr is a number or a vector of a model: a parameter, data, or what is computed of them. Methods
// make new ones and change nothing. Numbers go with vectors of any length; vectors go with vectors
// of the same length.
type Expr struct{ node *engine.Node }

// about is what was declared of an expression.
func (e Expr) about() *declaration { return about(e.node) }

// declaration is what a model knows of a node beside how it is computed.
type declaration struct {
	m     *Model
	over  *Factor    // what a vector runs over, nil if nothing is known
	cols  int        // of a matrix by rows, 0 for a vector
	param *parameter // nil unless it is one
	// Of values that are missing: their places among the data.
	places []int
	// The prediction whose values it has, nil unless it is one.
	predicted *observation
	matrix    *Matrix // of which it is a column, or, with column -1, all values row by row
	column    int
	times     *Matrix // of which it is the product with a vector
	index     *Index  // whose places in a vector it has
	groups    *Index  // by whose labels it sums up
	beside    bool    // it has the vectors of a stack side by side, as columns
	what      string  // "parameter theta", "data x"
	where     string  // file:line of the declaration
	broken    bool    // declared wrongly: what is made of it is not reported again
	inside    bool    // the time or the state of an ODE: only its rate may depend on it
	latent    *latent // nil unless it is one
	summed    bool    // depends on latents
	states    bool    // depends on latents, and on no parameters
}

// about is what was declared of a node: nothing, of those that rewrites made.
func about(n *engine.Node) *declaration {
	if d, ok := n.Note.(*declaration); ok {
		return d
	}
	return &declaration{}
}

// Arg is what distributions take for a parameter: a constant, values for each observation, or an
// expression.
type Arg interface {
	int | float64 | []float64 | Expr
}

// argument is an Arg before it is known to which model it belongs.
type argument struct {
	expr  *engine.Node
	value []float64
	fixed bool // a constant
	unset bool // an Expr without a model
}

func argumentOf[A Arg](a A) argument {
	switch v := any(a).(type) {
	case int:
		return argument{value: []float64{float64(v)}, fixed: true}
	case float64:
		return argument{value: []float64{v}, fixed: true}
	case []float64:
		return argument{value: append([]float64(nil), v...)}
	case Expr:
		return argument{expr: v.node, unset: v.node == nil}
	}
	panic("model: unreachable")
}

// in returns the node of the argument in m.
func (a argument) in(m *Model, where string) *engine.Node {
	switch {
	case a.unset:
		m.failAt(where, "an argument is an Expr that no model made")
		return m.brokenNode(where)
	case a.expr != nil && about(a.expr).m != m:
		m.failAt(where, "%s belongs to another model", labelOf(a.expr))
		return m.brokenNode(where)
	case a.expr != nil:
		return a.expr
	case a.fixed:
		return m.constant(a.value[0])
	}
	for i, v := range a.value {
		if math.IsNaN(v) {
			m.failAt(where, "value %d of an argument is NaN, want a number", i+1)
			return m.brokenNode(where)
		}
	}
	return m.add(&engine.Node{N: len(a.value), Value: a.value, Fixed: true},
		declaration{what: "values", where: where})
}

// Const returns a constant.
func (m *Model) Const(v float64) Expr { return Expr{m.constant(v)} }

func (m *Model) constant(v float64) *engine.Node {
	return m.add(&engine.Node{N: 1, Scalar: true, Value: []float64{v}, Fixed: true},
		declaration{what: fmt.Sprintf("constant %v", v)})
}

// Values returns a vector of constants. Data has a name and can be observed.
func (m *Model) Values(v []float64) Expr {
	return Expr{argument{value: append([]float64(nil), v...)}.in(m, caller())}
}

// add appends a node.
func (m *Model) add(n *engine.Node, d declaration) *engine.Node {
	d.m, n.Note = m, &d
	return m.graph.Add(n)
}

// brokenNode stands for what could not be made.
func (m *Model) brokenNode(where string) *engine.Node {
	return m.add(&engine.Node{N: 1, Scalar: true, Value: []float64{math.NaN()}, Fixed: true},
		declaration{broken: true, where: where})
}

// labelOf names a node in messages.
func labelOf(n *engine.Node) string {
	if about(n).what != "" {
		return about(n).what
	}
	return "an expression"
}

// sizeOf is "a number" or "3 values".
func sizeOf(n *engine.Node) string {
	if n.Scalar {
		return "a number"
	}
	return plural(n.N, "value")
}

// Len returns the number of values.
func (e Expr) Len() int {
	if e.node == nil {
		return 0
	}
	return e.node.N
}

// apply makes a node of an operation whose arguments have the shapes it wants. Op names it in
// messages.
func (m *Model) apply(name string, op engine.Operation, n int, scalar bool, where string,
	args ...*engine.Node) *engine.Node {
	for _, a := range args {
		if about(a).m != m {
			m.failAt(where, "%s: %s belongs to another model", name, labelOf(a))
			return m.brokenNode(where)
		}
	}
	return m.compute(op, n, scalar, where, args...)
}

// compute is apply for arguments that are known to be of this model, or of the one that it is a copy
// of.
func (m *Model) compute(op engine.Operation, n int, scalar bool, where string,
	args ...*engine.Node) *engine.Node {
	d := declaration{m: m, where: where, states: true}
	for _, a := range args {
		d.broken = d.broken || about(a).broken
		d.summed = d.summed || about(a).summed
		d.states = d.states && (about(a).states || a.Fixed)
		if d.over == nil && a.N == n && !scalar {
			d.over = about(a).over
		}
	}
	if d.broken {
		return m.add(&engine.Node{Op: op, N: n, Scalar: scalar, Args: args}, d)
	}
	out := m.graph.Apply(op, n, scalar, args...)
	out.Note = &d
	return out
}

// ready reports whether e belongs to a model; where it does not, the model of another argument is
// told.
func model(name, where string, es ...Expr) *Model {
	var m *Model
	for _, e := range es {
		if e.node != nil {
			m = e.about().m
		}
	}
	if m == nil {
		return nil
	}
	for _, e := range es {
		if e.node == nil {
			m.failAt(where, "%s: an argument is an Expr that no model made", name)
			return nil
		}
	}
	return m
}

// nowhere is what operations on expressions of no model give.
func nowhere(name, where string) Expr {
	m := New()
	m.failAt(where, "%s: an argument is an Expr that no model made", name)
	return Expr{m.brokenNode(where)}
}

// elementwise makes a node with a value for each value of a and b.
func elementwise(name string, op engine.Operation, a, b Expr) Expr {
	where := caller()
	m := model(name, where, a, b)
	if m == nil {
		return nowhere(name, where)
	}
	n, scalar := a.node.N, a.node.Scalar && b.node.Scalar
	switch {
	case a.node.Scalar:
		n = b.node.N
	case b.node.Scalar:
	case a.node.N != b.node.N:
		if !a.about().broken && !b.about().broken {
			m.failAt(where, "%s: %s from %s and %d from %s do not match", name, plural(a.node.N, "value"),
				labelOf(a.node), b.node.N, labelOf(b.node))
		}
		return Expr{m.brokenNode(where)}
	}
	return Expr{m.apply(name, op, n, scalar, where, a.node, b.node)}
}

// each makes a node with a value for each value of a.
func each(name string, op engine.Operation, a Expr) Expr {
	where := caller()
	if a.node == nil {
		return nowhere(name, where)
	}
	return Expr{a.about().m.apply(name, op, a.node.N, a.node.Scalar, where, a.node)}
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
