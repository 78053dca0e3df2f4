package model

import (
	"math"

	"bayeskernel/engine"

	"bayeskernel/internal/ode"
)

// ODE are ordinary differential equations y' = Rate(t, y) with y = Start at time From.
type ODE struct {
	Start Expr    // one value for each equation
	From  float64 // the time of Start
	Times []float64
	// Rate returns the slopes from the time, a number, and the state, as many values as Start. It is
	// called once; expressions declared outside may be used in it. Its derivatives are exact.
	Rate func(t, y Expr) Expr
	// Stiff asks for the implicit method: for equations some of whose solutions move much faster than
	// what is observed.
	Stiff          bool
	RelTol, AbsTol float64 // of the error of a step, the derivatives' included (1e-6)
	MaxSteps       int     // between two times (1e6); a point that needs more has density 0
}

// ODE returns the solution: a row for each of the times, and a column for each equation.
func (m *Model) ODE(o ODE) Mat {
	where := caller()
	fail := func(format string, args ...any) Mat {
		m.failAt(where, "ODE: "+format, args...)
		return brokenMat(m, max(len(o.Times), 1), 1, where)
	}
	switch {
	case o.Start.node == nil || o.Start.about().m != m:
		return fail("the start is an Expr of no model or of another one")
	case o.Rate == nil:
		return fail("there is no rate")
	case len(o.Times) == 0:
		return fail("there are no times")
	case o.Start.about().broken:
		return brokenMat(m, len(o.Times), o.Start.node.N, where)
	}
	before := o.From
	for i, t := range o.Times {
		if !(t >= before) || math.IsInf(t, 1) {
			return fail("time %d is %v, want one from %v on", i+1, t, before)
		}
		before = t
	}
	n := o.Start.node.N
	t := m.add(&engine.Node{N: 1, Scalar: true},
		declaration{inside: true, what: "the time of an ODE", where: where})
	y := m.add(&engine.Node{N: n},
		declaration{inside: true, what: "the state of an ODE", where: where})
	rate := o.Rate(Expr{t}, Expr{y})
	switch {
	case rate.node == nil || rate.about().m != m:
		return fail("the rate is an Expr of no model or of another one")
	case rate.about().broken:
		return brokenMat(m, len(o.Times), n, where)
	case rate.node.N != n:
		return fail("the rate has %s and the start %d", plural(rate.node.N, "value"), n)
	}
	op := &engine.Flow{T: t, Y: y, Rate: rate.node, From: o.From, Times: o.Times, Label: where,
		Options: ode.Options{RelTol: o.RelTol, AbsTol: o.AbsTol, MaxSteps: o.MaxSteps}}
	if o.Stiff {
		op.Options.Method = ode.Radau
	}
	args := append([]*engine.Node{o.Start.node}, op.Outer()...)
	if _, err := op.Solver(args, false); err != nil {
		return fail("%v", err)
	}
	return Mat{Expr{m.apply("ODE", op, len(o.Times)*n, false, where, args...)}, len(o.Times), n}
}
