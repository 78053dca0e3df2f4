package record

import (
	"math"

	"bayeskernel/engine"

	"gonum.org/v1/gonum/mat"
)

// matrixFunctions are exponentials, decompositions and forms of matrices.
func matrixFunctions() []entry {
	return []entry{
		{"matrix matrix_exp(matrix)", func(c *run, a []Value) Value { return c.t.matrixExp(a[0].(*Matrix)) }},
		{"matrix matrix_exp_multiply(matrix, matrix)", func(c *run, a []Value) Value {
			return c.t.product(c.t.matrixExp(a[0].(*Matrix)), a[1].(*Matrix))
		}},
		{"matrix scale_matrix_exp_multiply(real, matrix, matrix)", func(c *run, a []Value) Value {
			m := c.t.operate("*", a[0], a[1]).(*Matrix)
			return c.t.product(c.t.matrixExp(m), a[2].(*Matrix))
		}},
		{"real determinant(matrix)", func(c *run, a []Value) Value { return c.t.determinant(a[0].(*Matrix)) }},
		{"matrix matrix_power(matrix, int)", func(c *run, a []Value) Value {
			return c.t.matrixPower(a[0].(*Matrix), a[1].(int))
		}},
		{"matrix qr_Q(matrix)", func(c *run, a []Value) Value { q, _ := c.qr(a[0].(*Matrix), false); return q }},
		{"matrix qr_R(matrix)", func(c *run, a []Value) Value { _, r := c.qr(a[0].(*Matrix), false); return r }},
		{"matrix qr_thin_Q(matrix)", func(c *run, a []Value) Value { q, _ := c.qr(a[0].(*Matrix), true); return q }},
		{"matrix qr_thin_R(matrix)", func(c *run, a []Value) Value { _, r := c.qr(a[0].(*Matrix), true); return r }},
		{"tuple(matrix, matrix) qr(matrix)", func(c *run, a []Value) Value { q, r := c.qr(a[0].(*Matrix), false); return Tuple{q, r} }},
		{"tuple(matrix, matrix) qr_thin(matrix)", func(c *run, a []Value) Value { q, r := c.qr(a[0].(*Matrix), true); return Tuple{q, r} }},
		{"tuple(matrix, vector) eigendecompose_sym(matrix)", func(c *run, a []Value) Value {
			m := a[0].(*Matrix)
			e := c.eigen(m)
			return Tuple{&Matrix{m.R, m.R, e[m.R:]}, Vector(e[:m.R])}
		}},
		{"tuple(matrix, vector, matrix) svd(matrix)", func(c *run, a []Value) Value { u, s, v := c.svd(a[0].(*Matrix)); return Tuple{u, s, v} }},
		{"matrix chol2inv(matrix)", func(c *run, a []Value) Value {
			l := a[0].(*Matrix)
			inv := c.t.lowerSolve(l, diagonal(repeat(constant(1), l.R)))
			return c.t.product(inv.transpose(), inv)
		}},
		{"matrix generalized_inverse(matrix)", func(c *run, a []Value) Value {
			m := a[0].(*Matrix)
			if m.R < m.C { // A'(AA')⁻¹
				return c.t.solve(c.t.product(m, m.transpose()), m).transpose()
			}
			return c.t.solve(c.t.product(m.transpose(), m), m.transpose())
		}},
		{"vector singular_values(matrix)", func(c *run, a []Value) Value { _, s, _ := c.svd(a[0].(*Matrix)); return s }},
		{"matrix svd_U(matrix)", func(c *run, a []Value) Value { u, _, _ := c.svd(a[0].(*Matrix)); return u }},
		{"matrix svd_V(matrix)", func(c *run, a []Value) Value { _, _, v := c.svd(a[0].(*Matrix)); return v }},
		{"real trace_quad_form(matrix, matrix|vector)", func(c *run, a []Value) Value {
			b, _ := asMatrix(a[1]) // the sum of B .* (A B)
			return c.t.dot(b.X, c.t.product(a[0].(*Matrix), b).X)
		}},
		{"real trace_gen_quad_form(matrix, matrix, matrix)", func(c *run, a []Value) Value {
			b := a[2].(*Matrix) // tr(D B'AB) is the sum of (B D') .* (A B)
			left := c.t.product(b, a[0].(*Matrix).transpose())
			return c.t.dot(left.X, c.t.product(a[1].(*Matrix), b).X)
		}},
		{"matrix symmetrize_from_lower_tri(matrix)", func(c *run, a []Value) Value {
			m := clone(a[0]).(*Matrix)
			for i := range m.R {
				for j := range i {
					m.set(j, i, m.at(i, j))
				}
			}
			return m
		}},
	}
}

// matrixExp is exp(A). With C the adjoint of exp(A), that of A is the upper right block of the exponential of
// (A' C; 0 A').
func (t *Tape) matrixExp(m *Matrix) *Matrix {
	n := m.R
	if m.C != n {
		panic(faultf("matrix_exp of a matrix of %d by %d, want a square one", m.R, m.C))
	}
	if n == 0 {
		return m
	}
	// A by columns is A' by rows, and exp(A') is exp(A)'.
	x := t.pulled(n*n, m.X, func(in, out []float64) {
		copy(out, exponential(mat.NewDense(n, n, append([]float64(nil), in...))).RawMatrix().Data)
	}, func(in, out, dout, din []float64) {
		big := mat.NewDense(2*n, 2*n, nil)
		for i := range n {
			for j := range n {
				big.Set(i, j, in[j*n+i])
				big.Set(n+i, n+j, in[j*n+i])
				big.Set(i, n+j, dout[i*n+j])
			}
		}
		e := exponential(big)
		for i := range n {
			for j := range n {
				din[i*n+j] += e.At(i, n+j)
			}
		}
	})
	return &Matrix{n, n, x}
}

// determinant has the adjoint det(A) A'⁻¹, which is of no use where A is singular.
func (t *Tape) determinant(m *Matrix) Real {
	n := m.R
	if m.C != n {
		panic(faultf("determinant of a matrix of %d by %d, want a square one", m.R, m.C))
	}
	if n == 0 {
		return constant(1)
	}
	return t.pulled(1, m.X, func(in, out []float64) {
		out[0] = mat.Det(mat.NewDense(n, n, append([]float64(nil), in...)))
	}, func(in, out, dout, din []float64) {
		var inv mat.Dense
		if inv.Inverse(mat.NewDense(n, n, append([]float64(nil), in...))); inv.IsEmpty() {
			return
		}
		for i := range n {
			for j := range n {
				din[i*n+j] += dout[0] * out[0] * inv.At(j, i)
			}
		}
	})[0]
}

// qr is by Householder's reflections, number by number: the diagonal of R is not negative. Guards watch the signs
// that choose the reflections.
func (c *run) qr(m *Matrix, thin bool) (q, r *Matrix) {
	t := c.t
	r = clone(m).(*Matrix)
	q = diagonal(repeat(constant(1), m.R))
	for k := range min(m.R-1, m.C) {
		x := append([]Real(nil), r.X[k*m.R+k:(k+1)*m.R]...)
		norm := t.unary(unaryOps["sqrt"], t.dot(x, x))
		if t.compare(engine.LessEqual, norm, constant(0)) {
			continue
		}
		if t.compare(engine.Less, constant(0), x[0]) {
			norm = t.neg(norm)
		}
		x[0] = t.sub(x[0], norm)
		w := t.div(constant(2), t.dot(x, x))
		reflect := func(col []Real) {
			s := t.mul(w, t.dot(x, col))
			for i := range col {
				col[i] = t.sub(col[i], t.mul(s, x[i]))
			}
		}
		for j := k; j < m.C; j++ {
			reflect(r.X[j*m.R+k : (j+1)*m.R])
		}
		for i := k + 1; i < m.R; i++ {
			r.set(i, k, constant(0))
		}
		for i := range m.R { // a row of Q
			row := make([]Real, m.R-k)
			for j := range row {
				row[j] = q.at(i, k+j)
			}
			reflect(row)
			for j, v := range row {
				q.set(i, k+j, v)
			}
		}
	}
	for k := range min(m.R, m.C) {
		if t.compare(engine.LessEqual, constant(0), r.at(k, k)) {
			continue
		}
		for j := range m.C {
			r.set(k, j, t.neg(r.at(k, j)))
		}
		for i := range m.R {
			q.set(i, k, t.neg(q.at(i, k)))
		}
	}
	if thin && m.R > m.C {
		q = &Matrix{m.R, m.C, q.X[:m.R*m.C]}
		top := newMatrix(m.C, m.C)
		for i := range m.C {
			for j := range m.C {
				top.set(i, j, r.at(i, j))
			}
		}
		r = top
	}
	return q, r
}

// svd is A = U diag(s) V', with the values falling. Derivatives are those of U diag(ds) V' and of the
// eigenvectors of A'A.
func (c *run) svd(m *Matrix) (u *Matrix, s Vector, v *Matrix) {
	rows, cols := m.R, m.C
	k := min(rows, cols)
	if k == 0 {
		return newMatrix(rows, 0), Vector{}, newMatrix(cols, 0)
	}
	out := c.t.pulled(k*(1+rows+cols), m.X, func(in, out []float64) {
		var f mat.SVD
		a := mat.NewDense(cols, rows, append([]float64(nil), in...)) // A'
		if !f.Factorize(a, mat.SVDThin) {
			for i := range out {
				out[i] = math.NaN()
			}
			return
		}
		var u, v mat.Dense
		f.UTo(&v)
		f.VTo(&u)
		copy(out, f.Values(nil))
		for j := range k {
			for i := range rows {
				out[k+j*rows+i] = u.At(i, j)
			}
			for i := range cols {
				out[k+k*rows+j*cols+i] = v.At(i, j)
			}
		}
	}, func(in, out, dout, din []float64) {
		s := out[:k]
		u := mat.NewDense(k, rows, out[k:k+k*rows]) // U'
		v := mat.NewDense(k, cols, out[k+k*rows:])
		du := mat.NewDense(k, rows, append([]float64(nil), dout[k:k+k*rows]...))
		dv := mat.NewDense(k, cols, append([]float64(nil), dout[k+k*rows:]...))
		// The middle of dA = U (mid) V': the derivatives of s on the diagonal, with those of U and V beside.
		mid := mat.NewDense(k, k, nil)
		var pu, pv mat.Dense
		pu.Mul(u, du.T()) // U'dU
		pv.Mul(v, dv.T())
		for i := range k {
			for j := range k {
				if i == j {
					mid.Set(i, i, dout[i])
					continue
				}
				if f := s[j]*s[j] - s[i]*s[i]; f != 0 {
					x := (pu.At(i, j) - pu.At(j, i)) / f * s[j]
					y := (pv.At(i, j) - pv.At(j, i)) / f * s[i]
					mid.Set(i, j, x+y)
				}
			}
		}
		var left, all mat.Dense
		left.Mul(u.T(), mid)
		all.Mul(&left, v)
		rest := func(w, dw, other *mat.Dense, n int) *mat.Dense { // (1 - W W') dW diag(1/s) other'
			var proj, back mat.Dense
			proj.Mul(dw, w.T()) // k by k: dW'W
			back.Mul(&proj, w)
			back.Sub(dw, &back)
			for i := range k {
				for j := range n {
					if s[i] > 0 {
						back.Set(i, j, back.At(i, j)/s[i])
					}
				}
			}
			var r mat.Dense
			r.Mul(back.T(), other)
			return &r
		}
		if rows > k {
			all.Add(&all, rest(u, du, v, rows))
		}
		if cols > k {
			all.Add(&all, rest(v, dv, u, cols).T())
		}
		for i := range rows {
			for j := range cols {
				din[j*rows+i] += all.At(i, j)
			}
		}
	})
	if math.IsNaN(out[0].V) {
		panic(rejectf("the singular values of a matrix cannot be computed"))
	}
	return &Matrix{rows, k, out[k : k+k*rows]}, Vector(out[:k]), &Matrix{cols, k, out[k+k*rows:]}
}

// exponential is that of a square matrix; of one whose elements are too large for that, or no numbers, it is not a
// number.
func exponential(m *mat.Dense) *mat.Dense {
	e, most := new(mat.Dense), 1e12
	if !(mat.Norm(m, 1) < most) {
		n, _ := m.Dims()
		e = mat.NewDense(n, n, nil)
		e.Apply(func(_, _ int, _ float64) float64 { return math.NaN() }, m)
		return e
	}
	e.Exp(m)
	return e
}
