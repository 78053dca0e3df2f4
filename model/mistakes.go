package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/engine"
	"bayeskernel/internal/density"
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
// densities that only appear as a sum, for example. The gradients g at a number of points then have
// a direction v in common with g'v = 0, which a singular value decomposition finds; steps along v of up
// to a million tell it from parameters of which the data say little, such as the intercept and the
// slope of a column of 1e6 + 0, 1, 2.
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
	t, r := p.target(p.density.Terms), rand.New(rand.NewPCG(1, 1))
	x, grad := make([]float64, p.free), make([]float64, p.free)
	unit := make([]float64, p.free) // in which each parameter is drawn
	for i := range unit {
		unit[i] = 1
	}
	point := func() {
		for i := range x {
			x[i] = unit[i] * (2*r.Float64() - 1)
		}
	}
	rows := len(at) + 4
	g, scale := mat.NewDense(rows, len(at), nil), make([]float64, len(at))
	var s mat.SVD
	var v mat.Dense
	for range 2 { // the second time parameters of large gradients are small, as in the posterior
		for i := range rows {
			point()
			if !allFinite([]float64{t.asDeclared(x, grad)}) || !allFinite(grad) {
				return nil
			}
			for j, k := range at {
				g.Set(i, j, grad[k])
			}
		}
		least := math.Inf(1)
		for j := range scale { // gradients then have columns of length 1
			if scale[j] = mat.Norm(g.ColView(j), 2); scale[j] == 0 {
				scale[j] = 1
			}
			least = min(least, scale[j])
			for i := range rows {
				g.Set(i, j, g.At(i, j)/scale[j])
			}
		}
		if !s.Factorize(g, mat.SVDFullV) {
			return nil
		}
		if values := s.Values(nil); !(values[len(at)-1] <= 1e-13*values[0]) {
			return nil
		}
		s.VTo(&v)
		for j, k := range at {
			unit[k] = least / scale[j]
		}
	}
	longest := 0.0 // component of the line
	for j := range scale {
		longest = max(longest, math.Abs(v.At(j, len(at)-1)/scale[j]))
	}
	for _, step := range []float64{1, 1e3, 1e6} {
		point()
		before := t.asDeclared(x, grad)
		for j, k := range at {
			x[k] += step * v.At(j, len(at)-1) / scale[j] / longest
		}
		after := t.asDeclared(x, grad)
		rounding := 0.0 // what the digits that parameters of this size lack do to the log density
		for _, k := range at {
			rounding += 1e-16 * math.Abs(grad[k]*x[k])
		}
		if !(math.Abs(after-before) <= 1e-8*(1+math.Abs(before))+1e3*rounding) {
			return nil
		}
	}
	var part []string
	for j, name := range names {
		if math.Abs(v.At(j, len(at)-1)) > 1e-6 && len(part) < 6 {
			part = append(part, name)
		}
	}
	return []string{fmt.Sprintf("the log density is the same all along a line in %s, whose distributions "+
		"are flat: give one of them a distribution that is not", strings.Join(part, ", "))}
}
