package model

import (
	"fmt"
	"math"
)

// Expr is a number or a vector of a model: a parameter, data, or what is computed of them. Methods
// make new ones and change nothing. Numbers go with vectors of any length; vectors go with vectors
// of the same length.
type Expr struct{ *node }

// node is an expression in the graph of a model. Its number is its place in the order of
// declaration, in which everything is computed: arguments come before what needs them.
type node struct {
	m      *Model
	id     int
	op     operation // nil for data, constants and parameters
	args   []*node
	n      int     // values
	scalar bool    // a number; a vector may have one value too
	cols   int     // of a matrix by rows, 0 for a vector
	fixed  bool    // depends on no parameter
	over   *Factor // what a vector runs over, nil if nothing is known
	value  []float64
	param  *parameter // nil unless it is one
	// The prediction whose values it has, nil unless it is one.
	predicted *observation
	matrix    *Matrix // of which it is a column, or, with column -1, all values row by row
	column    int
	what      string // "parameter theta", "data x"
	where     string // file:line of the declaration
	broken    bool   // declared wrongly: what is made of it is not reported again
	inside    bool   // the time or the state of an ODE: only its rate may depend on it
}

// Arg is what distributions take for a parameter: a constant, values for each observation, or an
// expression.
type Arg interface {
	int | float64 | []float64 | Expr
}

// argument is an Arg before it is known to which model it belongs.
type argument struct {
	expr  *node
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
func (a argument) in(m *Model, where string) *node {
	switch {
	case a.unset:
		m.failAt(where, "an argument is an Expr that no model made")
		return m.brokenNode(where)
	case a.expr != nil && a.expr.m != m:
		m.failAt(where, "%s belongs to another model", a.expr.label())
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
	return m.add(&node{n: len(a.value), value: a.value, fixed: true, what: "values", where: where})
}

// Const returns a constant.
func (m *Model) Const(v float64) Expr { return Expr{m.constant(v)} }

func (m *Model) constant(v float64) *node {
	return m.add(&node{n: 1, scalar: true, value: []float64{v}, fixed: true,
		what: fmt.Sprintf("constant %v", v)})
}

// Values returns a vector of constants. Data has a name and can be observed.
func (m *Model) Values(v []float64) Expr {
	return Expr{argument{value: append([]float64(nil), v...)}.in(m, caller())}
}

// add appends a node.
func (m *Model) add(n *node) *node {
	n.m, n.id = m, len(m.nodes)
	m.nodes = append(m.nodes, n)
	return n
}

// brokenNode stands for what could not be made.
func (m *Model) brokenNode(where string) *node {
	return m.add(&node{n: 1, scalar: true, value: []float64{math.NaN()}, fixed: true, broken: true,
		where: where})
}

// label names a node in messages.
func (n *node) label() string {
	if n.what != "" {
		return n.what
	}
	return "an expression"
}

// size is "a number" or "3 values".
func (n *node) size() string {
	if n.scalar {
		return "a number"
	}
	return plural(n.n, "value")
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Len returns the number of values.
func (e Expr) Len() int {
	if e.node == nil {
		return 0
	}
	return e.n
}

// apply makes a node of an operation whose arguments have the shapes it wants. Op names it in
// messages.
func (m *Model) apply(name string, op operation, n int, scalar bool, where string, args ...*node) *node {
	for _, a := range args {
		if a.m != m {
			m.failAt(where, "%s: %s belongs to another model", name, a.label())
			return m.brokenNode(where)
		}
	}
	return m.compute(op, n, scalar, where, args...)
}

// compute is apply for arguments that are known to be of this model, or of the one that it is a copy
// of.
func (m *Model) compute(op operation, n int, scalar bool, where string, args ...*node) *node {
	out := &node{op: op, n: n, scalar: scalar, args: args, fixed: true, where: where}
	for _, a := range args {
		if a.broken {
			out.broken = true
		}
		if !a.fixed {
			out.fixed = false
		}
		if out.over == nil && a.over != nil && a.n == n && !scalar {
			out.over = a.over
		}
	}
	if out.fixed && !out.broken { // of data alone: once and for all
		out.value = make([]float64, n)
		in := make([][]float64, len(args))
		for k, a := range args {
			in[k] = a.value
		}
		op.bind(out.value, nil, in, make([][]float64, len(args))).forward()
	}
	return m.add(out)
}

// ready reports whether e belongs to a model; where it does not, the model of another argument is
// told.
func model(name, where string, es ...Expr) *Model {
	var m *Model
	for _, e := range es {
		if e.node != nil {
			m = e.m
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
func elementwise(name string, op operation, a, b Expr) Expr {
	where := caller()
	m := model(name, where, a, b)
	if m == nil {
		return nowhere(name, where)
	}
	n, scalar := a.n, a.scalar && b.scalar
	switch {
	case a.scalar:
		n = b.n
	case b.scalar:
	case a.n != b.n:
		if !a.broken && !b.broken {
			m.failAt(where, "%s: %s from %s and %d from %s do not match", name, plural(a.n, "value"),
				a.label(), b.n, b.label())
		}
		return Expr{m.brokenNode(where)}
	}
	return Expr{m.apply(name, op, n, scalar, where, a.node, b.node)}
}

// each makes a node with a value for each value of a.
func each(name string, op operation, a Expr) Expr {
	where := caller()
	if a.node == nil {
		return nowhere(name, where)
	}
	return Expr{a.m.apply(name, op, a.n, a.scalar, where, a.node)}
}
