package model

import (
	"fmt"
	"slices"

	"bayeskernel/engine"
)

// Without returns the program of the posterior without some of what was observed: rows are counted
// from 0, as LogLik numbers them. LogLik still has all of them, so that it serves the cross-validation
// of package loo.
func (p *Program) Without(rows []int) (*Program, error) {
	before := 0
	var at []int // of the values that were observed, among those that are missing too
	for _, l := range p.likelihoods() {
		for i := range l.count() {
			at = append(at, before+nth(l.known, i))
		}
		before += l.n
	}
	held := make([]int, len(rows))
	for k, i := range rows {
		if i < 0 || i >= len(at) {
			return nil, fmt.Errorf("model: row %d is to be left out, want rows from 0 to %d", i, len(at)-1)
		}
		held[k] = at[i]
	}
	return p.m.Compile(func(q *Program) {
		q.off, q.held, q.recorded, q.sizes = p.off, held, p.recorded, p.sizes
		q.again = true
	})
}

// restricted returns the observation without the rows that are held out; nil where none is left. At
// is the number of values of observations before it.
func (p *Program) restricted(o *observation, at int) (*observation, error) {
	var keep []int
	for i := range o.n {
		if !slices.Contains(p.held, at+i) {
			keep = append(keep, i)
		}
	}
	if len(keep) == o.n {
		return o, nil
	}
	switch o.dist.(type) {
	case *engine.Univariate, *engine.Mixture:
	default:
		return nil, fmt.Errorf("model: %s: rows of %s cannot be left out", o.name, o.dist.Name())
	}
	if len(keep) == 0 {
		return nil, nil
	}
	part := func(n *engine.Node) *engine.Node {
		if n.Scalar || n.N != o.n {
			return n
		}
		return p.m.compute(engine.Gather{At: keep}, len(keep), false, o.where, n)
	}
	dist := o.dist.Mapped(part)
	if m, ok := dist.(*engine.Mixture); ok {
		m.Weights = o.dist.(*engine.Mixture).Weights
	}
	return &observation{name: o.name, y: part(o.y), n: len(keep), dist: dist, where: o.where}, nil
}
