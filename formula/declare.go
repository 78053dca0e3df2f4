package formula

import (
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
	if r.Family == "cumulative" {
		d.cut = r.cutpoints(m, b)
	} else if r.Design.Intercept {
		parts = append(parts, r.intercept(m, b))
	}
	for _, name := range r.family.extra {
		d.extra[name] = m.Positive(name, r.prior(name, name).declare())
	}
	for k := range r.Groups {
		r.Groups[k].declare(r, m, &parts)
	}
	d.eta = parts[0]
	for _, p := range parts[1:] {
		d.eta = d.eta.Add(p)
	}
	if d.eta.Len() == 1 { // an intercept alone
		ones := make([]float64, len(r.Y))
		d.eta = d.eta.Add(m.Values(ones))
	}
	y := m.Data("y", r.Y)
	if r.trials != nil {
		d.trials = m.Data("trials", r.trials)
	}
	m.Observe(y, r.family.dist(d))
}

// coefficients declares those of the design matrix, whose columns have mean 0 if there is an intercept.
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
	same := true
	for _, s := range slopes {
		same = same && r.prior("b", "b_"+s).Of == "b"
	}
	var b model.Expr
	if same && len(slopes) > 1 {
		b = m.Reals("b", len(slopes), r.prior("b", "b").declare())
		for j, s := range slopes {
			r.call(element("b", j), "b_"+s)
		}
	} else {
		var each []model.Expr
		for _, s := range slopes {
			each = append(each, m.Real("b_"+s, r.prior("b", "b_"+s).declare()))
		}
		b = model.Stack(each...)
	}
	*parts = append(*parts, m.Matrix("X", x).MatVec(b))
	return &b
}

// intercept declares the intercept at the means of the columns, and records it where all columns are 0.
func (r *Regression) intercept(m *model.Model, b *model.Expr) model.Expr {
	i := m.Real("Intercept", r.prior("Intercept", "Intercept").declare())
	r.call("Intercept", "")
	at0 := i
	if b != nil {
		at0 = i.Sub(m.Values(r.means).Dot(*b))
	}
	m.Quantity("b_Intercept", at0)
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
		at0 = cut.Add(m.Values(r.means).Dot(*b))
	}
	m.Quantity("b_Intercept", at0)
	for j := range n {
		r.call(element("Intercept", j), "")
	}
	return cut
}

// declare declares the effects of the groups.
func (g *Group) declare(r *Regression, m *model.Model, parts *[]model.Expr) {
	factor, index := m.Factor(g.Name, g.rows)
	names := g.Design.Names
	var effects []model.Expr
	if len(names) > 1 && g.Correlated {
		sd := m.Positives("sd_"+g.Name, len(names), r.prior("sd", "sd_"+g.Name).declare())
		l := m.CorrCholesky("L_"+g.Name, len(names), r.prior("cor", "cor").declare())
		effects = factor.Effects("r_"+g.Name, sd, l)
		all := l.Gram()
		for j, a := range names {
			r.call(element("sd_"+g.Name, j), "sd_"+g.Name+"__"+short(a))
			for i, b := range names[:j] {
				m.Quantity("cor_"+g.Name+"__"+short(b)+"__"+short(a), all.El(j, i))
			}
		}
	} else {
		for _, a := range names {
			sd := m.Positive("sd_"+g.Name+"__"+short(a), r.prior("sd", "sd_"+g.Name).declare())
			effects = append(effects, factor.Reals("r_"+g.Name+"__"+short(a), model.Normal(0, sd)))
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
