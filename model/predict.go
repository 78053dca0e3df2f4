package model

import (
	"context"
	"fmt"
	"math"
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
	run := &draws.Run{Names: p.Names(), Constants: p.Constants(), Seed: seed, Chains: make([]draws.Chain, 1)}
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

// simulator draws parameters, and latents, from their distributions, in the order of declaration.
type simulator struct {
	p     *Program
	e     *engine.Evaluator
	steps []drawStep
}

// drawStep draws a parameter, or a latent, once so many steps of the evaluator are done.
type drawStep struct {
	q    *parameter // nil for a latent
	node *engine.Node
	term engine.Term
	mark int
}

func (p *Program) simulator() (*simulator, error) {
	s, latents := &simulator{p: p}, p.m.latents
	var wanted []*engine.Node
	var dists []engine.Distribution
	for _, q := range p.m.parameters {
		if improper(q.prior) {
			return nil, fmt.Errorf("model: parameter %s has a flat prior, there is nothing to draw from",
				q.name)
		}
		for ; len(latents) > 0 && latents[0].node.ID < q.node.ID; latents = latents[1:] {
			s.steps = append(s.steps, drawStep{node: latents[0].node})
		}
		s.steps = append(s.steps, drawStep{q: q, node: q.of})
	}
	for _, l := range latents {
		s.steps = append(s.steps, drawStep{node: l.node})
	}
	ends := make([]int, len(s.steps)) // of the arguments of each among wanted
	for k, d := range s.steps {
		dist := d.distribution()
		dists = append(dists, dist)
		wanted = append(wanted, dist.Arguments()...)
		if d.q != nil && d.q.shift != nil {
			wanted = append(wanted, d.q.shift, d.q.scale)
		}
		ends[k] = len(wanted)
	}
	for _, r := range p.m.records {
		wanted = append(wanted, r.node)
	}
	s.e = p.evaluator(engine.Evaluation{Wanted: wanted,
		Inputs: append(p.recordedNodes(), p.latentNodes()...)})
	for k := range s.steps {
		s.steps[k].term = dists[k].Bind(&s.e.Memory, nil)
		if end := ends[k]; end > 0 {
			s.steps[k].mark = s.e.Marks[end-1]
		}
	}
	return s, nil
}

func (d drawStep) distribution() engine.Distribution {
	if d.q != nil {
		return d.q.prior
	}
	return about(d.node).latent.dist
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
	for _, step := range s.steps {
		for ; done < step.mark; done++ {
			s.e.Steps[done].Forward()
		}
		q, v := step.q, s.e.Value[step.node.ID]
		if q == nil {
			step.term.Draw(r, v)
			if err := drawnAll(about(step.node).what, v, step.distribution()); err != nil {
				return err
			}
			continue
		}
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
		step.term.Draw(r, v)
		if q.ordered && q.exchangeable() {
			slices.Sort(v)
		}
		for range most {
			if inside() || !q.between && !q.ordered || slices.ContainsFunc(v, math.IsNaN) {
				break
			}
			step.term.Draw(r, v)
		}
		if err := drawnAll("parameter "+q.name, v, q.prior); err != nil {
			return err
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

// drawnAll returns an error if a value of what has this name was not drawn.
func drawnAll(name string, v []float64, d engine.Distribution) error {
	i := slices.IndexFunc(v, math.IsNaN)
	if _, computed := d.(*engine.Exactly); computed || i < 0 {
		return nil
	}
	if len(v) > 1 {
		name = fmt.Sprintf("%s[%d]", name, i+1)
	}
	return fmt.Errorf("model: %s: there is no draw from %s: its arguments are outside their domains, or its range has "+
		"no probability", name, describe(d))
}

// record writes what is recorded.
func (s *simulator) record(dst []float64) {
	for _, r := range s.p.m.records {
		dst = dst[copy(dst, s.e.Value[r.node.ID]):]
	}
}

// Predictive draws, for each draw of the parameters in run, values for all that was observed, all
// latents, and all that Predict declared. Run has the draws of the posterior, or of Prior. Where the
// distribution of a value depends on values before it, as in an autoregression, these are drawn first.
//
// Latents are drawn given the data and the parameters, whatever the run, and predictions go on from
// them. New values for what was observed have new latents, drawn from the distributions of these.
func (p *Program) Predictive(ctx context.Context, run *draws.Run, seed uint64) (*draws.Run, error) {
	all := p.predicted()
	if len(all) == 0 {
		return nil, fmt.Errorf("model: nothing was observed, and nothing is to be predicted")
	}
	return p.perDraw(ctx, run, all, func(c int) (func(x *extender, out []float64) error, error) {
		src, err := rng.New("", rng.Name{Seed: seed, Purpose: "model predictive"}, uint64(c))
		if err != nil {
			return nil, err
		}
		r := rand.New(src)
		d, err := p.drawer()
		if err != nil {
			return nil, err
		}
		return func(x *extender, out []float64) error {
			if err := x.extend(r); err != nil {
				return err
			}
			return d.draw(x, r, out)
		}, nil
	})
}

// LogLik returns the log density of each value that was observed, for each draw of the parameters in
// run: for package loo. Values that are [Model.Missing] have none. Vectors with one density have one.
// Values that depend on the same latents, as those of a chain do, have one together.
func (p *Program) LogLik(ctx context.Context, run *draws.Run) (*draws.Run, error) {
	if len(p.m.observations) == 0 {
		return nil, fmt.Errorf("model: nothing was observed")
	}
	var counts []*observation
	most := 0
	for _, l := range p.likelihoods() {
		if l.block != nil && l.block.parameters {
			return nil, fmt.Errorf("model: %s: it depends on latents on which the distribution of a parameter "+
				"depends too: it has no log likelihood of its own", l.name)
		}
		counts = append(counts, &observation{name: l.name, n: l.count(), known: l.known})
		most = max(most, l.n)
	}
	return p.perDraw(ctx, run, counts, func(int) (func(x *extender, out []float64) error, error) {
		e, terms := p.observed()
		each := make([]float64, most)
		return func(x *extender, out []float64) error {
			if len(x.fresh) > 0 {
				return fmt.Errorf("model: the draws have no parameters for the labels that are new")
			}
			x.copyTo(e)
			e.Forward()
			for k, t := range terms {
				known := counts[k].known
				if known == nil {
					out = out[t.Pointwise(out):]
					continue
				}
				t.Pointwise(each)
				for i, at := range known {
					out[i] = each[at]
				}
				out = out[len(known):]
			}
			return nil
		}, nil
	})
}

// observed has what LogLik evaluates, from the parameters as declared.
func (p *Program) observed() (*engine.Evaluator, []pointwise) {
	var wanted []*engine.Node
	all := p.likelihoods()
	for _, l := range all {
		if l.block != nil {
			wanted = append(wanted, l.block.columns...)
		} else {
			wanted = append(wanted, engine.Distributed{Dist: l.observation.dist, Y: l.observation.y}.Nodes()...)
		}
	}
	e := p.evaluator(engine.Evaluation{Wanted: wanted, Inputs: p.recordedNodes()})
	var terms []pointwise
	for _, l := range all {
		if l.block != nil {
			terms = append(terms, l.block.bind(&e.Memory))
		} else {
			terms = append(terms, l.observation.dist.Bind(&e.Memory, l.observation.y))
		}
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
			out.Names = append(out.Names, fmt.Sprintf("%s[%d]", o.name, nth(o.known, i)+1))
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
				if len(row) != len(p.recorded) {
					return fmt.Errorf("model: a draw of chain %d has %d values, want %d", c+1, len(row), len(p.recorded))
				}
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
		if dependsOnLatents(q.prior) {
			return fmt.Errorf("model: parameter %s: its distribution depends on a latent, and values for new "+
				"labels are not here", q.name)
		}
		x.e.Forward()
		v := x.e.Value[q.of.ID]
		all := make([]float64, len(v))
		x.terms[i].Draw(r, all)
		if err := drawnAll("parameter "+q.name, all, q.prior); err != nil {
			return err
		}
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
	inputs = append(inputs, p.latentNodes()...)
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

func (q *predictor) draw(r *rand.Rand, out []float64) error {
	if q.one == nil {
		q.e.Forward()
		q.term.Draw(r, out)
	} else {
		for i := range out {
			q.e.Forward()
			out[i] = q.one(r, i)
			q.past[i] = out[i]
		}
	}
	return drawnAll(q.o.name, out, q.o.dist)
}
