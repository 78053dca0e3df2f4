package model

import (
	"fmt"
	"math"
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
