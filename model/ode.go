package model

import (
	"fmt"
	"math"

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
	t := m.add(&Node{N: 1, Scalar: true, Note: &declaration{inside: true, what: "the time of an ODE", where: where}})
	y := m.add(&Node{N: n, Note: &declaration{inside: true, what: "the state of an ODE", where: where}})
	rate := o.Rate(Expr{t}, Expr{y})
	switch {
	case rate.node == nil || rate.about().m != m:
		return fail("the rate is an Expr of no model or of another one")
	case rate.about().broken:
		return brokenMat(m, len(o.Times), n, where)
	case rate.node.N != n:
		return fail("the rate has %s and the start %d", plural(rate.node.N, "value"), n)
	}
	op := &flow{t: t, y: y, rate: rate.node, from: o.From, times: o.Times, where: where,
		options: ode.Options{RelTol: o.RelTol, AbsTol: o.AbsTol, MaxSteps: o.MaxSteps}}
	if o.Stiff {
		op.options.Method = ode.Radau
	}
	args := append([]*Node{o.Start.node}, op.outer()...)
	if _, err := op.solver(args, false); err != nil {
		return fail("%v", err)
	}
	return Mat{Expr{m.apply("ODE", op, len(o.Times)*n, false, where, args...)}, len(o.Times), n}
}

// flow solves equations. Its arguments are the start and what the rate needs from outside.
type flow struct {
	t, y, rate *Node
	from       float64
	times      []float64
	options    ode.Options
	where      string
}

// outer are the nodes that the rate needs and that depend on parameters, but not on time and state.
func (f *flow) outer() []*Node {
	inner, seen := map[*Node]bool{f.t: true, f.y: true}, map[*Node]bool{f.t: true, f.y: true}
	var visit func(n *Node)
	visit = func(n *Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, a := range n.Args {
			visit(a)
			inner[n] = inner[n] || inner[a]
		}
	}
	visit(f.rate)
	var out []*Node
	taken := map[*Node]bool{}
	take := func(n *Node) {
		if !inner[n] && !n.Fixed && !taken[n] {
			taken[n] = true
			out = append(out, n)
		}
	}
	done := map[*Node]bool{}
	var collect func(n *Node)
	collect = func(n *Node) {
		if done[n] || !inner[n] {
			return
		}
		done[n] = true
		for _, a := range n.Args {
			take(a)
			collect(a)
		}
	}
	take(f.rate)
	collect(f.rate)
	return out
}

// solver has a direction for each value of the arguments that depend on parameters.
func (f *flow) solver(args []*Node, initial bool) (*ode.Solver, error) {
	p := 0
	for _, a := range args[1:] {
		p += a.N
	}
	return ode.New(f.y.N, p, initial, f.options)
}

// mapped is the same operation on other nodes.
func (f *flow) mapped(to map[*Node]*Node) *flow {
	out := *f
	out.t, out.y, out.rate = to[f.t], to[f.y], to[f.rate]
	return &out
}

func (f *flow) bind(out, adj []float64, in, din [][]float64) step {
	s := &flowStep{f: f, out: out, adj: adj, in: in, din: din}
	args := append([]*Node{f.y}, f.outer()...) // the state stands for the start, which has its size
	initial := din[0] != nil
	s.solver, s.err = f.solver(args, initial)
	if s.err != nil {
		return s
	}
	s.e = newEvaluator(f.rate.ID+1, evaluation{wanted: []*Node{f.rate}, inputs: append([]*Node{f.t}, args...),
		gradient: true})
	for _, a := range args[1:] {
		s.outer = append(s.outer, s.e.value[a.ID])
		s.douter = append(s.douter, s.e.adjoint[a.ID])
	}
	s.t, s.y, s.dy = s.e.value[f.t.ID], s.e.value[f.y.ID], s.e.adjoint[f.y.ID]
	s.rate, s.drate = s.e.value[f.rate.ID], s.e.adjoint[f.rate.ID]
	if adj != nil {
		s.sens = make([]float64, len(out)*s.solver.Directions())
	}
	return s
}

// flowStep solves the equations at the arguments of one chain.
type flowStep struct {
	f             *flow
	solver        *ode.Solver
	err           error
	out, adj      []float64
	in, din       [][]float64
	e             *evaluator // of the rate
	t, y, dy      []float64
	rate, drate   []float64 // drate nil where the rate is data
	outer, douter [][]float64
	sens          []float64
}

// Eval implements ode.System.
func (s *flowStep) Eval(t float64, y, f, jy, jp []float64) {
	s.t[0] = t
	copy(s.y, y)
	s.e.forward()
	copy(f, s.rate)
	if jy == nil {
		return
	}
	n, at := len(y), 0
	p := 0
	for _, v := range s.outer {
		p += len(v)
	}
	clear(jy)
	clear(jp)
	if s.drate == nil {
		return
	}
	for i := range n {
		clear(s.e.adjoints)
		s.drate[i] = 1
		s.e.backward()
		copy(jy[i*n:(i+1)*n], s.dy)
		at = i * p
		for _, d := range s.douter {
			at += copy(jp[at:], d)
		}
	}
}

func (s *flowStep) forward() {
	if s.solver != nil {
		for k, v := range s.outer {
			copy(v, s.in[k+1])
		}
		s.err = s.solver.Solve(s, s.f.from, s.in[0], s.f.times, s.out, s.sens)
	}
	if s.err != nil {
		for i := range s.out {
			s.out[i] = math.NaN()
		}
	}
}

func (s *flowStep) backward() {
	if s.err != nil || s.sens == nil {
		return
	}
	q := s.solver.Directions()
	for i, a := range s.adj {
		if a == 0 {
			continue
		}
		row := s.sens[i*q : (i+1)*q]
		for k, d := range s.din {
			if k == 0 && d == nil {
				continue // the start is data, and has no directions
			}
			size := len(s.in[k])
			for j := range d {
				d[j] += a * row[j]
			}
			row = row[size:]
		}
	}
}

// failure says why the last solution failed, or that the other method may be faster.
func (s *flowStep) failure() error {
	if s.err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", s.f.where, s.err)
}
