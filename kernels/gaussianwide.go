package kernels

import (
	"math"

	"bayeskernel/internal/dd"
)

// gaussianWide has the terms of gaussian in about 32 digits.
type gaussianWide struct {
	ready bool
	terms []wideTerm
}

// wideTerm is a pair of components; weight is that of one order in Q.
type wideTerm struct {
	sum, harmonic, alpha, weight dd.Number
	logWeight                    float64
	same                         bool // both components are one
}

func number(x float64) dd.Number { return dd.Number{Hi: x} }

func (g *gaussian) exact() bool { return g.original }

// prepareWide computes the weights of the terms. All of them are products of many factors, which
// may be out of range though their ratio to the largest is not: powers of two are kept apart.
func (g *gaussian) prepareWide() {
	if g.wide == nil {
		g.wide = &gaussianWide{terms: make([]wideTerm, 0, len(g.sum))}
	}
	v := g.wide
	v.ready, v.terms = true, v.terms[:0]
	top := math.Inf(-1)
	for i, s := range g.widths {
		for j, r := range g.widths[:i+1] {
			a, b := dd.TwoProd(s, s), dd.TwoProd(r, r)
			t := wideTerm{sum: a.Add(b), same: i == j}
			t.alpha = b.Div(t.sum)
			t.harmonic = a.Mul(t.alpha)
			t.logWeight = g.logs[len(v.terms)]
			top = max(top, t.logWeight)
			v.terms = append(v.terms, t)
		}
	}
	var total dd.Number
	k := 0
	for i := range g.widths {
		for j := range i + 1 {
			t := &v.terms[k]
			t.weight = g.amplitude(t, top).Mul(dd.TwoProd(g.weights[i], g.weights[j]))
			total = total.Add(t.weight)
			if !t.same {
				total = total.Add(t.weight)
			}
			k++
		}
	}
	for k := range v.terms {
		v.terms[k].weight = v.terms[k].weight.Div(total)
	}
}

// amplitude returns prod_a (theta_a² H/u_a)^(1/2) times a power of two near e^-top, 0 where that is
// negligible.
func (g *gaussian) amplitude(t *wideTerm, top float64) dd.Number {
	if t.logWeight-top < -200 {
		return dd.Number{}
	}
	p, exponent := number(1), 0
	for a := range g.dim {
		h := t.harmonic.Mul(dd.TwoProd(g.lengthscale(a), g.lengthscale(a)))
		p = p.Mul(h.Div(h.Add(dd.TwoProd(g.eta, g.eta))))
		_, e := math.Frexp(p.Hi)
		p, exponent = p.Ldexp(-e), exponent+e
	}
	if exponent%2 != 0 {
		p, exponent = p.Ldexp(1), exponent-1
	}
	return p.Sqrt().Ldexp(exponent/2 - int(math.Round(top/math.Ln2)))
}

func (g *gaussian) lengthscale(a int) float64 { return g.theta[min(a, len(g.theta)-1)] }

// pairExtended is Prior.PairExtended.
func (g *gaussian) pairExtended(dTheta []dd.Number, x, y []float64) (q, dEta dd.Number) {
	if g.wide == nil || !g.wide.ready {
		g.prepareWide()
	}
	clear(dTheta)
	for k := range g.wide.terms {
		t := &g.wide.terms[k]
		if t.weight.Hi == 0 {
			continue
		}
		g.addWide(t, &q, &dEta, dTheta, x, y)
		if !t.same {
			g.addWide(t, &q, &dEta, dTheta, y, x)
		}
	}
	return q, dEta
}

// addWide adds one order of a term, that with c = y + alpha (x-y).
func (g *gaussian) addWide(t *wideTerm, q, dEta *dd.Number, dTheta []dd.Number, x, y []float64) {
	var exponent dd.Number
	for a := range x {
		near, far, _ := g.exponentWide(t, a, x[a], y[a])
		exponent = exponent.Sub(near).Sub(far)
	}
	if !(exponent.Hi > -700) {
		return
	}
	e := exponent.Exp().Mul(t.weight)
	*q = q.Add(e)
	if len(dTheta) == 0 {
		return
	}
	for a := range x {
		near, far, pull := g.exponentWide(t, a, x[a], y[a])
		b := min(a, len(dTheta)-1)
		slope := pull.Add(near.Ldexp(1)).Add(far.Ldexp(1).Mul(number(1).Sub(pull)))
		dTheta[b] = dTheta[b].Add(e.Mul(slope))
		*dEta = dEta.Add(e.Mul(far.Ldexp(1).Sub(number(1)).Mul(pull)))
	}
}

// exponentWide returns q_a/2S, c_a²/2u_a and eta²/u_a of one coordinate.
func (g *gaussian) exponentWide(t *wideTerm, a int, x, y float64) (near, far, pull dd.Number) {
	theta := g.lengthscale(a)
	d := dd.TwoSum(x, -y)
	c := number(y).Add(t.alpha.Mul(d))
	if t.same {
		c = dd.TwoSum(x, y).Ldexp(-1)
	}
	d = d.Div(number(theta))
	near = d.Mul(d).Div(t.sum).Ldexp(-1)
	eta2 := dd.TwoProd(g.eta, g.eta)
	u := t.harmonic.Mul(dd.TwoProd(theta, theta)).Add(eta2)
	return near, c.Mul(c).Div(u).Ldexp(-1), eta2.Div(u)
}
