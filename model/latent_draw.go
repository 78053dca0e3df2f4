package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/engine"
)

// likelihood is what LogLik has of an observation, or of all that a block of latents belongs to: one
// value for each component, the latents of which are summed out.
type likelihood struct {
	known       []int        // which of its values were observed, nil for all
	observation *observation // nil for a block
	block       *block
	name        string
	n           int
}

// likelihoods are in the order of the observations.
func (p *Program) likelihoods() []likelihood {
	var out []likelihood
	seen := map[*block]bool{}
	for _, o := range p.m.observations {
		if b := p.blockOf(o); b != nil {
			if !seen[b] {
				seen[b] = true
				out = append(out, likelihood{block: b, name: b.name, n: len(b.observed)})
			}
			continue
		}
		l := likelihood{observation: o, name: o.name, n: o.n}
		if d, ok := o.dist.(engine.Joint); ok {
			l.n = d.Densities(o.n)
		} else {
			l.known = knownOf(o.y, o.n)
		}
		out = append(out, l)
	}
	return out
}

// count is how many values were observed.
func (l likelihood) count() int {
	if l.known != nil {
		return len(l.known)
	}
	return l.n
}

// knownOf returns which of n values of a node do not depend on parameters, as those that are missing do; nil for all.
func knownOf(y *engine.Node, n int) []int {
	if y == nil || y.Fixed {
		return nil
	}
	known := []int{}
	for i := range n {
		if constantAt(y, i) {
			known = append(known, i)
		}
	}
	if len(known) == n {
		return nil
	}
	return known
}

// blockOf returns the block of latents on which an observation depends, nil where there is none.
func (p *Program) blockOf(o *observation) *block {
	for _, b := range p.blocks {
		for _, f := range b.factors {
			if f.observation == o {
				return b
			}
		}
	}
	return nil
}

// keptBlocks are the blocks without the components that are held out.
func (p *Program) keptBlocks() ([]*block, error) {
	if p.held == nil || p.blocks == nil {
		return p.blocks, nil
	}
	at, begins := 0, map[*latent]int{}
	for _, l := range p.likelihoods() {
		if l.block != nil {
			begins[l.block.latents[0]] = at
		}
		at += l.n
	}
	return p.sumOut(func(b *block, component int) bool {
		return slices.Contains(p.held, begins[b.latents[0]]+slices.Index(b.observed, component))
	})
}

// pointwise is what LogLik evaluates.
type pointwise interface {
	// Pointwise writes log densities and returns how many.
	Pointwise(out []float64) int
}

// summing is a block in the memory of an evaluator that computes its columns.
type summing struct {
	b    *block
	out  []float64
	step engine.Summed
	each []float64
}

func (b *block) bind(c *engine.Memory) *summing {
	in := make([][]float64, len(b.columns))
	for k, n := range b.columns {
		in[k] = c.Value[n.ID]
	}
	s := &summing{b: b, out: make([]float64, 1), each: make([]float64, b.components)}
	s.step = b.op.Bind(s.out, nil, in, make([][]float64, len(in))).(engine.Summed)
	return s
}

func (s *summing) Pointwise(out []float64) int {
	s.step.Forward()
	s.step.Each(s.each)
	for k, c := range s.b.observed {
		out[k] = s.each[c]
	}
	return len(s.b.observed)
}

// states draws the latents of a block from their distribution given the data and the parameters.
type states struct {
	*summing
	e             *engine.Evaluator
	drawn         []int
	probabilities []float64
	chances       bool
}

func (p *Program) states(b *block) *states {
	e := p.evaluator(engine.Evaluation{Wanted: b.columns, Inputs: p.recordedNodes()})
	s := &states{summing: b.bind(&e.Memory), e: e, drawn: make([]int, len(b.states))}
	size := 0
	for _, k := range b.states {
		size += k
	}
	s.probabilities = make([]float64, size)
	for _, l := range b.latents {
		s.chances = s.chances || len(l.chance) > 0
	}
	return s
}

// draw draws all states, for the parameters in x.
func (s *states) draw(x *extender, r *rand.Rand) error {
	x.copyTo(s.e)
	s.e.Forward()
	s.step.Forward()
	if v := s.out[0]; math.IsInf(v, 0) || math.IsNaN(v) {
		return fmt.Errorf("model: a draw of the parameters gives the data the log density %v, whatever the "+
			"states of %s", v, s.b.called())
	}
	s.step.Draw(r, s.drawn)
	if s.chances {
		s.step.Probabilities(s.probabilities)
	}
	return nil
}

// values writes the values of latent k of the block.
func (s *states) values(k int, out []float64) {
	l := s.b.latents[k]
	for i := range out {
		out[i] = float64(l.lo + s.drawn[s.b.first[k]+i])
	}
}

// give sets the latents, and their probabilities, in an evaluator.
func (s *states) give(e *engine.Evaluator) {
	at := 0
	for k, l := range s.b.latents {
		s.values(k, e.Value[l.node.ID])
		for _, c := range l.chance {
			v := e.Value[c.node.ID]
			for i := range v {
				v[i] = s.probabilities[at+i*l.states+c.state]
			}
		}
		at += l.node.N * l.states
	}
}

// latentNodes are those that predictions are given.
func (p *Program) latentNodes() []*engine.Node {
	var out []*engine.Node
	for _, l := range p.m.latents {
		out = append(out, l.node)
		for _, c := range l.chance {
			out = append(out, c.node)
		}
	}
	return out
}

// asObservation is what Predictive has a latent for.
func (l *latent) asObservation() *observation {
	return &observation{name: l.name, n: l.node.N, dist: l.dist, where: l.where, drawn: l.node}
}

// predicted is what Predictive draws: observations, latents and predictions.
func (p *Program) predicted() []*observation {
	out := slices.Clone(p.m.observations)
	for _, l := range p.m.latents {
		out = append(out, l.asObservation())
	}
	return append(out, p.m.predictions...)
}

// drawer draws what Predictive returns, for one chain. Data are drawn with latents of their own, from
// the distributions of these, unless AddLogDensity changes it; predictions go on from latents given
// the data.
type drawer struct {
	p                        *Program
	fresh, data, predictions []*predictor
	given                    []*states
	added                    bool
}

func (p *Program) drawer() (*drawer, error) {
	d := &drawer{p: p}
	fill := func(to *[]*predictor, o *observation) error {
		q, err := p.predictor(o)
		*to = append(*to, q)
		return err
	}
	for _, l := range p.m.latents {
		if err := fill(&d.fresh, l.asObservation()); err != nil {
			return nil, err
		}
	}
	for _, o := range p.m.observations {
		if err := fill(&d.data, o); err != nil {
			return nil, err
		}
	}
	for _, o := range p.m.predictions {
		if err := fill(&d.predictions, o); err != nil {
			return nil, err
		}
	}
	for _, b := range p.blocks {
		d.given = append(d.given, p.states(b))
		d.added = d.added || b.added
	}
	return d, nil
}

func (d *drawer) draw(x *extender, r *rand.Rand, out []float64) error {
	for _, s := range d.given {
		if err := s.draw(x, r); err != nil {
			return err
		}
	}
	run := func(q *predictor, before []*predictor, out []float64) error {
		x.copyTo(q.e)
		for _, b := range before {
			q.take(b)
		}
		q.values = out
		return q.draw(r, out)
	}
	if !d.added {
		for i, q := range d.fresh {
			if q.values == nil {
				q.values = make([]float64, q.o.n)
			}
			if err := run(q, d.fresh[:i], q.values); err != nil {
				return err
			}
		}
	}
	for _, q := range d.data {
		if d.added {
			d.give(q)
		}
		if err := run(q, d.fresh, out[:q.o.n]); err != nil {
			return err
		}
		out = out[q.o.n:]
	}
	for _, l := range d.p.m.latents {
		d.valuesOf(l, out[:l.node.N])
		out = out[l.node.N:]
	}
	for i, q := range d.predictions {
		d.give(q)
		if err := run(q, d.predictions[:i], out[:q.o.n]); err != nil {
			return err
		}
		out = out[q.o.n:]
	}
	return nil
}

func (d *drawer) give(q *predictor) {
	for _, s := range d.given {
		s.give(q.e)
	}
}

// valuesOf writes the values of a latent given the data.
func (d *drawer) valuesOf(l *latent, out []float64) {
	for _, s := range d.given {
		if k := slices.Index(s.b.latents, l); k >= 0 {
			s.values(k, out)
		}
	}
}
