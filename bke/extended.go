package bke

import (
	"math"

	"bayeskernel/internal/dd"
)

// extended is the workspace of covariance in about 32 digits. It is used if R + cI is so nearly
// singular that double precision cannot resolve its determinant and inverse. The eigenvalues of R
// decay fast, and c, near 1e-15 at small tau2, may lie below the rounding errors of R in double
// precision. An eigendecomposition in double precision would not help: it returns the eigenvalues
// of the rounded R.
//
// No exact pivot of R + cI is below c, since R is positive semidefinite. So a pivot that rounding
// has pushed below c, or below the rounding errors of R, is raised to that floor. All results are
// finite for any c. They are accurate if c is above about 1e-30 of R's amplitude, or 1e-14 for
// kernels with r known to only 16 digits (kernels.Prior.Exact).
type extended struct {
	q          []dd.Number // Q, if filled
	filled     bool
	chol, cols []dd.Number
	alpha      []dd.Number
	part, sums []dd.Number // one for each lengthscale
}

func (v *covariance) factorExtended() {
	m := v.m
	if v.ext == nil {
		v.ext = &extended{
			q: make([]dd.Number, m*m), chol: make([]dd.Number, m*m), cols: make([]dd.Number, m*m),
			alpha: make([]dd.Number, m),
			part:  make([]dd.Number, len(v.part)), sums: make([]dd.Number, len(v.part)),
		}
	}
	e := v.ext
	if !e.filled {
		for j := range m {
			for l := range j + 1 {
				e.q[j*m+l], _ = v.prior.PairExtended(nil, v.point(j), v.point(l))
			}
		}
		e.filled = true
	}
	digits := 0x1p-100
	if !v.prior.Exact() {
		digits = 0x1p-52
	}
	floor := max(v.b, float64(m)*digits)
	v.logDet = 0
	for j := range m {
		row := e.chol[j*m : j*m+j+1]
		for l := range j + 1 {
			s := e.q[j*m+l].Scale(v.a).Sub(dd.Dot(row[:l], e.chol[l*m:l*m+l]))
			if l < j {
				row[l] = s.Mul(e.cols[l*m+l])
				continue
			}
			s = s.Add(dd.Number{Hi: v.b})
			if !(s.Hi >= floor) {
				s = dd.Number{Hi: floor}
			}
			row[j] = s.Sqrt()
			e.cols[j*m+j] = dd.Number{Hi: 1}.Div(row[j])
			v.logDet += math.Log(s.Hi)
		}
	}
}

func (v *covariance) solveExtended(muhat []float64) {
	m, e := v.m, v.ext
	for j := range m {
		s := dd.Number{Hi: muhat[j]}.Sub(dd.Dot(e.chol[j*m:j*m+j], e.alpha[:j]))
		e.alpha[j] = s.Mul(e.cols[j*m+j])
	}
	v.quad = dd.Dot(e.alpha, e.alpha).Hi * v.invS
	for j := m - 1; j >= 0; j-- {
		e.alpha[j] = e.alpha[j].Mul(e.cols[j*m+j])
		for l := range j {
			e.alpha[l] = e.alpha[l].Sub(e.alpha[j].Mul(e.chol[j*m+l]))
		}
		v.alpha[j] = e.alpha[j].Hi
	}
}

// invertExtended computes the columns of L^-1, whose diagonal is there.
func (v *covariance) invertExtended() {
	m, e := v.m, v.ext
	for j := range m {
		col := e.cols[j*m : (j+1)*m]
		for i := j + 1; i < m; i++ {
			s := dd.Dot(e.chol[i*m+j:i*m+i], col[j:i]).Mul(e.cols[i*m+i])
			col[i] = dd.Number{Hi: -s.Hi, Lo: -s.Lo}
		}
	}
}

func (v *covariance) traceExtended() float64 {
	v.invertExtended()
	m, e := v.m, v.ext
	var sum dd.Number
	for j := range m {
		col := e.cols[j*m+j : (j+1)*m]
		sum = sum.Add(dd.Dot(col, col).Sub(e.alpha[j].Mul(e.alpha[j]).Scale(v.invS)))
	}
	return sum.Hi
}

func (v *covariance) tracesExtended(t *traces) {
	v.invertExtended()
	m, e := v.m, v.ext
	var trace, eta dd.Number
	clear(e.sums)
	for j := range m {
		for l := range j + 1 {
			w := dd.Dot(e.cols[j*m+j:(j+1)*m], e.cols[l*m+j:(l+1)*m])
			w = w.Sub(e.alpha[j].Mul(e.alpha[l]).Scale(v.invS))
			if l == j {
				trace = trace.Add(w)
			} else {
				w = w.Ldexp(1)
			}
			w = w.Scale(v.a)
			_, dEta := v.prior.PairExtended(e.part, v.point(j), v.point(l))
			for a, d := range e.part {
				e.sums[a] = e.sums[a].Add(w.Mul(d))
			}
			eta = eta.Add(w.Mul(dEta))
		}
	}
	t.trace, t.eta = trace.Hi, eta.Hi
	for a, s := range e.sums {
		t.theta[a] = s.Hi
	}
}
