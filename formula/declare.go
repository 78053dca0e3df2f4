package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/model"

	"gonum.org/v1/gonum/mat"
)

// declare writes the regression as a model. With weights the log densities of the rows are multiplied by them, and there is
// no observation of which they are a part.
func (r *Regression) declare(m *model.Model, weights []float64) {
	d := &declared{m: m, extra: map[string]model.Expr{}, counts: r.trials}
	for g := range r.Groups {
		r.Groups[g].prepare(r)
	}
	nested := r.nesting()
	sums := make([]adding, len(r.predictors))
	for k, of := range r.predictors {
		s := &sums[k]
		if r.offset != nil {
			s.add(m.Data("offset"+under(of), scaled(r.offset, 1/r.size)))
		}
		b := r.coefficients(m, of, s)
		if nested.fine() < 0 {
			s.addColumns(m, of, s.x)
		}
		switch {
		case r.Family == "cumulative":
			d.cut = r.cutpoints(m, b)
		case r.Design.Intercept:
			i := r.intercept(m, of, b)
			if s.intercept = &i; nested.fine() < 0 {
				s.add(i)
			}
		}
		r.callSlopes(of)
		r.lines(m, of, &s.parts)
	}
	for _, name := range r.family.extra {
		prior, unit := r.prior(name, name), 1.0
		if name == "sigma" {
			unit = r.size
		}
		if name == "zi" {
			d.extra[name] = m.Interval(name, 0, 1, prior.declare())
		} else {
			d.extra[name] = m.Positive(name, prior.declareIn(0, unit))
		}
		r.callIn(name, name, 0, unit)
	}
	for k, of := range r.predictors {
		r.declareGroups(m, of, &sums[k], nested)
		r.declareSmooths(m, of, &sums[k].parts)
	}
	r.main = len(r.called)
	for _, of := range r.predictors {
		for _, g := range r.Groups {
			g.callEffects(r, of)
		}
		r.callSmooths(of)
	}
	for _, s := range sums {
		parts := s.parts
		eta := m.Values(make([]float64, len(r.Y)))
		if len(parts) > 0 {
			eta = parts[0]
		}
		for _, p := range parts[min(1, len(parts)):] {
			eta = eta.Add(p)
		}
		if eta.Len() == 1 { // an intercept alone
			eta = eta.Add(m.Values(make([]float64, len(r.Y))))
		}
		d.etas = append(d.etas, eta)
	}
	d.eta = d.etas[0]
	if r.trials != nil {
		d.trials = m.Data("trials", r.trials)
	}
	if weights != nil {
		m.AddLogDensity(r.family.log(d, r.response0()).Mul(m.Data("weights", weights)).Sum())
		return
	}
	dist := r.family.dist(d)
	if r.censored != nil {
		dist = r.beyond(dist)
	}
	m.Observe(m.Data("y", r.response0()), dist)
}

// scaled are some numbers times another.
func scaled(v []float64, by float64) []float64 {
	if by == 1 {
		return v
	}
	out := make([]float64, len(v))
	for i := range v {
		out[i] = v[i] * by
	}
	return out
}

// under puts a line between a name and the predictor that it belongs to.
func under(predictor string) string {
	if predictor == "" {
		return ""
	}
	return "__" + predictor[:len(predictor)-1]
}

// beyond is a distribution of which censored rows are known to be at least as large as they are.
func (r *Regression) beyond(d model.Dist) model.Dist {
	lo, hi := make([]float64, len(r.Y)), make([]float64, len(r.Y))
	for i, c := range r.censored {
		lo[i], hi[i] = math.Inf(-1), math.Inf(1)
		if c == 1 {
			hi[i] = (r.Y[i] - r.level) / r.size
		}
	}
	return model.CensorAt(d, lo, hi)
}

// separately reports whether each slope has a parameter of its own, as it must if priors differ.
func (r *Regression) separately() bool {
	slopes := r.slopes()
	for _, p := range r.Priors {
		if strings.HasPrefix(p.Of, "b_") && !strings.HasSuffix(p.Of, "_Intercept") {
			return true
		}
	}
	return len(slopes) == 1 && r.prior("b", "b").dist != "flat"
}

// coefficients declares those of the design matrix, whose columns have mean 0 if there is an intercept, and leaves both in the sum. It
// returns what they add up to at the means of the columns; nil if nothing.
func (r *Regression) coefficients(m *model.Model, of string, s *adding) *model.Expr {
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
		b = m.Reals("b"+under(of)+"_scaled", len(slopes), prior.declare())
		m.Quantity("b"+under(of), b.Mul(m.Values(scaled(per, r.size))))
		means := make([]float64, len(per))
		for j := range r.means {
			means[j] = r.means[j] * per[j]
		}
		s.x, s.b = x, &b
		at0 := m.Values(means).Dot(b)
		return &at0
	}
	per := columnUnits(x)
	x = divideColumns(x, per)
	ordinary := slices.Max(per) == 1 && slices.Min(per) == 1 && r.size == 1
	if ordinary && !r.separately() {
		b = m.Reals("b"+under(of), len(slopes), r.prior("b", "b").declare())
	} else {
		var each []model.Expr
		for j, a := range slopes {
			each = append(each, m.Real("b_"+of+a, r.prior("b", "b_"+of+a).declareIn(0, r.size/per[j])))
		}
		b = model.Stack(each...)
	}
	r.per = per
	s.x, s.b = x, &b
	if r.means == nil {
		return nil
	}
	means := make([]float64, len(per))
	for j := range means {
		means[j] = r.means[j] / per[j]
	}
	at0 := m.Values(means).Dot(b)
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
func (r *Regression) callSlopes(of string) {
	for j, s := range r.slopes() {
		flat := r.prior("b", "b").dist == "flat" && !r.separately()
		switch {
		case flat:
			r.call(element("b"+under(of), j), "b_"+of+s)
		case r.separately() || r.size != 1 || slices.Max(r.per) != 1 || slices.Min(r.per) != 1:
			r.callIn("b_"+of+s, "b_"+of+s, 0, r.size/r.per[j])
		default:
			r.call(element("b"+under(of), j), "b_"+of+s)
		}
	}
}

// intercept declares the intercept at the means of the columns, and records it where all columns are 0.
func (r *Regression) intercept(m *model.Model, of string, b *model.Expr) model.Expr {
	i := m.Real("Intercept"+under(of), r.prior("Intercept", "b_"+of+"Intercept").declareIn(r.level, r.size))
	at0 := i
	if b != nil {
		at0 = i.Sub(*b)
	}
	name := "b_" + of + "Intercept"
	m.Quantity(name, at0)
	r.callIn(name, name, r.level, r.size)
	return i
}

// lines declares the coefficients of the lines of smooth terms.
func (r *Regression) lines(m *model.Model, of string, parts *[]model.Expr) {
	for _, s := range r.Smooths {
		name := "bs_" + of + s.Name + "_1"
		*parts = append(*parts, m.Data("line_"+of+s.Name, s.line).Mul(m.Real(name, r.prior("b", name).declareIn(0, r.size))))
		r.callIn(name, name, 0, r.size)
	}
}

// declareSmooths declares what bends the lines of smooth terms.
func (r *Regression) declareSmooths(m *model.Model, of string, parts *[]model.Expr) {
	for _, s := range r.Smooths {
		_, k := s.rows.Dims()
		sd := "sds_" + of + s.Name + "_1"
		bend := m.Reals("s_"+of+s.Name+"_1", k, model.Normal(0, m.Positive(sd, r.prior("sds", sd).declareIn(0, r.size))))
		r.callIn(sd, sd, 0, r.size)
		*parts = append(*parts, m.Matrix("Z_"+of+s.Name, s.rows).MatVec(bend))
	}
}

// callSmooths reports the coefficients of what bends the lines.
func (r *Regression) callSmooths(of string) {
	for _, s := range r.Smooths {
		_, k := s.rows.Dims()
		for j := range k {
			name := element("s_"+of+s.Name+"_1", j)
			r.callIn(name, name, 0, r.size)
		}
	}
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

// prepare finds the columns of the program.
func (g *Group) prepare(r *Regression) {
	g.per = columnUnits(g.z)
	g.columns, g.origin = divideColumns(g.z, g.per), nil
	if g.together() {
		g.origin = r.origins(g, g.columns)
	}
	g.columns = minusRow(g.columns, g.origin)
}

// dimension is what the program calls the levels: the name of the group, unless something else may have it.
func (g *Group) dimension() string {
	switch g.Name {
	case "y", "b", "X", "Intercept", "trials", "weights", "offset", "sigma", "nu", "phi", "shape", "zi":
		return g.Name + "_levels"
	}
	return g.Name
}

// factor declares the levels, unless another term of the same group has.
func (g *Group) factor(r *Regression, m *model.Model) over {
	over, ok := r.factors[g.Name]
	if !ok {
		over.factor, over.index = m.Factor(g.dimension(), g.rows)
		r.factors[g.Name] = over
	}
	g.labels = over.factor.Labels()
	return over
}

// declare declares the effects of the groups, and returns those on each column.
func (g *Group) declare(r *Regression, m *model.Model, of string, known [][]float64) []model.Expr {
	factor := g.factor(r, m).factor
	names := g.Design.Names
	var effects []model.Expr
	if g.together() {
		sd := g.deviations(r, m, of)
		l := m.CorrCholesky("L_"+g.Name+under(of), len(names), r.prior("cor", "cor").declare())
		if known != nil {
			effects = g.given(m, factor, "r_"+g.Name+under(of), sd, l, known)
		} else {
			effects = factor.Effects("r_"+g.Name+under(of), sd, l)
		}
		all := l.Gram()
		cor := func(j, i int) model.Expr { return all.El(j, i) }
		if g.origin != nil {
			cor = g.shift(r, m, of, sd, l, effects)
		}
		for j, a := range names {
			for i, b := range names[:j] {
				name := "cor_" + g.Name + "__" + of + short(b) + "__" + of + short(a)
				m.Quantity(name, cor(j, i))
				r.call(name, name)
			}
		}
	} else {
		for j, a := range names {
			sd, name, unit := "sd_"+g.Name+"__"+of+short(a), "r_"+g.Name+"__"+of+short(a), r.size/g.per[j]
			scale := m.Positive(sd, r.groupPrior(g, sd).declareIn(0, unit))
			if known != nil {
				effects = append(effects, coordinates(factor, name, nil, scale, m.Values(known[j])))
				m.Quantity(name, effects[j])
			} else {
				effects = append(effects, factor.Reals(name, model.Normal(0, scale)))
			}
			r.callIn(sd, sd, 0, unit)
		}
	}
	return effects
}

// part is what an effect on a column adds to the sum of terms.
func (g *Group) part(r *Regression, m *model.Model, of string, j int, e model.Expr) model.Expr {
	part := e.Of(g.factor(r, m).index)
	if a := g.Design.Names[j]; a != "(Intercept)" {
		part = part.Mul(m.Data("Z_"+g.Name+"_"+of+short(a), mat.Col(nil, j, g.columns)))
	}
	return part
}

// given declares effects that vary together each given those before it, as Factor.Effects does, in coordinates that fit what is known of
// each.
func (g *Group) given(m *model.Model, f *model.Factor, name string, sd model.Expr, l model.Mat, known [][]float64) []model.Expr {
	var out, z []model.Expr
	k, _ := l.Dims()
	for i := range k {
		scale := sd.El(i).Mul(l.El(i, i))
		var mean *model.Expr
		for j := range i {
			part := sd.El(i).Mul(l.El(i, j)).Mul(z[j])
			if mean != nil {
				part = mean.Add(part)
			}
			mean = &part
		}
		called := fmt.Sprintf("%s_%d", name, i+1)
		b := coordinates(f, called, mean, scale, m.Values(known[i]))
		m.Quantity(called, b)
		out = append(out, b)
		if mean != nil {
			b = b.Sub(*mean)
		}
		z = append(z, b.Div(scale))
	}
	return out
}

// deviations declares the standard deviations of coefficients that vary together: one by one if their priors differ.
func (g *Group) deviations(r *Regression, m *model.Model, of string) model.Expr {
	prior := r.prior("sd", "sd_"+g.Name)
	var each []model.Expr
	apart := false
	for j, a := range g.Design.Names {
		name := "sd_" + g.Name + "__" + of + short(a)
		apart = apart || r.groupPrior(g, name).Of == name || g.per[j] != 1 || g.origin != nil
	}
	vector := "sd_" + g.Name + under(of)
	for j, a := range g.Design.Names {
		name := "sd_" + g.Name + "__" + of + short(a)
		if !apart {
			r.callIn(element(vector, j), name, 0, r.size)
			continue
		}
		unit := r.size / g.per[j]
		if j == 0 && g.origin != nil {
			each = append(each, m.Positive(name+atOrigin, priorDists["flat"].dist(nil)))
		} else {
			each = append(each, m.Positive(name, r.groupPrior(g, name).declareIn(0, unit)))
		}
		r.callIn(name, name, 0, unit)
	}
	if apart {
		return model.Stack(each...)
	}
	return m.Positives(vector, len(g.Design.Names), prior.declareIn(0, r.size))
}

// callEffects reports the effects of the groups after all else.
func (g *Group) callEffects(r *Regression, of string) {
	for j, a := range g.Design.Names {
		vector := fmt.Sprintf("r_%s_%d", g.Name+under(of), j+1)
		if !g.together() {
			vector = "r_" + g.Name + "__" + of + short(a)
		} else if j == 0 && g.origin != nil {
			vector += at0
		}
		for i, l := range g.labels {
			r.callIn(element(vector, i), g.effect(of, l, a), 0, r.size/g.per[j])
		}
	}
}

// effect is what the deviation of a level is called in reports, as brms calls it.
func (g *Group) effect(of, level, column string) string {
	return fmt.Sprintf("r_%s[%s,%s]", g.Name+under(of), level, short(column))
}
