package engine

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/priors"
)

// Series is an autoregression: with the p coefficients c,
//
//	y_t - c_1 y_{t-1} - ... - c_p y_{t-p} ~ Step
//
// for each value but the first p, which have the distribution First.
type Series struct {
	Coef        *Node
	First, Step *Univariate
}

func (d *Series) Name() string { return "autoregression" }

func (d *Series) Arguments() []*Node {
	return append(append([]*Node{d.Coef}, d.First.Arguments()...), d.Step.Arguments()...)
}

func (d *Series) Mapped(to func(*Node) *Node) Distribution {
	return &Series{to(d.Coef), d.First.Mapped(to).(*Univariate), d.Step.Mapped(to).(*Univariate)}
}

func (d *Series) ForParameter(p Place) error {
	if t, ok := p.Transform.(priors.Interval); !ok || !math.IsInf(t.Lo, -1) || !math.IsInf(t.Hi, 1) {
		return fmt.Errorf("%s is for parameters that may be any number", d.Name())
	}
	if err := d.sizes(p.N, "the parameter"); err != nil {
		return err
	}
	whole := Place{Transform: p.Transform, Lo: p.Lo, Hi: p.Hi, N: d.Coef.N}
	if err := d.First.ForParameter(whole); err != nil {
		return fmt.Errorf("the first values: %w", err)
	}
	whole.N = p.N - d.Coef.N
	if err := d.Step.ForParameter(whole); err != nil {
		return fmt.Errorf("the steps: %w", err)
	}
	return nil
}

func (d *Series) ForValues(y *Node, name string) error { return d.sizes(y.N, name) }

func (d *Series) sizes(n int, name string) error {
	if n <= d.Coef.N {
		return fmt.Errorf("%s has %s, want more than the %d of the coefficients of %s", name,
			plural(n, "value"), d.Coef.N, d.Name())
	}
	if d.First.Family.Discrete || d.Step.Family.Discrete {
		return fmt.Errorf("%s: an autoregression of the discrete %s and %s", name, d.First.Name(),
			d.Step.Name())
	}
	if d.Step.Family.Name == "flat" {
		return fmt.Errorf("%s: an autoregression with flat steps, want a distribution that says something",
			name)
	}
	if err := d.First.sizes(d.Coef.N, "the beginning of "+name); err != nil {
		return err
	}
	return d.Step.sizes(n-d.Coef.N, "what follows the beginning of "+name)
}

func (d *Series) Bind(c *Memory, y *Node) Term {
	p := d.Coef.N
	t := &seriesTerm{c: c.Value[d.Coef.ID], dc: c.Adjoint[d.Coef.ID]}
	if y == nil {
		t.first, t.step = d.First.Bind(c, nil), d.Step.Bind(c, nil)
		return t
	}
	t.y, t.dy = c.Value[y.ID], c.Adjoint[y.ID]
	// The terms find their values in two places behind all others.
	last := len(c.Value)
	own := &Memory{Value: append(c.Value[:last:last], t.y[:p], make([]float64, y.N-p)),
		Adjoint: append(c.Adjoint[:last:last], nil, nil)}
	if t.dy != nil {
		own.Adjoint[last] = t.dy[:p]
	}
	if t.dy != nil || t.dc != nil {
		own.Adjoint[last+1] = make([]float64, y.N-p)
	}
	t.rest, t.drest = own.Value[last+1], own.Adjoint[last+1]
	begin := &Node{ID: last, N: p, Fixed: y.Fixed, Value: y.Value}
	if begin.Value != nil {
		begin.Value = y.Value[:p]
	}
	t.first = d.First.Bind(own, begin)
	t.step = d.Step.Bind(own, &Node{ID: last + 1, N: y.N - p})
	return t
}

// seriesTerm has the terms of the first values and of what is left of the others.
type seriesTerm struct {
	y, dy, c, dc []float64
	rest, drest  []float64
	first, step  Term
}

func (t *seriesTerm) leave() {
	p := len(t.c)
	for i := range t.rest {
		v := t.y[i+p]
		for k, c := range t.c {
			v -= c * t.y[i+p-1-k]
		}
		t.rest[i] = v
	}
}

func (t *seriesTerm) Add() float64 {
	t.leave()
	clear(t.drest)
	lp := t.first.Add() + t.step.Add()
	if t.drest == nil || math.IsNaN(lp) || math.IsInf(lp, 0) {
		return lp
	}
	p := len(t.c)
	for i, d := range t.drest {
		if t.dy != nil {
			t.dy[i+p] += d
		}
		for k, c := range t.c {
			if t.dy != nil {
				t.dy[i+p-1-k] -= c * d
			}
			if t.dc != nil {
				t.dc[k] -= d * t.y[i+p-1-k]
			}
		}
	}
	return lp
}

func (t *seriesTerm) Pointwise(out []float64) int {
	t.leave()
	t.first.Pointwise(out)
	t.step.Pointwise(out[len(t.c):])
	return len(t.y)
}

func (t *seriesTerm) Draw(r *rand.Rand, out []float64) {
	p := len(t.c)
	t.first.Draw(r, out[:p])
	t.step.Draw(r, out[p:])
	for i := p; i < len(out); i++ {
		for k, c := range t.c {
			out[i] += c * out[i-1-k]
		}
	}
}
