package model

import (
	"bayeskernel/engine"
	"bayeskernel/internal/density"
)

// Mix is a mixture: weights has a value for each of the parts, and they must add up to 1.
func Mix(weights Expr, parts ...Dist) Dist { return Dist{mixture{weights, parts, 0}} }

// MixRows is a mixture whose weights differ from value to value: a row for each value and a column for
// each part.
func MixRows(weights Mat, parts ...Dist) Dist {
	return Dist{mixture{weights.e, parts, max(weights.rows, 1)}}
}

// PointMass has probability 1 at a value. It is for parts of mixtures: zeros of counts beyond those of another
// part (zero-inflated), or zeros beside positive amounts (hurdle models):
//
//	m.Observe(counts, model.Mix(model.Stack(p, p.OneMinus()), model.PointMass(0), model.Poisson(rate)))
//	m.Observe(amounts, model.Mix(model.Stack(p, p.OneMinus()), model.PointMass(0), model.LogNormal(mu, sd)))
//
// Beside continuous parts, a value that is equal to it comes from it and has its probability, and other values
// have densities.
func PointMass(value float64) Dist { return Dist{family{f: density.PointMass(value)}} }

type mixture struct {
	weights Expr
	parts   []Dist
	rows    int // of weights, 0 where all values have the same
}

func (d mixture) name() string { return "mixture" }

func (d mixture) in(m *Model, of, where string) engine.Distribution {
	w := argumentOf(d.weights).in(m, where)
	if about(w).broken {
		return nil
	}
	out := &engine.Mixture{Weights: w, Rows: d.rows}
	if w.N != max(d.rows, 1)*len(d.parts) || w.Scalar {
		m.failAt(where, "%s: a mixture of %s with %s", of, plural(len(d.parts), "part"),
			plural(w.N/max(d.rows, 1), "weight"))
		return nil
	}
	for _, p := range d.parts {
		u, ok := p.in(m, of, where).(*engine.Univariate)
		switch {
		case !ok:
			if _, known := p.d.(family); !known && p.d != nil {
				m.failAt(where, "%s: %s cannot be part of a mixture", of, p.name())
			}
			return nil
		case u.Cut != nil && u.Family.Below == nil:
			m.failAt(where, "%s: %v", of, u.NeedsConstant(u.Cut.Lo, u.Cut.Hi))
			return nil
		}
		out.Parts = append(out.Parts, u)
		for _, other := range out.Parts {
			if f := other.Family; u.Family.Discrete != f.Discrete && !u.Family.Atom && !f.Atom {
				m.failAt(where, "%s: %s and %s cannot be parts of one mixture: one is discrete", of, f.Name,
					u.Family.Name)
				return nil
			}
		}
	}
	if len(out.Parts) == 0 {
		m.failAt(where, "%s: a mixture of no parts", of)
		return nil
	}
	if w.Fixed {
		if err := engine.CheckProbabilities(w.Value, len(d.parts)); err != nil {
			m.failAt(where, "%s: the weights of a mixture: %v", of, err)
			return nil
		}
	}
	return out
}
