package engine

import (
	"math"

	"bayeskernel/internal/density"
)

// betaTerm is univariateTerm of data with a beta distribution, by its two shapes or by its mean and
// their sum: the sum of
//
//	log Gamma(a+b) - log Gamma(a) - log Gamma(b) + (a-1) log y + (b-1) log(1-y).
//
// With numbers for parameters it needs the sums of the logs alone.
type betaTerm struct {
	*univariateTerm
	proportion bool
	up, down   []float64 // log y, log(1-y)
	sumUp      float64
	sumDown    float64
}

// betas returns the term of a beta family, nil where it is none.
func (t *univariateTerm) betas() Term {
	proportion := t.f.Name == "beta_proportion"
	if !proportion && t.f.Name != "beta" || t.cut != nil || t.y == nil || t.dy != nil {
		return nil
	}
	out := &betaTerm{univariateTerm: t, proportion: proportion}
	if !t.same {
		out.up, out.down = make([]float64, len(t.y)), make([]float64, len(t.y))
	}
	for i, y := range t.y {
		if !(y > 0 && y < 1) {
			return nil
		}
		u, d := density.LogOf(y), math.Log1p(-y)
		out.sumUp += u
		out.sumDown += d
		if !t.same {
			out.up[i], out.down[i] = u, d
		}
	}
	return out
}

// shapes returns the shapes of value i, false outside their domain.
func (t *betaTerm) shapes(p *density.Params) (a, b float64) {
	if t.proportion {
		return p[0] * p[1], (1 - p[0]) * p[1]
	}
	return p[0], p[1]
}

// back sets the derivatives in the parameters by those in the shapes.
func (t *betaTerm) back(p *density.Params, da, db float64) {
	if t.proportion {
		t.g[1], t.g[2] = p[1]*(da-db), p[0]*da+(1-p[0])*db
	} else {
		t.g[1], t.g[2] = da, db
	}
}

func (t *betaTerm) Add() float64 {
	p := &t.p
	n, rows := 1, 1.0
	if t.same {
		rows = float64(len(t.y))
	} else {
		n = len(t.y)
	}
	lp, sum, both, dBoth := t.base, math.NaN(), 0.0, 0.0
	t.sum = density.Grad{}
	for i := range n {
		if !t.params(p, i) {
			return math.Inf(-1)
		}
		a, b := t.shapes(p)
		if !(a > 0 && b > 0) {
			return math.Inf(-1)
		}
		if s := t.total(p); s != sum {
			sum = s
			both, dBoth = density.Lgamma(s)
		}
		la, da := density.Lgamma(a)
		lb, db := density.Lgamma(b)
		up, down := t.sumUp, t.sumDown
		if !t.same {
			up, down = t.up[i], t.down[i]
		}
		lp += rows*(both-la-lb) + (a-1)*up + (b-1)*down
		t.back(p, rows*(dBoth-da)+up, rows*(dBoth-db)+down)
		t.push(i, &t.g)
	}
	t.addSums()
	return lp
}

// total is the sum of the shapes.
func (t *betaTerm) total(p *density.Params) float64 {
	if t.proportion {
		return p[1]
	}
	return p[0] + p[1]
}
