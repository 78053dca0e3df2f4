package model

import (
	"fmt"
	"math"

	"bayeskernel/hmc"
)

var (
	_ hmc.Target      = (*target)(nil)
	_ hmc.Constrainer = (*target)(nil)
)

// target is the posterior density for one chain.
type target struct {
	p       *Program
	density *evaluator
	roots   []root
	records *evaluator // nil until a draw is recorded
}

// Target makes the posterior density of one chain: Program.Target is an hmc.Factory.
func (p *Program) Target() (hmc.Target, error) { return p.target(p.terms), nil }

func (p *Program) target(terms []boundable) *target {
	var wanted []*node
	for _, b := range terms {
		wanted = append(wanted, b.nodes()...)
	}
	t := &target{p: p, density: p.evaluator(wanted, p.subst, true)}
	for _, b := range terms {
		t.roots = append(t.roots, b.root(&t.density.memory))
	}
	return t
}

// Dim returns the number of unconstrained coordinates.
func (t *target) Dim() int { return t.p.free }

// LogDensity returns the log density at x, with all constants but those that its documentation
// leaves out, and its gradient.
func (t *target) LogDensity(x, grad []float64) float64 {
	p, e := t.p, t.density
	if len(x) != p.free || len(grad) != p.free {
		panic(fmt.Sprintf("model: x and grad have %d and %d values, want %d", len(x), len(grad), p.free))
	}
	lp := p.transform(&e.memory, x)
	for _, q := range p.m.parameters {
		if !allFinite(e.value[q.node.id]) {
			return worst(x)
		}
	}
	e.forward()
	clear(e.adjoints)
	for _, r := range t.roots {
		if l := r.add(); math.IsInf(l, -1) || math.IsNaN(l) {
			return math.Inf(-1)
		} else {
			lp += l
		}
	}
	e.backward()
	for _, q := range p.m.parameters {
		c := x[q.x : q.x+q.free]
		q.transform.PullBack(grad[q.x:q.x+q.free], c, e.value[q.node.id], e.adjoint[q.node.id])
	}
	return lp
}

// worst is the log density where values overflow: outside the support, unless x itself is NaN.
func worst(x []float64) float64 {
	for _, v := range x {
		if math.IsNaN(v) {
			return v
		}
	}
	return math.Inf(-1)
}

// Names returns what is recorded: parameters and quantities in order of declaration.
func (t *target) Names() []string { return t.p.Names() }

// Names returns what is recorded: parameters and quantities in order of declaration.
func (p *Program) Names() []string {
	var names []string
	for _, r := range p.m.records {
		if r.node.scalar {
			names = append(names, r.name)
			continue
		}
		for i := range r.node.n {
			names = append(names, r.name+r.node.place(i))
		}
	}
	return names
}

// Constrain writes the recorded values at x into dst.
func (t *target) Constrain(dst, x []float64) {
	if t.records == nil {
		t.records = t.p.recorder()
	}
	t.p.record(t.records, dst, x)
}

// recorder computes what is recorded.
func (p *Program) recorder() *evaluator {
	var wanted []*node
	for _, r := range p.m.records {
		wanted = append(wanted, r.node)
	}
	return p.evaluator(wanted, nil, false)
}

func (p *Program) record(e *evaluator, dst, x []float64) {
	p.transform(&e.memory, x)
	e.forward()
	for _, r := range p.m.records {
		dst = dst[copy(dst, e.value[r.node.id]):]
	}
}
