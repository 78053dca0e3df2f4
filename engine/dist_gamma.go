package engine

import (
	"math"

	"bayeskernel/internal/density"
)

// gammaForm says how a family is a gamma distribution, of shape a and rate b, of a function u of its
// values.
type gammaForm struct {
	u func(y float64, p *density.Params) float64 // nil: the value itself
	// jacobian is log |du/dy|.
	jacobian func(y float64) float64
	at       func(p *density.Params) (a, b float64)
	// back adds derivatives in a and b to those in the parameters.
	back func(p *density.Params, da, db float64, g *density.Grad)
	// shape is the place of the one parameter that a depends on, -1 if it is 1; fixed that of a
	// parameter that must be data.
	shape, fixed int
}

func reciprocal(y float64, _ *density.Params) float64 { return 1 / y }
func none(float64) float64                            { return 0 }
func ofReciprocal(y float64) float64                  { return -2 * density.LogOf(y) }

func shapeRate(p *density.Params) (a, b float64) { return p[0], p[1] }
func toShapeRate(_ *density.Params, da, db float64, g *density.Grad) {
	g[1] += da
	g[2] += db
}

func halves(p *density.Params) (a, b float64) { return p[0] / 2, 0.5 }
func toHalves(_ *density.Params, da, _ float64, g *density.Grad) {
	g[1] += da / 2
}

// gammaForms are the families with such a form.
var gammaForms = map[string]gammaForm{
	"gamma":          {nil, none, shapeRate, toShapeRate, 0, -1},
	"inv_gamma":      {reciprocal, ofReciprocal, shapeRate, toShapeRate, 0, -1},
	"chi_square":     {nil, none, halves, toHalves, 0, -1},
	"inv_chi_square": {reciprocal, ofReciprocal, halves, toHalves, 0, -1},
	"scaled_inv_chi_square": {reciprocal, ofReciprocal,
		func(p *density.Params) (a, b float64) { return p[0] / 2, p[0] * p[1] * p[1] / 2 },
		func(p *density.Params, da, db float64, g *density.Grad) {
			g[1] += da/2 + db*p[1]*p[1]/2
			g[2] += db * p[0] * p[1]
		}, 0, -1},
	"exponential": {nil, none,
		func(p *density.Params) (a, b float64) { return 1, p[0] },
		func(_ *density.Params, _, db float64, g *density.Grad) { g[1] += db }, -1, -1},
	"rayleigh": {func(y float64, _ *density.Params) float64 { return y * y / 2 }, density.LogOf,
		func(p *density.Params) (a, b float64) { return 1, 1 / (p[0] * p[0]) },
		func(p *density.Params, _, db float64, g *density.Grad) {
			g[1] -= 2 * db / (p[0] * p[0] * p[0])
		}, -1, -1},
	"pareto": {func(y float64, p *density.Params) float64 { return math.Log(y / p[0]) },
		func(y float64) float64 { return -math.Log(y) },
		func(p *density.Params) (a, b float64) { return 1, p[1] },
		func(_ *density.Params, _, db float64, g *density.Grad) { g[2] += db }, -1, 0},
}

// gammaTerm is univariateTerm of data whose family has such a form: the sum of
//
//	a log b - log Gamma(a) + (a-1) log u - b u.
//
// With numbers for parameters it needs the sums of u and of log u alone. With one shape for all rows
// the logs of the rates are that of a product.
type gammaTerm struct {
	*univariateTerm
	form          gammaForm
	u, logs       []float64 // by rows, where they are needed
	sumU, sumLogs float64
	jacobian      float64
}

// gamma returns the term of a family with a gamma form, nil where it has none.
func (t *univariateTerm) gamma() Term {
	form, ok := gammaForms[t.f.Name]
	if !ok || t.cut != nil || t.y == nil || t.dy != nil || form.fixed >= 0 && t.da[form.fixed] != nil {
		return nil
	}
	out := &gammaTerm{univariateTerm: t, form: form}
	rows := form.shape >= 0 && t.mask[form.shape] != 0
	if rows {
		out.logs = make([]float64, len(t.y))
	}
	if !t.same {
		out.u = t.y
		if form.u != nil {
			out.u = make([]float64, len(t.y))
		}
	}
	for i, y := range t.y {
		t.params(&t.p, i)
		u := y
		if form.u != nil {
			u = form.u(y, &t.p)
		}
		l := density.LogOf(u)
		if !(u >= 0 && u <= math.MaxFloat64) || form.shape >= 0 && u == 0 {
			return nil
		}
		out.sumU += u
		if form.shape >= 0 {
			out.sumLogs += l
		}
		out.jacobian += form.jacobian(y)
		if form.u != nil && out.u != nil {
			out.u[i] = u
		}
		if rows {
			out.logs[i] = l
		}
	}
	if math.IsInf(out.jacobian, 0) || math.IsNaN(out.jacobian) {
		return nil
	}
	return out
}

func (t *gammaTerm) Add() float64 {
	p := &t.p
	if !t.params(p, 0) {
		return math.Inf(-1)
	}
	switch {
	case t.same:
		return t.numbers(p)
	case t.logs == nil:
		return t.oneShape(p)
	}
	return t.byRows(p)
}

func (t *gammaTerm) numbers(p *density.Params) float64 {
	n := float64(len(t.y))
	a, b := t.form.at(p)
	lg, psi := density.Lgamma(a)
	lb := math.Log(b)
	t.g = density.Grad{}
	t.form.back(p, n*(lb-psi)+t.sumLogs, n*a/b-t.sumU, &t.g)
	for k := range t.k {
		if d := t.da[k]; d != nil {
			d[0] += t.g[k+1]
		}
	}
	return t.base + t.jacobian + n*(a*lb-lg) + (a-1)*t.sumLogs - b*t.sumU
}

// oneShape has one shape, and rates by rows.
func (t *gammaTerm) oneShape(p *density.Params) float64 {
	n := float64(len(t.y))
	a, _ := t.form.at(p)
	lg, psi := density.Lgamma(a)
	product, logs, bu := 1.0, 0.0, 0.0
	t.sum = density.Grad{}
	g := &t.g
	for i, u := range t.u {
		if !t.params(p, i) {
			return math.Inf(-1)
		}
		_, b := t.form.at(p)
		if q := product * b; q > smallProduct && q < largeProduct {
			product = q
		} else {
			product, logs = carry(product, b, logs)
		}
		bu += b * u
		*g = density.Grad{}
		t.form.back(p, 0, a/b-u, g)
		t.push(i, g)
	}
	logs += math.Log(product)
	t.form.back(p, logs-n*psi+t.sumLogs, 0, &t.sum)
	t.addSums()
	return t.base + t.jacobian + a*logs - n*lg + (a-1)*t.sumLogs - bu
}

func (t *gammaTerm) byRows(p *density.Params) float64 {
	lp := t.base + t.jacobian
	t.sum = density.Grad{}
	g := &t.g
	for i, u := range t.u {
		if !t.params(p, i) {
			return math.Inf(-1)
		}
		a, b := t.form.at(p)
		lg, psi := density.Lgamma(a)
		lb := math.Log(b)
		lp += a*lb - lg + (a-1)*t.logs[i] - b*u
		*g = density.Grad{}
		t.form.back(p, lb-psi+t.logs[i], a/b-u, g)
		t.push(i, g)
	}
	t.addSums()
	return lp
}

// push adds the derivatives of row i: those in numbers to the sums.
func (t *univariateTerm) push(i int, g *density.Grad) {
	for k := range t.k {
		if t.mask[k] == 0 {
			t.sum[k+1] += g[k+1]
		} else if t.da[k] != nil {
			t.da[k][i] += g[k+1]
		}
	}
}

// addSums adds the sums of derivatives to those in numbers.
func (t *univariateTerm) addSums() {
	for k := range t.k {
		if d := t.da[k]; d != nil && t.mask[k] == 0 {
			d[0] += t.sum[k+1]
		}
	}
}
