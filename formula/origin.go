package formula

import (
	"math"

	"bayeskernel/model"

	"gonum.org/v1/gonum/mat"
)

// Where the columns of coefficients that vary together lie far from 0, the intercept of a level at 0 is far from its data, and
// goes with the slopes. The program counts from an origin m within the data: with u' the effects there,
//
//	u_0 = u'_0 - m_1 u'_1 - m_2 u'_2 - ...,   u_k = u'_k.
//
// The priors stay those of standard deviations and correlations at 0. The covariance there is a linear function, of determinant 1, of that
// at the origin, and |d covariance / d(sd, cor)| is 2^K times the product of sd_k^K. So the density of (sd', cor') is
//
//	p(sd_0) p(sd_1) ... lkj(cor) (sd'_0/sd_0)^K,   det cor = det cor' (sd'_0/sd_0)².

const (
	atOrigin = "_at_origin" // ends the name of the standard deviation of the intercept there
	at0      = "_at_0"      // and those of intercepts where the columns are 0
)

// farColumns is how many standard deviations the mean of a column is from 0 at least where an origin is chosen.
const farColumns = 1

// origins are what is taken from the columns of a group, or nil.
func (r *Regression) origins(g *Group, z *mat.Dense) []float64 {
	if r.plain || !g.Design.Intercept || r.logPrior(g, "sd_"+g.Name+"__Intercept") == nil {
		return nil
	}
	n, d := z.Dims()
	out, any := make([]float64, d), false
	for k := 1; k < d; k++ {
		c := mat.Col(nil, k, z)
		mean := mat.Sum(mat.NewVecDense(n, c)) / float64(n)
		if math.Abs(mean) > farColumns*math.Sqrt(variance(c)) {
			out[k], any = mean, true
		}
	}
	if !any {
		return nil
	}
	return out
}

// minusRow takes a row from all rows; nil is no row.
func minusRow(z *mat.Dense, row []float64) *mat.Dense {
	if row == nil || z == nil {
		return z
	}
	out := mat.DenseCopyOf(z)
	out.Apply(func(_, j int, v float64) float64 { return v - row[j] }, z)
	return out
}

// shift declares what is known of the intercept at 0: its standard deviation with its prior, and its effects. It returns the correlations.
func (g *Group) shift(r *Regression, m *model.Model, of string, sd model.Expr, l model.Mat, effects []model.Expr) func(j, i int) model.Expr {
	k := len(effects)
	w := make([]model.Expr, k) // the row of the factor of the covariance at 0
	for j := range k {
		for i := j; i < k; i++ {
			part := sd.El(i).Mul(l.El(i, j))
			switch {
			case i == 0:
				w[j] = part
			case i == j && j > 0:
				w[j] = part.Scale(-g.origin[i])
			default:
				w[j] = w[j].Sub(part.Scale(g.origin[i]))
			}
		}
	}
	squares := w[0].Square()
	for _, v := range w[1:] {
		squares = squares.Add(v.Square())
	}
	sd0 := squares.Sqrt()
	name := "sd_" + g.Name + "__" + of + "Intercept"
	m.Quantity(name, sd0)
	power := float64(k) + 2*(r.prior("cor", "cor").args[0]-1)
	m.AddLogDensity(r.logPrior(g, name)(sd0).Add(sd.El(0).Log().Sub(sd0.Log()).Scale(power)))
	u := effects[0]
	for i := 1; i < k; i++ {
		u = u.Sub(effects[i].Scale(g.origin[i]))
	}
	m.Quantity("r_"+g.Name+under(of)+"_1"+at0, u)
	all := l.Gram()
	return func(j, i int) model.Expr {
		if i > 0 {
			return all.El(j, i)
		}
		sum := w[0].Mul(l.El(j, 0))
		for c := 1; c <= j; c++ {
			sum = sum.Add(w[c].Mul(l.El(j, c)))
		}
		return sum.Div(sd0)
	}
}

// logPrior is the log of the prior of a standard deviation, but for a constant; nil for distributions that are not there.
func (r *Regression) logPrior(g *Group, name string) func(model.Expr) model.Expr {
	p, _ := r.groupPrior(g, name).in(0, r.size/g.per[0])
	a := p.args
	normal := func(x model.Expr, mean, sd float64) model.Expr { return x.Shift(-mean).Scale(1 / sd).Square() }
	switch p.dist {
	case "student_t":
		return func(x model.Expr) model.Expr {
			return normal(x, a[1], a[2]).Scale(1 / a[0]).Log1p().Scale(-(a[0] + 1) / 2)
		}
	case "cauchy":
		return func(x model.Expr) model.Expr { return normal(x, a[0], a[1]).Log1p().Neg() }
	case "normal":
		return func(x model.Expr) model.Expr { return normal(x, a[0], a[1]).Scale(-.5) }
	case "exponential":
		return func(x model.Expr) model.Expr { return x.Scale(-a[0]) }
	}
	return nil
}
