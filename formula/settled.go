package formula

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// settles is how many times the variance of a coefficient over levels is that of its estimate within one, from which on the
// effects that vary together are sampled themselves, and not standardised: given all else, nine tenths of what is known of an
// effect then comes from the rows of its level, as with fullLevel.
const settles = 10

// settled reports of each coefficient of a group whether the rows of a level settle its effect: moments of least squares
// within the levels, for responses that are normal given the sum of terms, or their logs.
func (r *Regression) settled(g *Group, columns *mat.Dense) []bool {
	q := len(g.Design.Names)
	out := make([]bool, q)
	full := len(g.rows) >= fullLevel*len(g.labels)
	for k := range out {
		out[k] = full
	}
	e := r.rest()
	if full || e == nil {
		return out
	}
	of := map[string][]int{}
	for i, level := range g.rows {
		of[level] = append(of[level], i)
	}
	squares, left := 0.0, 0 // within levels, and their degrees of freedom
	var effects [][]float64
	inverse := mat.NewSymDense(q, nil) // the mean of (Z'Z)^-1
	for _, level := range g.labels {
		rows := of[level]
		if len(rows) <= q {
			return out
		}
		z, y := mat.NewDense(len(rows), q, nil), mat.NewVecDense(len(rows), nil)
		for i, row := range rows {
			z.SetRow(i, columns.RawRowView(row))
			y.SetVec(i, e[row])
		}
		gram := mat.NewSymDense(q, nil)
		gram.SymOuterK(1, z.T())
		var chol mat.Cholesky
		if !chol.Factorize(gram) || chol.Cond() > 1e12 {
			return out // a level without a slope of its own
		}
		var zy, b mat.VecDense
		zy.MulVec(z.T(), y)
		var own mat.SymDense
		if chol.SolveVecTo(&b, &zy) != nil || chol.InverseTo(&own) != nil {
			return out
		}
		var fit mat.VecDense
		fit.MulVec(z, &b)
		fit.SubVec(y, &fit)
		squares, left = squares+mat.Dot(&fit, &fit), left+len(rows)-q
		own.ScaleSym(1/float64(len(g.labels)), &own)
		inverse.AddSym(inverse, &own)
		effects = append(effects, b.RawVector().Data)
	}
	noise := squares / float64(left)
	spread := mat.NewSymDense(q, nil)
	for k := range q {
		for j := range k + 1 {
			spread.SetSym(k, j, covariance(effects, k, j)-noise*inverse.At(k, j))
		}
	}
	// Each effect is declared given those before it.
	var given mat.Cholesky
	if !given.Factorize(spread) {
		return out
	}
	var l mat.TriDense
	given.LTo(&l)
	for k := range out {
		out[k] = l.At(k, k)*l.At(k, k) > settles*noise*inverse.At(k, k)
	}
	return out
}

// covariance is that of two columns of rows.
func covariance(rows [][]float64, k, j int) float64 {
	n, a, b, sum := 0.0, 0.0, 0.0, 0.0
	for _, row := range rows {
		n++
		d := row[k] - a
		a += d / n
		b += (row[j] - b) / n
		sum += d * (row[j] - b)
	}
	return sum / (n - 1)
}

// rest is what least squares of the terms without groups leave of the response, or of its logs; nil for other families.
func (r *Regression) rest() []float64 {
	if r.family.link != identity || r.censored != nil {
		return nil
	}
	e := mat.NewVecDense(len(r.Y), nil)
	for i, y := range r.Y {
		if r.Family == "lognormal" {
			y = math.Log(y)
		}
		if r.offset != nil {
			y -= r.offset[i]
		}
		e.SetVec(i, y)
	}
	if r.X == nil {
		return e.RawVector().Data
	}
	var b, fit mat.VecDense
	if err := b.SolveVec(r.X, e); err != nil {
		return nil
	}
	fit.MulVec(r.X, &b)
	e.SubVec(e, &fit)
	return e.RawVector().Data
}
