package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"bayeskernel/engine"

	"bayeskernel/draws"
	"bayeskernel/internal/rng"
	"bayeskernel/internal/workers"
)

// Prior draws n times from the distributions of the parameters, in the order of their declaration,
// and returns a run of one chain, with the quantities too.
func (p *Program) Prior(ctx context.Context, n int, seed uint64) (*draws.Run, error) {
	s, err := p.simulator()
	if err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, fmt.Errorf("model: %d prior draws, want at least 1", n)
	}
	run := &draws.Run{Names: p.Names(), Seed: seed, Chains: make([]draws.Chain, 1)}
	src, err := rng.New("", rng.Name{Seed: seed, Purpose: "model prior"}, 0)
	if err != nil {
		return nil, err
	}
	r := rand.New(src)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("model: stopped after %d of %d prior draws: %w", i, n, err)
		}
		if err := s.draw(r); err != nil {
			return nil, err
		}
		row := make([]float64, p.width)
		s.record(row)
		run.Chains[0].Values = append(run.Chains[0].Values, row)
	}
	return run, nil
}

// simulator draws parameters from their distributions.
type simulator struct {
	p     *Program
	e     *engine.Evaluator
	terms []engine.Term
}

func (p *Program) simulator() (*simulator, error) {
	s := &simulator{p: p}
	var wanted []*engine.Node
	ends := make([]int, len(p.m.parameters)) // of the arguments of each parameter among wanted
	for k, q := range p.m.parameters {
		if improper(q.prior) {
			return nil, fmt.Errorf("model: parameter %s has a flat prior, there is nothing to draw from",
				q.name)
		}
		wanted = append(wanted, q.prior.Arguments()...)
		if q.shift != nil {
			wanted = append(wanted, q.shift, q.scale)
		}
		ends[k] = len(wanted)
	}
	for _, r := range p.m.records {
		wanted = append(wanted, r.node)
	}
	s.e = p.evaluator(engine.Evaluation{Wanted: wanted, Inputs: p.recordedNodes()})
	for _, q := range p.m.parameters {
		s.terms = append(s.terms, q.prior.Bind(&s.e.Memory, nil))
	}
	marks := make([]int, len(ends))
	for k, end := range ends {
		if end > 0 {
			marks[k] = s.e.Marks[end-1]
		}
	}
	s.e.Marks = marks
	return s, nil
}

// improper reports whether there is nothing to draw from.
func improper(d engine.Distribution) bool {
	u, ok := d.(*engine.Univariate)
	return ok && !u.Family.Proper
}

// recordedNodes are the parameters as they were declared: not what stands for them in sampling.
func (p *Program) recordedNodes() []*engine.Node {
	var out []*engine.Node
	for _, q := range p.m.parameters {
		out = append(out, q.of)
	}
	return out
}

// draw sets all values.
func (s *simulator) draw(r *rand.Rand) error {
	const most = 1_000_000
	done := 0
	for k, q := range s.p.m.parameters {
		for ; done < s.e.Marks[k]; done++ {
			s.e.Steps[done].Forward()
		}
		v := s.e.Value[q.of.ID]
		inside := func() bool {
			if !allFinite(v) {
				return false
			}
			if q.ordered && !slices.IsSorted(v) {
				return false
			}
			if q.shift == nil || !q.between {
				return true
			}
			lo, width := s.e.Value[q.shift.ID][0], s.e.Value[q.scale.ID][0]
			return v[0] > lo && v[0] < lo+width
		}
		s.terms[k].Draw(r, v)
		if q.ordered && q.exchangeable() {
			slices.Sort(v)
		}
		for range most {
			if inside() || !q.between && !q.ordered {
				break
			}
			s.terms[k].Draw(r, v)
		}
		if !inside() {
			return fmt.Errorf("model: parameter %s: no draw of %s lies in its support", q.name,
				q.prior.Name())
		}
	}
	for ; done < len(s.e.Steps); done++ {
		s.e.Steps[done].Forward()
	}
	return nil
}

// record writes what is recorded.
func (s *simulator) record(dst []float64) {
	for _, r := range s.p.m.records {
		dst = dst[copy(dst, s.e.Value[r.node.ID]):]
	}
}

// Predictive draws, for each draw of the parameters in run, values for all that was observed and all
// that Predict declared. Run has the draws of the posterior, or of Prior. Where the distribution of
// a value depends on values before it, as in an autoregression, these are drawn first.
func (p *Program) Predictive(ctx context.Context, run *draws.Run, seed uint64) (*draws.Run, error) {
	all := slices.Concat(p.m.observations, p.m.predictions)
	if len(all) == 0 {
		return nil, fmt.Errorf("model: nothing was observed, and nothing is to be predicted")
	}
	return p.perDraw(ctx, run, all, func(c int) (func(x *extender, out []float64) error, error) {
		src, err := rng.New("", rng.Name{Seed: seed, Purpose: "model predictive"}, uint64(c))
		if err != nil {
			return nil, err
		}
		r := rand.New(src)
		var parts []*predictor
		for _, o := range all {
			q, err := p.predictor(o)
			if err != nil {
				return nil, err
			}
			parts = append(parts, q)
		}
		return func(x *extender, out []float64) error {
			if err := x.extend(r); err != nil {
				return err
			}
			for i, q := range parts {
				x.copyTo(q.e)
				for _, before := range parts[:i] {
					q.take(before)
				}
				q.draw(r, out[:q.o.n])
				q.values, out = out[:q.o.n], out[q.o.n:]
			}
			return nil
		}, nil
	})
}

// LogLik returns the log density of each value that was observed, for each draw of the parameters in
// run: for package loo. Vectors with one density have one.
func (p *Program) LogLik(ctx context.Context, run *draws.Run) (*draws.Run, error) {
	if len(p.m.observations) == 0 {
		return nil, fmt.Errorf("model: nothing was observed")
	}
	var counts []*observation
	for _, o := range p.m.observations {
		q := *o
		if d, ok := o.dist.(engine.Joint); ok {
			q.n = d.Densities(o.n)
		}
		counts = append(counts, &q)
	}
	return p.perDraw(ctx, run, counts, func(int) (func(x *extender, out []float64) error, error) {
		e, terms := p.observed()
		return func(x *extender, out []float64) error {
			if len(x.fresh) > 0 {
				return fmt.Errorf("model: the draws have no parameters for the labels that are new")
			}
			x.copyTo(e)
			e.Forward()
			for _, t := range terms {
				out = out[t.Pointwise(out):]
			}
			return nil
		}, nil
	})
}

// observed has the terms of what was observed, from the parameters as declared.
func (p *Program) observed() (*engine.Evaluator, []engine.Term) {
	var wanted []*engine.Node
	for _, o := range p.m.observations {
		wanted = append(wanted, engine.Distributed{Dist: o.dist, Y: o.y}.Nodes()...)
	}
	e := p.evaluator(engine.Evaluation{Wanted: wanted, Inputs: p.recordedNodes()})
	var terms []engine.Term
	for _, o := range p.m.observations {
		terms = append(terms, o.dist.Bind(&e.Memory, o.y))
	}
	return e, terms
}

// perDraw computes values of some observations for each draw, each chain by itself.
func (p *Program) perDraw(ctx context.Context, run *draws.Run, all []*observation,
	begin func(c int) (func(x *extender, out []float64) error, error)) (*draws.Run, error) {
	if run == nil || !slices.Equal(run.Names, p.recorded) {
		return nil, fmt.Errorf("model: the draws are not of this model: their names are %v, want %v",
			shortened(run), p.recorded)
	}
	out := &draws.Run{Chains: make([]draws.Chain, len(run.Chains)), Model: run.Model}
	width := 0
	for _, o := range all {
		for i := range o.n {
			out.Names = append(out.Names, fmt.Sprintf("%s[%d]", o.name, i+1))
		}
		width += o.n
	}
	err := workers.Each(ctx, len(run.Chains), 0, func() func(c int) error {
		return func(c int) error {
			of, err := begin(c)
			if err != nil {
				return err
			}
			x := p.extender()
			return run.Chains[c].Each(func(_ int, row []float64) error {
				values := make([]float64, width)
				x.load(row)
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err := of(x, values); err != nil {
					return err
				}
				out.Chains[c].Values = append(out.Chains[c].Values, values)
				return nil
			})
		}
	})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("model: stopped: %w", context.Cause(ctx))
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

func shortened(run *draws.Run) []string {
	if run == nil {
		return nil
	}
	return run.Names[:min(8, len(run.Names))]
}

// extender holds the declared parameters of one draw, and draws those of new labels.
type extender struct {
	p     *Program
	e     *engine.Evaluator
	fresh []*parameter // that have more values than the draws
	known []int        // how many these have
	terms []engine.Term
	size  map[*engine.Node]int // recorded values
}

func (p *Program) extender() *extender {
	x := &extender{p: p, size: map[*engine.Node]int{}}
	var wanted []*engine.Node
	for _, r := range p.m.records {
		x.size[r.node] = p.sizes[r.name]
	}
	for _, q := range p.m.parameters {
		if k := x.size[q.of]; k < q.of.N {
			x.fresh, x.known = append(x.fresh, q), append(x.known, k)
			wanted = append(wanted, q.prior.Arguments()...)
		}
	}
	x.e = p.evaluator(engine.Evaluation{Wanted: wanted, Inputs: p.recordedNodes()})
	for _, q := range x.fresh {
		x.terms = append(x.terms, q.prior.Bind(&x.e.Memory, nil))
	}
	return x
}

// load takes a row of a run.
func (x *extender) load(row []float64) {
	for _, r := range x.p.m.records {
		k := x.size[r.node]
		if r.parameter {
			copy(x.e.Value[r.node.ID], row[:k])
		}
		row = row[k:]
	}
}

// extend draws the parameters of new labels.
func (x *extender) extend(r *rand.Rand) error {
	for i, q := range x.fresh {
		if improper(q.prior) {
			return fmt.Errorf("model: parameter %s has a flat prior, there is nothing to draw from", q.name)
		}
		x.e.Forward()
		v := x.e.Value[q.of.ID]
		all := make([]float64, len(v))
		x.terms[i].Draw(r, all)
		copy(v[x.known[i]:], all[x.known[i]:])
	}
	return nil
}

// copyTo sets the declared parameters of another evaluator.
func (x *extender) copyTo(e *engine.Evaluator) {
	for _, q := range x.p.m.parameters {
		copy(e.Value[q.of.ID], x.e.Value[q.of.ID])
	}
}

// predictor draws the values of one observation.
type predictor struct {
	o      *observation
	e      *engine.Evaluator
	term   engine.Term
	values []float64 // the last that were drawn
	// Where the distribution depends on the values themselves: their place in the data, and how to
	// draw one of them.
	past []float64
	one  func(r *rand.Rand, i int) float64
}

func (p *Program) predictor(o *observation) (*predictor, error) {
	q := &predictor{o: o}
	inputs := p.recordedNodes()
	for _, w := range p.m.predictions {
		if w.drawn != nil {
			inputs = append(inputs, w.drawn)
		}
	}
	data, at := engine.DataOf(o.y)
	needed := map[*engine.Node]bool{}
	engine.Mark(needed, o.dist.Arguments()...)
	sequential := data != nil && needed[data]
	if sequential {
		inputs = append(inputs, data)
	}
	q.e = p.evaluator(engine.Evaluation{Wanted: o.dist.Arguments(), Inputs: inputs})
	q.term = o.dist.Bind(&q.e.Memory, nil)
	if sequential {
		one, ok := q.term.(interface {
			DrawOne(r *rand.Rand, i int) float64
		})
		if !ok {
			return nil, fmt.Errorf("model: %s: its distribution depends on itself, and values of %s "+
				"cannot be drawn one by one", o.name, o.dist.Name())
		}
		copy(q.e.Value[data.ID], data.Value)
		q.past, q.one = q.e.Value[data.ID][at:at+o.n], one.DrawOne
	}
	return q, nil
}

// take sets what another one has drawn, of which the distribution may depend.
func (q *predictor) take(other *predictor) {
	if n := other.o.drawn; n != nil {
		copy(q.e.Value[n.ID], other.values)
	}
}

func (q *predictor) draw(r *rand.Rand, out []float64) {
	if q.one == nil {
		q.e.Forward()
		q.term.Draw(r, out)
		return
	}
	for i := range out {
		q.e.Forward()
		out[i] = q.one(r, i)
		q.past[i] = out[i]
	}
}
