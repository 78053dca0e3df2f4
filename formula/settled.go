package formula

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// settles is how many times the variance of a coefficient over levels is that of its estimate within one, from which on the
// effects are sampled themselves, and not standardised: nine tenths of what is known of an effect then comes from the rows of its
// level. With fullLevel rows, no moments are asked.
const settles = 10

// settled reports of each coefficient of a group, whose columns are in these units, whether the rows of a level settle its effect:
// moments of least squares within the levels, for responses that are normal given the sum of terms, or their logs.
func (r *Regression) settled(g *Group, columns *mat.Dense) []bool {
	q := len(g.Design.Names)
	out := make([]bool, q)
	if g.full() {
		for k := range out {
			out[k] = true
		}
		return out
	}
	e := r.rest()
	if e == nil {
		return out
	}
	for k := range r.Groups {
		if h := &r.Groups[k]; h.Name != g.Name && (h.within(g) || g.within(h)) {
			return out // the two share what the rows say
		}
	}
	of := map[string][]int{}
	for i, level := range g.rows {
		of[level] = append(of[level], i)
	}
	squares, left := 0.0, 0 // within levels, and their degrees of freedom
	var effects [][]float64
	inverse := mat.NewSymDense(q, nil) // the mean of (Z'Z)^-1
	for _, level := range g.Levels {
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
		own.ScaleSym(1/float64(len(g.Levels)), &own)
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
	// Each effect is declared given those before it. What moments take to be no variance is none.
	l := mat.NewDense(q, q, nil)
	for k := range q {
		left := spread.At(k, k)
		for j := range k {
			if l.At(j, j) == 0 {
				continue
			}
			v := spread.At(k, j)
			for i := range j {
				v -= l.At(k, i) * l.At(j, i)
			}
			l.Set(k, j, v/l.At(j, j))
			left -= l.At(k, j) * l.At(k, j)
		}
		l.Set(k, k, math.Sqrt(max(left, 0)))
		out[k] = left > settles*noise*inverse.At(k, k)
	}
	return out
}

// within reports whether each level of h has rows of one level of g alone.
func (h *Group) within(g *Group) bool {
	of := map[string]string{}
	for i, level := range h.rows {
		if before, ok := of[level]; ok && before != g.rows[i] {
			return false
		}
		of[level] = g.rows[i]
	}
	return true
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
