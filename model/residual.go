package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/engine"

	"gonum.org/v1/gonum/mat"
)

// Residuals brings what was observed to coordinates in which it is independent and standard normal if the parameters are
// those of a draw, whose values are in the order of Names: one column, the observations after each other. Package stein
// tests whether they are. Observations whose distribution is not continuous are an error.
func (p *Program) Residuals(draw []float64) (*mat.Dense, error) {
	if len(draw) != p.width {
		return nil, fmt.Errorf("model: there are %d values, want one for each of %v", len(draw), p.Names())
	}
	if len(p.m.observations) == 0 {
		return nil, fmt.Errorf("model: nothing was observed")
	}
	var wanted []*engine.Node
	n := 0
	for _, o := range p.m.observations {
		if p.blockOf(o) != nil {
			return nil, fmt.Errorf("model: %s: it depends on latents, given which alone it has a distribution", o.name)
		}
		wanted = append(wanted, engine.Distributed{Dist: o.dist, Y: o.y}.Nodes()...)
		n += o.n
	}
	e := p.evaluator(engine.Evaluation{Wanted: wanted, Inputs: p.recordedNodes()})
	x := p.extender()
	x.load(draw)
	x.copyTo(e)
	e.Forward()
	out := make([]float64, n)
	rest := out
	for _, o := range p.m.observations {
		t, ok := o.dist.Bind(&e.Memory, o.y).(engine.Residual)
		if !ok {
			return nil, fmt.Errorf("model: %s: the values of %s have no residuals", o.name, o.dist.Name())
		}
		if err := t.Residuals(rest[:o.n]); err != nil {
			return nil, fmt.Errorf("model: %s: %w", o.name, err)
		}
		rest = rest[o.n:]
	}
	if i := slices.IndexFunc(out, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }); i >= 0 {
		return nil, fmt.Errorf("model: value %d of what was observed has a residual of %v: the draw gives it no probability",
			i+1, out[i])
	}
	return mat.NewDense(n, 1, out), nil
}

// Replicate draws data from the model with the parameters of a draw, and returns the program with these in the place of what
// was observed.
func (p *Program) Replicate(draw []float64, seed uint64) (*Program, error) {
	if len(draw) != p.width {
		return nil, fmt.Errorf("model: there are %d values, want one for each of %v", len(draw), p.Names())
	}
	if len(p.m.latents) > 0 {
		return nil, fmt.Errorf("model: data of a model with latents are not replicated")
	}
	r := rand.New(rand.NewPCG(seed, 0x2e7))
	x := p.extender()
	x.load(draw)
	data := map[*engine.Node][]float64{}
	for _, o := range p.m.observations {
		of, at := engine.DataOf(o.y)
		if of == nil {
			return nil, fmt.Errorf("model: %s: what was observed is computed of data or has missing values: other data have no place to go",
				o.name)
		}
		q, err := p.predictor(o)
		if err != nil {
			return nil, err
		}
		x.copyTo(q.e)
		if data[of] == nil {
			data[of] = slices.Clone(of.Value)
		}
		q.draw(r, data[of][at:at+o.n])
	}
	return p.exchange(&cloner{data: data})
}
