package bke

import "math"

// extended is the workspace of covariance in about 32 digits. Where theta is many diameters, or
// tau2 tiny, the eigenvalues of R fall off by (diameter/theta)² a step and c takes over from them
// somewhere below the rounding errors of R in double precision. An eigendecomposition in double
// precision would not help: it returns the eigenvalues of the rounded R.
//
// No exact pivot of R + cI is below c, since R is positive semidefinite; so a pivot that rounding
// has pushed below c, or below the rounding errors of these 32 digits, is put back there. All
// results are finite for any c, and right as long as c is above about 1e-30 of R's amplitude.
type extended struct {
	q          []dd // Q, if filled
	filled     bool
	chol, cols []dd
	alpha      []dd
	near, far  []dd // sums, one for each lengthscale
}

func (v *covariance) factorExtended() {
	m := v.m
	if v.ext == nil {
		v.ext = &extended{
			q: make([]dd, m*m), chol: make([]dd, m*m), cols: make([]dd, m*m),
			alpha: make([]dd, m), near: make([]dd, v.dim), far: make([]dd, v.dim),
		}
	}
	e := v.ext
	if !e.filled {
		for j := range m {
			for l := range j + 1 {
				e.q[j*m+l] = v.exponent(j, l).exp()
			}
		}
		e.filled = true
	}
	floor := max(v.b, float64(m)*0x1p-100)
	v.logDet = 0
	for j := range m {
		row := e.chol[j*m : j*m+j+1]
		for l := range j + 1 {
			s := e.q[j*m+l].scale(v.a).sub(dotDD(row[:l], e.chol[l*m:l*m+l]))
			if l < j {
				row[l] = s.mul(e.cols[l*m+l])
				continue
			}
			s = s.add(dd{v.b, 0})
			if !(s.hi >= floor) {
				s = dd{floor, 0}
			}
			row[j] = s.sqrt()
			e.cols[j*m+j] = dd{1, 0}.div(row[j])
			v.logDet += math.Log(s.hi)
		}
	}
}

// exponent returns the logarithm of Q_jl.
func (v *covariance) exponent(j, l int) dd {
	var s dd
	for a := range v.dim {
		near, far := v.exponentDD(j, l, a)
		s = s.sub(near).sub(far)
	}
	return s
}

// exponentDD is Nu.exponents for one coordinate of z_j and z_l.
func (v *covariance) exponentDD(j, l, a int) (near, far dd) {
	x, y, theta := v.z[j*v.dim+a], v.z[l*v.dim+a], v.p.theta(a)
	u := twoSum(x, -y).div(dd{theta, 0})
	near = u.mul(u).ldexp(-2)
	if v.nu == Gaussian {
		c := twoSum(x, y).ldexp(-1)
		width := twoProd(theta, theta).add(twoProd(v.p.Eta, v.p.Eta).ldexp(1))
		far = c.mul(c).div(width)
	}
	return near, far
}

func (v *covariance) solveExtended(muhat []float64) {
	m, e := v.m, v.ext
	for j := range m {
		s := dd{muhat[j], 0}.sub(dotDD(e.chol[j*m:j*m+j], e.alpha[:j]))
		e.alpha[j] = s.mul(e.cols[j*m+j])
	}
	v.quad = dotDD(e.alpha, e.alpha).hi * v.invS
	for j := m - 1; j >= 0; j-- {
		e.alpha[j] = e.alpha[j].mul(e.cols[j*m+j])
		for l := range j {
			e.alpha[l] = e.alpha[l].sub(e.alpha[j].mul(e.chol[j*m+l]))
		}
		v.alpha[j] = e.alpha[j].hi
	}
}

func (v *covariance) tracesExtended(t *traces) {
	m, e := v.m, v.ext
	for j := range m {
		col := e.cols[j*m : (j+1)*m]
		for i := j + 1; i < m; i++ {
			s := dotDD(e.chol[i*m+j:i*m+i], col[j:i]).mul(e.cols[i*m+i])
			col[i] = dd{-s.hi, -s.lo}
		}
	}
	var total, trace dd
	near, far := e.near[:len(t.near)], e.far[:len(t.near)]
	clear(near)
	clear(far)
	for j := range m {
		for l := range j + 1 {
			w := dotDD(e.cols[j*m+j:(j+1)*m], e.cols[l*m+j:(l+1)*m])
			w = w.sub(e.alpha[j].mul(e.alpha[l]).scale(v.invS))
			if l == j {
				trace = trace.add(w)
			} else {
				w = w.ldexp(1)
			}
			w = w.mul(e.q[j*m+l]).scale(v.a)
			total = total.add(w)
			for a := range v.dim {
				k := min(a, len(near)-1)
				dn, df := v.exponentDD(j, l, a)
				near[k] = near[k].add(w.mul(dn))
				far[k] = far[k].add(w.mul(df))
			}
		}
	}
	t.total, t.trace = total.hi, trace.hi
	for k := range near {
		t.near[k], t.far[k] = near[k].hi, far[k].hi
	}
}
