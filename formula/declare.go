package formula

import (
	"fmt"
	"math"

	"bayeskernel/model"

	"gonum.org/v1/gonum/mat"
)

// declare writes the regression as a model.
func (r *Regression) declare(m *model.Model) {
	d := &declared{extra: map[string]model.Expr{}}
	var parts []model.Expr
	if r.offset != nil {
		parts = append(parts, m.Data("offset", r.offset))
	}
	b := r.coefficients(m, &parts)
	switch {
	case r.Family == "cumulative":
		d.cut = r.cutpoints(m, b)
	case r.Design.Intercept:
		parts = append(parts, r.intercept(m, b))
	}
	r.callSlopes()
	for _, name := range r.family.extra {
		d.extra[name] = m.Positive(name, r.prior(name, name).declare())
		r.call(name, name)
	}
	for k := range r.Groups {
		r.Groups[k].declare(r, m, &parts)
	}
	for _, g := range r.Groups {
		g.callEffects(r)
	}
	d.eta = m.Values(make([]float64, len(r.Y)))
	if len(parts) > 0 {
		d.eta = parts[0]
	}
	for _, p := range parts[min(1, len(parts)):] {
		d.eta = d.eta.Add(p)
	}
	if d.eta.Len() == 1 { // an intercept alone
		d.eta = d.eta.Add(m.Values(make([]float64, len(r.Y))))
	}
	if r.trials != nil {
		d.trials = m.Data("trials", r.trials)
	}
	dist := r.family.dist(d)
	if r.censored != nil {
		dist = r.beyond(dist)
	}
	m.Observe(m.Data("y", r.Y), dist)
}

// beyond is a distribution of which censored rows are known to be at least as large as they are.
func (r *Regression) beyond(d model.Dist) model.Dist {
	lo, hi := make([]float64, len(r.Y)), make([]float64, len(r.Y))
	for i, c := range r.censored {
		lo[i], hi[i] = math.Inf(-1), math.Inf(1)
		if c == 1 {
			hi[i] = r.Y[i]
		}
	}
	return model.CensorAt(d, lo, hi)
}

// separately reports whether each slope has a parameter of its own, as it must if priors differ.
func (r *Regression) separately() bool {
	slopes := r.slopes()
	for _, s := range slopes {
		if r.prior("b", "b_"+s).Of != "b" {
			return true
		}
	}
	return len(slopes) == 1 && r.prior("b", "b").dist != "flat"
}

// coefficients declares those of the design matrix, whose columns have mean 0 if there is an intercept. It returns what
// they add up to at the means of the columns; nil if nothing.
func (r *Regression) coefficients(m *model.Model, parts *[]model.Expr) *model.Expr {
	slopes := r.slopes()
	if len(slopes) == 0 {
		return nil
	}
	n, d := r.X.Dims()
	x := mat.NewDense(n, len(slopes), nil)
	for j := range slopes {
		for i := range n {
			v := r.X.At(i, j+d-len(slopes))
			if r.means != nil {
				v -= r.means[j]
			}
			x.Set(i, j, v)
		}
	}
	var b model.Expr
	if prior := r.prior("b", "b"); prior.dist == "flat" && !r.separately() {
		// A flat prior stays flat in other units: the sampler starts where all coefficients are of one size.
		per := scaleColumns(x)
		b = m.Reals("b_scaled", len(slopes), prior.declare())
		m.Quantity("b", b.Mul(m.Values(per)))
		means := make([]float64, len(per))
		for j := range r.means {
			means[j] = r.means[j] * per[j]
		}
		*parts = append(*parts, m.Matrix("X", x).MatVec(b))
		at0 := m.Values(means).Dot(b)
		return &at0
	}
	if r.separately() {
		var each []model.Expr
		for _, s := range slopes {
			each = append(each, m.Real("b_"+s, r.prior("b", "b_"+s).declare()))
		}
		b = model.Stack(each...)
	} else {
		b = m.Reals("b", len(slopes), r.prior("b", "b").declare())
	}
	*parts = append(*parts, m.Matrix("X", x).MatVec(b))
	if r.means == nil {
		return nil
	}
	at0 := m.Values(r.means).Dot(b)
	return &at0
}

// scaleColumns divides the columns by their standard deviations, or root mean squares where the mean is not 0, and
// returns the inverses of these.
func scaleColumns(x *mat.Dense) []float64 {
	n, d := x.Dims()
	per := make([]float64, d)
	for j := range d {
		c := mat.Col(nil, j, x)
		size := mat.Norm(mat.NewVecDense(n, c), 2) / math.Sqrt(float64(n))
		per[j] = 1 / size
		for i := range n {
			x.Set(i, j, c[i]/size)
		}
	}
	return per
}

// callSlopes reports the coefficients after the intercept.
func (r *Regression) callSlopes() {
	for j, s := range r.slopes() {
		if r.separately() {
			r.call("b_"+s, "b_"+s)
		} else {
			r.call(element("b", j), "b_"+s)
		}
	}
}

// intercept declares the intercept at the means of the columns, and records it where all columns are 0.
func (r *Regression) intercept(m *model.Model, b *model.Expr) model.Expr {
	i := m.Real("Intercept", r.prior("Intercept", "Intercept").declare())
	at0 := i
	if b != nil {
		at0 = i.Sub(*b)
	}
	m.Quantity("b_Intercept", at0)
	r.call("b_Intercept", "b_Intercept")
	return i
}

// cutpoints declares the thresholds of ordered categories.
func (r *Regression) cutpoints(m *model.Model, b *model.Expr) model.Expr {
	k := 0.0
	for _, y := range r.Y {
		k = max(k, y)
	}
	n := int(k) - 1
	cut := m.Ordered("Intercept", n, r.prior("Intercept", "Intercept").declare())
	at0 := cut
	if b != nil {
		at0 = cut.Add(*b)
	}
	m.Quantity("b_Intercept", at0)
	for j := range n {
		r.call(element("b_Intercept", j), element("b_Intercept", j))
	}
	return cut
}

// together reports whether the coefficients of a group are correlated.
func (g *Group) together() bool { return g.Correlated && len(g.Design.Names) > 1 }

// declare declares the effects of the groups.
func (g *Group) declare(r *Regression, m *model.Model, parts *[]model.Expr) {
	factor, index := m.Factor(g.Name, g.rows)
	g.labels = factor.Labels()
	names := g.Design.Names
	var effects []model.Expr
	if g.together() {
		sd := m.Positives("sd_"+g.Name, len(names), r.prior("sd", "sd_"+g.Name).declare())
		l := m.CorrCholesky("L_"+g.Name, len(names), r.prior("cor", "cor").declare())
		effects = factor.Effects("r_"+g.Name, sd, l)
		for j, a := range names {
			r.call(element("sd_"+g.Name, j), "sd_"+g.Name+"__"+short(a))
		}
		all := l.Gram()
		for j, a := range names {
			for i, b := range names[:j] {
				cor := "cor_" + g.Name + "__" + short(b) + "__" + short(a)
				m.Quantity(cor, all.El(j, i))
				r.call(cor, cor)
			}
		}
	} else {
		for _, a := range names {
			sd := "sd_" + g.Name + "__" + short(a)
			effects = append(effects, factor.Reals("r_"+g.Name+"__"+short(a),
				model.Normal(0, m.Positive(sd, r.prior("sd", "sd_"+g.Name).declare()))))
			r.call(sd, sd)
		}
	}
	for j, e := range effects {
		of := e.Of(index)
		if names[j] != "(Intercept)" {
			of = of.Mul(m.Data("Z_"+g.Name+"_"+short(names[j]), mat.Col(nil, j, g.z)))
		}
		*parts = append(*parts, of)
	}
}

// callEffects reports the effects of the groups after all else.
func (g *Group) callEffects(r *Regression) {
	for j, a := range g.Design.Names {
		vector := fmt.Sprintf("r_%s_%d", g.Name, j+1)
		if !g.together() {
			vector = "r_" + g.Name + "__" + short(a)
		}
		for i, l := range g.labels {
			r.call(element(vector, i), fmt.Sprintf("r_%s[%s,%s]", g.Name, l, short(a)))
		}
	}
}
