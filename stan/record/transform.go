package record

import "math"

// transforms: from unconstrained numbers to constrained ones, as Stan has them, and the log of the
// determinant of the derivative. The simplex is that of versions before 2.37.

// unconstrained says how many numbers stand behind a value of a type with these sizes.
func unconstrained(base string, r, c int) int {
	switch base {
	case "simplex", "sum_to_zero_vector":
		return max(r-1, 0)
	case "cov_matrix":
		return r + r*(r-1)/2
	case "corr_matrix", "cholesky_factor_corr":
		return r * (r - 1) / 2
	case "cholesky_factor_cov":
		return c + c*(c-1)/2 + (r-c)*c
	case "matrix":
		return r * c
	case "sum_to_zero_matrix":
		return max(r-1, 0) * max(c-1, 0)
	case "column_stochastic_matrix":
		return max(r-1, 0) * c
	case "row_stochastic_matrix":
		return r * max(c-1, 0)
	case "real":
		return 1
	}
	return r
}

func (c *run) jacobian(x Real) { c.jac = append(c.jac, x) }

// bound puts u between limits, or scales it; each limit is nil if there is none.
func (c *run) bound(u Real, lo, hi, offset, multiplier *Real) Real {
	t := c.t
	if lo != nil && math.IsInf(lo.V, -1) {
		lo = nil
	}
	if hi != nil && math.IsInf(hi.V, 1) {
		hi = nil
	}
	switch {
	case lo != nil && hi != nil:
		if !(lo.V < hi.V) {
			panic(rejectf("a lower limit of %v is not below the upper one, %v", lo.V, hi.V))
		}
		w := t.sub(*hi, *lo)
		c.jacobian(t.sum([]Real{t.log(w), t.unary(unaryOps["log_inv_logit"], u), t.unary(unaryOps["log1m_inv_logit"], u)}))
		return t.add(*lo, t.mul(w, t.unary(unaryOps["inv_logit"], u)))
	case lo != nil:
		c.jacobian(u)
		return t.add(*lo, t.exp(u))
	case hi != nil:
		c.jacobian(u)
		return t.sub(*hi, t.exp(u))
	case offset != nil || multiplier != nil:
		x := u
		if multiplier != nil {
			if !(multiplier.V > 0) {
				panic(rejectf("a multiplier is %v, want a positive number", multiplier.V))
			}
			c.jacobian(t.log(*multiplier))
			x = t.mul(u, *multiplier)
		}
		if offset != nil {
			x = t.add(x, *offset)
		}
		return x
	}
	return u
}

// constrain makes a value of a constrained type from unconstrained numbers.
func (c *run) constrain(base string, u []Real, r, cols int) Value {
	t := c.t
	switch base {
	case "ordered", "positive_ordered":
		out := make(Vector, len(u))
		for k, v := range u {
			switch {
			case k > 0:
				c.jacobian(v)
				out[k] = t.add(out[k-1], t.exp(v))
			case base == "ordered":
				out[k] = v
			default:
				c.jacobian(v)
				out[k] = t.exp(v)
			}
		}
		return out
	case "simplex":
		return c.simplex(u)
	case "unit_vector":
		q := t.dot(u, u)
		if !(q.V > 0) {
			panic(rejectf("a unit vector from the point 0"))
		}
		c.jacobian(t.mul(constant(-0.5), q))
		n := t.unary(unaryOps["sqrt"], q)
		out := make(Vector, len(u))
		for k, v := range u {
			out[k] = t.div(v, n)
		}
		return out
	case "sum_to_zero_vector":
		return c.sumToZero(u)
	case "sum_to_zero_matrix":
		return c.sumToZeroMatrix(u, r, cols)
	case "column_stochastic_matrix":
		out := &Matrix{R: r, C: cols}
		for j := range cols {
			out.X = append(out.X, c.simplex(u[j*(r-1):(j+1)*(r-1)])...)
		}
		return out
	case "row_stochastic_matrix":
		out := newMatrix(r, cols)
		for i := range r {
			row := make([]Real, cols-1)
			for j := range row {
				row[j] = u[j*r+i]
			}
			for j, v := range c.simplex(row) {
				out.set(i, j, v)
			}
		}
		return out
	case "cholesky_factor_cov":
		return c.factorCov(u, r, cols)
	case "cov_matrix":
		l := c.factorCov(u, r, r)
		// With L the factor, the determinant of the derivative of L L' is 2^r prod L_ii^(r-i+1).
		c.jacobian(constant(float64(r) * math.Ln2))
		for i := range r {
			c.jacobian(t.mul(constant(float64(r-i)), t.log(l.at(i, i))))
		}
		return t.selfProduct(l)
	case "cholesky_factor_corr":
		return c.factorCorr(u, r, false)
	case "corr_matrix":
		l := c.factorCorr(u, r, true)
		return t.selfProduct(l)
	}
	panic(faultf("%s is not here", base))
}

// simplex breaks a stick: z_k = inv_logit(u_k - log(K-k)) of what is left.
func (c *run) simplex(u []Real) Vector {
	t := c.t
	k := len(u) + 1
	out := make(Vector, k)
	left := constant(1)
	for i, v := range u {
		y := t.sub(v, constant(math.Log(float64(k-i-1))))
		z := t.unary(unaryOps["inv_logit"], y)
		out[i] = t.mul(left, z)
		c.jacobian(t.sum([]Real{t.log(left), t.unary(unaryOps["log_inv_logit"], y), t.unary(unaryOps["log1m_inv_logit"], y)}))
		left = t.sub(left, out[i])
	}
	out[k-1] = left
	c.knowSimplex(out)
	return out
}

// sumToZero is the inverse of the isometric log-ratio transform: with w_n = u_n/sqrt(n(n+1)),
// z_n = sum of w_i for i >= n, less (n-1) w_(n-1).
func (c *run) sumToZero(u []Real) Vector {
	t := c.t
	n := len(u) + 1
	out := make(Vector, n)
	for i := range out {
		out[i] = constant(0)
	}
	s := constant(0)
	for i := len(u); i >= 1; i-- {
		f := float64(i)
		w := t.mul(u[i-1], constant(1/math.Sqrt(f*(f+1))))
		s = t.add(s, w)
		out[i-1] = t.add(out[i-1], s)
		out[i] = t.sub(out[i], t.mul(w, constant(f)))
	}
	return out
}

// sumToZeroMatrix applies it to columns and then to rows.
func (c *run) sumToZeroMatrix(u []Real, r, cols int) *Matrix {
	out := newMatrix(r, cols)
	half := make([][]Real, cols-1)
	for j := range half {
		half[j] = c.sumToZero(u[j*(r-1) : (j+1)*(r-1)])
	}
	for i := range r {
		row := make([]Real, cols-1)
		for j := range row {
			row[j] = half[j][i]
		}
		for j, v := range c.sumToZero(row) {
			out.set(i, j, v)
		}
	}
	return out
}

// factorCov reads the lower triangle row by row, logs on the diagonal.
func (c *run) factorCov(u []Real, r, cols int) *Matrix {
	out := newMatrix(r, cols)
	at := 0
	for i := range r {
		for j := range min(i+1, cols) {
			v := u[at]
			at++
			if i == j {
				c.jacobian(v)
				v = c.t.exp(v)
			}
			out.set(i, j, v)
		}
	}
	return out
}

// factorCorr makes the factor of a correlation matrix from partial correlations tanh u, which are read
// row by row for factors and column by column for matrices. Row i is w_i1 = z_i1,
// w_ij = z_ij sqrt(1 - sum of w_ik² before).
func (c *run) factorCorr(u []Real, n int, matrix bool) *Matrix {
	t := c.t
	z := newMatrix(n, n)
	at := 0
	take := func(i, j int) {
		v := t.unary(unaryOps["tanh"], u[at])
		at++
		z.set(i, j, v)
		rest := t.unary(unaryOps["log1m"], t.square(v))
		c.jacobian(rest) // of tanh
		if matrix {      // of the matrix: (1 - z²)^((n - j - 2)/2), j from 0
			c.jacobian(t.mul(constant(float64(n-j-2)/2), rest))
		}
	}
	if matrix {
		for j := range n {
			for i := j + 1; i < n; i++ {
				take(i, j)
			}
		}
	} else {
		for i := range n {
			for j := range i {
				take(i, j)
			}
		}
	}
	out := newMatrix(n, n)
	for i := range n {
		left := constant(1)
		for j := range i {
			root := t.unary(unaryOps["sqrt"], left)
			if !matrix {
				c.jacobian(t.mul(constant(0.5), t.log(left)))
			}
			w := t.mul(z.at(i, j), root)
			if j == 0 {
				w = z.at(i, j)
			}
			out.set(i, j, w)
			left = t.sub(left, t.square(w))
		}
		out.set(i, i, t.unary(unaryOps["sqrt"], left))
	}
	return out
}

// selfProduct is L L'.
func (t *Tape) selfProduct(l *Matrix) *Matrix {
	out := newMatrix(l.R, l.R)
	for i := range l.R {
		for j := range i + 1 {
			n := min(j+1, l.C)
			v := t.dot(l.row(i)[:n], l.row(j)[:n])
			out.set(i, j, v)
			out.set(j, i, v)
		}
	}
	return out
}
