package svm

import (
	"context"
	"fmt"
	"math"
)

// Machine is a function f(x) = sum_j coef_j k(x, support_j) - rho of an item.
type Machine struct {
	Coef []float64
	Rho  float64
	// The solution of the quadratic program: its objective, the largest violation of the optimality
	// conditions, and the number of steps.
	Objective, Violation float64
	Iterations           int

	kernel  Kernel
	support Data
	margin  float64 // divisor of the nu form, 1 for others
}

// Support returns the number of support vectors.
func (m *Machine) Support() int { return len(m.Coef) }

// Decide returns f for each item.
func (m *Machine) Decide(d Data) ([]float64, error) {
	if err := m.fits(d); err != nil {
		return nil, err
	}
	out, row := make([]float64, d.count()), make([]float64, len(m.Coef))
	for i := range out {
		m.kernel.against(row, d, i, m.support)
		out[i] = -m.Rho
		for j, c := range m.Coef {
			out[i] += c * row[j]
		}
	}
	return out, nil
}

// fits wants items like those of the training.
func (m *Machine) fits(d Data) error {
	if err := d.check(m.kernel); err != nil {
		return err
	}
	switch {
	case (d.samples != nil) != (m.support.samples != nil):
		return fmt.Errorf("svm: a machine of rows is asked about samples, or one of samples about rows")
	case d.dim != m.support.dim && m.Support() > 0:
		return fmt.Errorf("svm: the data have %d columns, want %d as in training", d.dim, m.support.dim)
	}
	return nil
}

// train solves a problem on items d and keeps those with weights.
func train(ctx context.Context, k Kernel, d Data, p *problem, o Options) (*Machine, error) {
	s, err := solve(ctx, p, newCache(k.on(d), o.Memory), o.Tolerance)
	if err != nil {
		return nil, err
	}
	scale := 1.0
	if p.margin {
		if scale = s.r; !(scale > 0) {
			return nil, fmt.Errorf("svm: the margin is %v, want a positive one: nu is too large, or the "+
				"classes are the same", s.r)
		}
	}
	u := make([]float64, d.count())
	for t, a := range p.a {
		u[p.of[t]] += p.y[t] * a / scale
	}
	m := &Machine{Rho: s.rho / scale, Objective: s.objective / scale / scale, Violation: s.violation / scale,
		Iterations: s.iterations, kernel: k, margin: scale}
	var keep []int
	for i, v := range u {
		if v != 0 {
			keep = append(keep, i)
			m.Coef = append(m.Coef, v)
		}
	}
	m.support = d.at(keep)
	if m.support.dim == 0 {
		m.support.dim = d.dim
	}
	return m, nil
}

// fill gives the first of the variables of a sign their upper bounds until they add up to total.
func fill(p *problem, sign, total float64) {
	for t := range p.a {
		if p.y[t] == sign {
			p.a[t] = min(p.upper[t], total)
			total -= p.a[t]
		}
	}
}

// OneClass finds a region that holds all but about a fraction Options.Nu of the items (Schölkopf et
// al. 2001). Decide is positive inside. The weights add up to 1.
func OneClass(ctx context.Context, k Kernel, d Data, o Options) (*Machine, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if err := d.check(k); err != nil {
		return nil, err
	}
	if o.Nu == 0 {
		o.Nu = 0.5
	}
	n := d.count()
	p := newProblem(n)
	for t := range n {
		p.of[t], p.y[t], p.upper[t] = t, 1, 1/(o.Nu*float64(n))
	}
	fill(p, 1, 1)
	return train(ctx, k, d, p, o)
}

func newProblem(n int) *problem {
	return &problem{of: make([]int, n), y: make([]float64, n), p: make([]float64, n),
		upper: make([]float64, n), a: make([]float64, n)}
}

// Regress fits a function to the targets y. Errors beyond Options.Epsilon are penalised in
// proportion to C. With Options.Nu it chooses the width of the tube itself (Schölkopf, Smola,
// Williamson and Bartlett 2000). Decide returns the function's values.
func Regress(ctx context.Context, k Kernel, d Data, y []float64, o Options) (*Machine, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if err := d.check(k); err != nil {
		return nil, err
	}
	n := d.count()
	if len(y) != n {
		return nil, fmt.Errorf("svm: there are %d targets, want one for each of %d items", len(y), n)
	}
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("svm: target %d is %v, want a finite number", i+1, v)
		}
	}
	p := newProblem(2 * n)
	for i := range n {
		p.of[i], p.y[i], p.upper[i] = i, 1, o.C
		p.of[n+i], p.y[n+i], p.upper[n+i] = i, -1, o.C
		p.p[i], p.p[n+i] = o.Epsilon-y[i], o.Epsilon+y[i]
		if o.Nu > 0 {
			p.p[i], p.p[n+i] = -y[i], y[i]
		}
	}
	if o.Nu > 0 {
		p.apart = true
		fill(p, 1, o.C*o.Nu*float64(n)/2)
		fill(p, -1, o.C*o.Nu*float64(n)/2)
	}
	return train(ctx, k, d, p, o)
}
