package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/engine"
	"bayeskernel/internal/density"
	"bayeskernel/internal/flat"
	"bayeskernel/priors"
)

// mistakes says what is wrong although it could be computed: it would show only in the draws.
func (p *Program) mistakes() []string {
	var wrong []string
	of := map[*engine.Node]*parameter{}
	for _, q := range p.m.parameters {
		of[q.of] = q
	}
	look := func(where string, d engine.Distribution) {
		for _, u := range partsOf(d) {
			for k, a := range u.Args {
				arg := u.Family.Params[k]
				if q := outside(a, of, arg.Domain); q != nil {
					wrong = append(wrong, fmt.Sprintf("%s: the %s of %s is %s, which may be any number from %v to "+
						"%v: want %v, such as Positive or Interval declare", where, arg.Name, u.Name(), q.name, q.lo,
						q.hi, arg.Domain))
				}
			}
		}
	}
	for _, q := range p.m.parameters {
		look(q.where, q.prior)
	}
	for _, o := range append(p.m.factored[:len(p.m.factored):len(p.m.factored)], p.m.observations...) {
		look(o.where, o.dist)
	}
	for _, l := range p.m.latents {
		look(l.where, l.dist)
	}
	if len(wrong) == 0 {
		wrong = p.flatLine()
	}
	return wrong
}

// isData reports whether a node is made of data alone, of which some may be missing.
func isData(n *engine.Node) bool {
	if n.Fixed || strings.HasPrefix(about(n).what, "data ") {
		return true
	}
	switch n.Op.(type) {
	case engine.View, engine.Gather, engine.Stack, engine.Linear, engine.Binary:
		return !slices.ContainsFunc(n.Args, func(a *engine.Node) bool { return !isData(a) })
	}
	return false
}

// outside returns a parameter whose values are those of n, or among them, and may lie outside of a
// domain; nil where there is none.
func outside(n *engine.Node, of map[*engine.Node]*parameter, d density.Domain) *parameter {
	if q := of[n]; q != nil {
		if (d == density.Positive || d == density.NonNegative) && q.lo < 0 || d == density.Unit && (q.lo < 0 || q.hi > 1) {
			if _, ok := q.transform.(priors.Interval); ok && !q.between {
				return q
			}
		}
		return nil
	}
	switch n.Op.(type) {
	case engine.View, engine.Gather, engine.Stack:
		for _, a := range n.Args {
			if q := outside(a, of, d); q != nil {
				return q
			}
		}
	}
	return nil
}

// flatLine finds a line along which the log density does not change: of parameters with flat
// densities that only appear as a sum, for example.
func (p *Program) flatLine() []string {
	const most = 64
	var at []int
	var names []string
	for _, q := range p.m.parameters {
		t, ok := q.transform.(priors.Interval)
		if !ok || !improper(q.prior) || q.of != q.node || !math.IsInf(t.Lo, -1) || !math.IsInf(t.Hi, 1) {
			continue
		}
		for i := range q.free {
			at = append(at, q.x+i)
			name := q.name
			if !q.node.Scalar {
				name += placeOf(q.node, i)
			}
			names = append(names, name)
		}
	}
	if len(at) < 2 || len(at) > most {
		return nil
	}
	line := flat.Line(p.target(p.density.Terms).asDeclared, p.free, at)
	if line == nil {
		return nil
	}
	var part []string
	for _, j := range line {
		if len(part) < 6 {
			part = append(part, names[j])
		}
	}
	return []string{fmt.Sprintf("the log density is the same all along a line in %s, whose distributions "+
		"are flat: give one of them a distribution that is not", strings.Join(part, ", "))}
}
