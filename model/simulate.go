package model

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/engine"

	"bayeskernel/calibration"
	"bayeskernel/hmc"
	"bayeskernel/internal/density"
	"bayeskernel/priors"
	"bayeskernel/temper"
)

// Reference is the density of the parameters without observations and without AddLogDensity, which
// can be drawn from: what package temper begins with, so that its evidence is that of the data.
func (p *Program) Reference() (temper.Reference, error) {
	s, err := p.simulator()
	if err != nil {
		return nil, err
	}
	for _, q := range p.m.parameters {
		if dependsOnLatents(q.dist) {
			return nil, fmt.Errorf("model: parameter %s: its distribution depends on a latent, and its density "+
				"alone is not here", q.name)
		}
		if q.ordered && !q.exchangeable() {
			return nil, fmt.Errorf("model: parameter %s: ordered values with distributions of their own "+
				"have a density whose constant is not known", q.name)
		}
	}
	return &reference{Target: p.target(p.density.Terms[:p.priors]), prior: s}, nil
}

type reference struct {
	hmc.Target
	prior *simulator
}

// Draw writes an independent draw into x. Where rounding puts one on the edge of its support another
// is drawn.
func (f *reference) Draw(x []float64, r *rand.Rand) {
	for range 1000 {
		if f.prior.draw(r) == nil && f.prior.unconstrain(x) == nil {
			f.prior.p.stretch(x, r)
			return
		}
	}
	panic("model: a thousand draws in succession lie on the edge of the support")
}

// stretch draws the lengths of the coordinates of unit vectors: those of standard normal vectors.
func (p *Program) stretch(x []float64, r *rand.Rand) {
	f := density.ChiSquare()
	for _, q := range p.m.parameters {
		if _, ok := q.transform.(priors.UnitVector); ok {
			size := math.Sqrt(f.Rand(r, &density.Params{float64(q.free)}))
			for i := range q.free {
				x[q.x+i] *= size
			}
		}
	}
}

// Calibration is the model for package calibration: parameters drawn from their distributions, data
// from theirs, and the posterior of the one given the other. Beside the parameters, the log
// likelihood is ranked.
func (p *Program) Calibration() (calibration.Model, error) {
	none := calibration.Model{}
	if _, err := p.simulator(); err != nil {
		return none, err
	}
	for _, o := range p.m.factored {
		return none, fmt.Errorf("model: %s: nothing can be drawn from a factor of the density", o.name)
	}
	for _, o := range p.m.observations {
		if data, _ := engine.DataOf(o.y); data == nil {
			return none, fmt.Errorf("model: %s: what was observed is computed of data or has missing "+
				"values: simulated data have no place to go", o.name)
		}
		if _, err := p.predictor(o); err != nil {
			return none, err
		}
	}
	if len(p.m.observations) == 0 {
		return none, fmt.Errorf("model: nothing was observed")
	}
	for _, b := range p.blocks {
		if b.added {
			return none, fmt.Errorf("model: AddLogDensity depends on %s: there is no distribution that latents "+
				"and data could be drawn from", b.called())
		}
	}
	return calibration.Model{Simulate: p.simulate, Quantities: []string{"log likelihood"}}, nil
}

func (p *Program) simulate(r *rand.Rand) (calibration.Simulation, error) {
	var out calibration.Simulation
	s, err := p.simulator()
	if err != nil {
		return out, err
	}
	if err := s.draw(r); err != nil {
		return out, err
	}
	out.Truth = make([]float64, p.width)
	s.record(out.Truth)
	data := map[*engine.Node][]float64{}
	for _, o := range p.m.observations {
		q, err := p.predictor(o)
		if err != nil {
			return out, err
		}
		for _, w := range p.m.parameters {
			copy(q.e.Value[w.of.ID], s.e.Value[w.of.ID])
		}
		for _, l := range p.m.latents {
			copy(q.e.Value[l.node.ID], s.e.Value[l.node.ID])
		}
		of, at := engine.DataOf(o.y)
		if data[of] == nil {
			data[of] = append([]float64(nil), of.Value...)
		}
		if err := q.draw(r, data[of][at:at+o.n]); err != nil {
			return out, err
		}
	}
	posterior, err := p.exchange(&cloner{data: data})
	if err != nil {
		return out, err
	}
	out.Posterior = posterior.Target
	out.Quantities = posterior.logLikelihood()
	return out, nil
}

// logLikelihood computes the sum of the densities of all observations from a row of values.
func (p *Program) logLikelihood() func(dst, values []float64) {
	most := 1
	for _, l := range p.likelihoods() {
		most = max(most, l.n)
	}
	e, terms := p.observed()
	x, each := p.extender(), make([]float64, most)
	return func(dst, values []float64) {
		x.load(values)
		x.copyTo(e)
		e.Forward()
		dst[0] = 0
		for _, t := range terms {
			for _, v := range each[:t.Pointwise(each)] {
				dst[0] += v
			}
		}
	}
}
