package engine

import (
	"fmt"
	"math"

	"bayeskernel/internal/ode"
)

// Flow solves equations. Its arguments are the start and what the rate needs from outside.
type Flow struct {
	T, Y, Rate *Node
	From       float64
	Times      []float64
	Options    ode.Options
	Label      string
}

// Outer are the nodes that the rate needs and that depend on parameters, but not on time and state.
func (f *Flow) Outer() []*Node {
	inner, seen := map[*Node]bool{f.T: true, f.Y: true}, map[*Node]bool{f.T: true, f.Y: true}
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
	visit(f.Rate)
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
	take(f.Rate)
	collect(f.Rate)
	return out
}

// Solver has a direction for each value of the arguments that depend on parameters.
func (f *Flow) Solver(args []*Node, initial bool) (*ode.Solver, error) {
	p := 0
	for _, a := range args[1:] {
		p += a.N
	}
	return ode.New(f.Y.N, p, initial, f.Options)
}

// Mapped is the same operation on other nodes.
func (f *Flow) Mapped(to map[*Node]*Node) *Flow {
	out := *f
	out.T, out.Y, out.Rate = to[f.T], to[f.Y], to[f.Rate]
	return &out
}

func (f *Flow) Bind(out, adj []float64, in, din [][]float64) Step {
	s := &flowStep{f: f, out: out, adj: adj, in: in, din: din}
	args := append([]*Node{f.Y}, f.Outer()...) // the state stands for the start, which has its size
	initial := din[0] != nil
	s.solver, s.err = f.Solver(args, initial)
	if s.err != nil {
		return s
	}
	s.e = NewEvaluator(f.Rate.ID+1, Evaluation{Wanted: []*Node{f.Rate},
		Inputs: append([]*Node{f.T}, args...), Gradient: true})
	for _, a := range args[1:] {
		s.outer = append(s.outer, s.e.Value[a.ID])
		s.douter = append(s.douter, s.e.Adjoint[a.ID])
	}
	s.t, s.y, s.dy = s.e.Value[f.T.ID], s.e.Value[f.Y.ID], s.e.Adjoint[f.Y.ID]
	s.rate, s.drate = s.e.Value[f.Rate.ID], s.e.Adjoint[f.Rate.ID]
	if adj != nil {
		s.sens = make([]float64, len(out)*s.solver.Directions())
	}
	return s
}

// flowStep solves the equations at the arguments of one chain.
type flowStep struct {
	f             *Flow
	solver        *ode.Solver
	err           error
	out, adj      []float64
	in, din       [][]float64
	e             *Evaluator // of the rate
	t, y, dy      []float64
	rate, drate   []float64 // drate nil where the rate is data
	outer, douter [][]float64
	sens          []float64
}

// Eval implements ode.System.
func (s *flowStep) Eval(t float64, y, f, jy, jp []float64) {
	s.t[0] = t
	copy(s.y, y)
	s.e.Forward()
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
		clear(s.e.Adjoints)
		s.drate[i] = 1
		s.e.Backward()
		copy(jy[i*n:(i+1)*n], s.dy)
		at = i * p
		for _, d := range s.douter {
			at += copy(jp[at:], d)
		}
	}
}

func (s *flowStep) Forward() {
	if s.solver != nil {
		for k, v := range s.outer {
			copy(v, s.in[k+1])
		}
		s.err = s.solver.Solve(s, s.f.From, s.in[0], s.f.Times, s.out, s.sens)
	}
	if s.err != nil {
		for i := range s.out {
			s.out[i] = math.NaN()
		}
	}
}

func (s *flowStep) Backward() {
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

// Failure says why the last solution failed, or that the other method may be faster.
func (s *flowStep) Failure() error {
	if s.err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", s.f.Label, s.err)
}
