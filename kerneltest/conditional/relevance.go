package conditional

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/product"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Limits of regressions with a lengthscale for each column of z.
const (
	relevanceRows = 240 // rows on which lengthscales are tuned
	wholeRows     = 400 // up to which the kernel matrix is not cut to a low rank
	lowRank       = 200
)

// fillScaled writes the kernel matrix of z, whose columns of numbers are multiplied by scale.
func (c *Table) fillScaled(dst []float64, z group, scale []float64, ell float64) {
	rows := make([]int, c.n)
	for i := range rows {
		rows[i] = i
	}
	points, dim := c.scaled(z, scale, rows)
	kernels.Fill(dst, gaussian(ell), fused.Best(), points, points, dim)
	c.cutLevels(dst, z, rows, rows)
}

// scaled are the columns of numbers of z at some rows, multiplied by scale.
func (c *Table) scaled(z group, scale []float64, rows []int) (points []float64, dim int) {
	for _, i := range rows {
		k := 0
		for _, j := range z {
			if !c.cols[j].discrete {
				points = append(points, scale[k]*c.cols[j].z[i])
				k++
			}
		}
		dim = k
	}
	return points, dim
}

// cutLevels sets the elements to 0 whose rows differ in a discrete column of z.
func (c *Table) cutLevels(dst []float64, z group, rows, of []int) {
	for _, j := range z {
		col := c.cols[j]
		if !col.discrete {
			continue
		}
		for a, i := range rows {
			row := dst[a*len(of) : (a+1)*len(of)]
			for b, l := range of {
				if col.code[i] != col.code[l] {
					row[b] = 0
				}
			}
		}
	}
}

// lowRank are features of the kernel matrix of z, column by column. With one column of numbers they
// are its pivoted Cholesky factor. With more the pivots would be outliers: rows at equal distances take
// their place, and the columns, their squares and products stand beside, which a smooth function is
// mostly made of.
func (c *Table) lowRank(of choices, ell float64, limit int) []float64 {
	all := make([]int, c.n)
	diag := make([]float64, c.n)
	for i := range all {
		all[i], diag[i] = i, 1
	}
	limit = min(limit, c.n/2)
	column := c.columnOf(of.z, of.scale, ell, all)
	if c.continuous(of.z) < 2 {
		chol := lowrank.Cholesky{Limit: limit}
		chol.Factor(diag, 1e-8, column)
		return chol.Columns()
	}
	out := make([]float64, limit*c.n)
	at := len(c.products(out[:0], of.z))
	m := limit - at/c.n
	rest, small := out[at:], make([]float64, m*m)
	for k := range m {
		column(rest[k*c.n:(k+1)*c.n], k*c.n/m)
		for l := range k + 1 {
			small[k*m+l] = rest[k*c.n+l*c.n/m]
		}
		small[k*m+k] += 1e-6
	}
	if lowrank.Decompose(small, m) { // it is, but for rounding
		lowrank.SolveLower(small, m, rest, c.n)
	}
	return out
}

// mostProducts is the number of columns of z up to which their products are features.
const mostProducts = 8

// products appends to out a constant, the columns of numbers of z, and their products, bounded.
func (c *Table) products(out []float64, z group) []float64 {
	for range c.n {
		out = append(out, 1)
	}
	var columns [][]float64
	for _, j := range z {
		if c.cols[j].discrete {
			continue
		}
		v := make([]float64, c.n)
		for i, e := range c.cols[j].z {
			v[i] = min(max(e, -4), 4) / 2
		}
		columns = append(columns, v)
		out = append(out, v...)
	}
	if len(columns) > mostProducts {
		return out
	}
	for a, u := range columns {
		for _, v := range columns[:a+1] {
			for i, e := range u {
				out = append(out, e*v[i])
			}
		}
	}
	return out
}

// relevance finds a lengthscale for each column of z that holds numbers, and returns their inverses.
// It minimises the leave-one-out error of kernel ridge regressions of g on z: of the columns
// themselves and of a bounded even function of them, as what z tells of a variable may be its scale
// alone. It begins at one lengthscale for all, and goes down by the signs of the gradient.
//
// Plain leaves out that function: then it serves the regression of the columns alone.
func (c *Table) relevance(ctx context.Context, g, z group, plain bool) ([]float64, error) {
	s := c.newSearch(g, z, plain)
	dim := len(s.columns)
	best, at := math.Inf(1), make([]float64, dim+1)
	try := make([]float64, dim+1)
	for _, ell := range []float64{0.6, 1.2, 2.4} {
		for _, ridge := range []float64{1e-2, 1e-1} {
			for j := range dim {
				try[j] = math.Log(ell * math.Sqrt(float64(dim)))
			}
			try[dim] = math.Log(ridge)
			if v := s.loss(try, nil); v < best {
				best = v
				copy(at, try)
			}
		}
	}
	copy(try, at)
	gradient, last, step := make([]float64, dim+1), make([]float64, dim+1), make([]float64, dim+1)
	for j := range step {
		step[j] = 0.4
	}
	for range searchSteps {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("conditional: %w", ctx.Err())
		}
		if v := s.loss(try, gradient); v < best {
			best = v
			copy(at, try)
		}
		for j, d := range gradient {
			switch {
			case d*last[j] > 0:
				step[j] = min(1.2*step[j], 1)
			case d*last[j] < 0:
				step[j] = max(0.5*step[j], 0.02)
			}
			last[j] = d
			lo, hi := math.Log(0.1), math.Log(100.0)
			if j == dim {
				lo, hi = math.Log(1e-6), math.Log(10.0)
			}
			if d != 0 {
				try[j] = min(max(try[j]-math.Copysign(step[j], d), lo), hi)
			}
		}
	}
	out := make([]float64, dim)
	for j := range out {
		out[j] = math.Exp(-at[j])
	}
	return out, nil
}

// searchSteps is how many gradients are computed.
const searchSteps = 20

// search is the leave-one-out error as a function of the logs of lengthscales and of the ridge over
// the number of rows.
type search struct {
	n       int
	columns [][]float64 // of z, those that hold numbers
	mask    []float64   // 0 where discrete columns of z differ, nil if there are none
	outputs [][]float64
	k, p, t []float64
	half    []float64
	inverse inverter
}

func (c *Table) newSearch(g, z group, plain bool) *search {
	n := min(c.n, relevanceRows)
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i * c.n / n
	}
	s := &search{n: n, k: make([]float64, n*n), p: make([]float64, n*n), t: make([]float64, n*n),
		half: make([]float64, n*n)}
	pick := func(v []float64) []float64 {
		out := make([]float64, n)
		for a, i := range rows {
			out[a] = v[i]
		}
		return out
	}
	discrete := false
	for _, j := range z {
		if c.cols[j].discrete {
			discrete = true
		} else {
			s.columns = append(s.columns, pick(c.cols[j].z))
		}
	}
	if discrete {
		s.mask = make([]float64, n*n)
		for i := range s.mask {
			s.mask[i] = 1
		}
		c.cutLevels(s.mask, z, rows, rows)
	}
	add := func(v []float64) {
		if w := newColumn(v, false); !w.constant {
			s.outputs = append(s.outputs, w.z)
		}
	}
	for _, j := range g {
		out := c.cols[j].outputs()
		for k := range len(out) / c.n {
			add(pick(out[k*c.n : (k+1)*c.n]))
		}
		if !c.cols[j].discrete && !plain {
			v := pick(c.cols[j].z)
			for i := range v {
				v[i] = math.Cos(1.5 * v[i])
			}
			add(v)
		}
	}
	return s
}

// loss is the sum over the outputs of the mean squared error of the predictions from all other
// points. With P = (K + lambda I)^-1 the error of point i is (P y)_i/P_ii; the derivatives follow
// from dP = -P dK P.
func (s *search) loss(at, gradient []float64) float64 {
	n, dim := s.n, len(s.columns)
	points := make([]float64, n*dim)
	for j, col := range s.columns {
		inv := math.Exp(-at[j])
		for i, v := range col {
			points[i*dim+j] = inv * v
		}
	}
	kernels.Fill(s.k, gaussian(1), fused.Best(), points, points, dim)
	for i, v := range s.mask {
		s.k[i] *= v
	}
	lambda := math.Exp(at[dim]) * float64(n)
	copy(s.p, s.k)
	for i := range n {
		s.p[i*n+i] += lambda
	}
	if !s.inverse.invert(s.p, n) {
		return math.Inf(1)
	}
	value := 0.0
	weight := make([]float64, n)  // dL = sum weight_i d log P_ii + …
	var lefts, rights [][]float64 // … - sum u'P dK P y
	for _, y := range s.outputs {
		py, u := make([]float64, n), make([]float64, n)
		lowrank.Products(py, y, s.p, n)
		for i, v := range py {
			e := v / s.p[i*n+i]
			value += e * e / float64(n)
			u[i] = 2 * e / s.p[i*n+i] / float64(n)
			weight[i] += 2 * e * e / s.p[i*n+i] / float64(n)
		}
		if gradient != nil {
			pu := make([]float64, n)
			lowrank.Products(pu, u, s.p, n)
			lefts, rights = append(lefts, pu), append(rights, py)
		}
	}
	if gradient == nil {
		return value
	}
	// dL/dK = P diag(weight) P - sum (P u)(P y)'.
	for i := range n {
		for j, v := range s.p[i*n : (i+1)*n] {
			s.half[i*n+j] = v * weight[j]
		}
	}
	s.inverse.work.Multiply(fused.Best(), s.t, n, n, n, product.Rows(s.half, n), product.Rows(s.p, n), product.Lower)
	clear(gradient)
	for i := range n {
		row := s.t[i*n : i*n+i+1]
		for k, u := range lefts {
			py := rights[k]
			for j := range row { // made symmetric
				row[j] -= (u[i]*py[j] + u[j]*py[i]) / 2
			}
		}
		gradient[dim] += row[i] * lambda
		a := points[i*dim : (i+1)*dim]
		for j, v := range row[:i] {
			d := 2 * v * s.k[i*n+j]
			for l, v := range points[j*dim : (j+1)*dim] {
				gradient[l] += d * (a[l] - v) * (a[l] - v)
			}
		}
	}
	return value
}

// inverter is memory for inverses, which grows to what is asked for.
type inverter struct {
	work product.Work
	free []float64
}

// invert replaces a positive definite matrix by its inverse, and reports whether it is one. With the
// blocks A, B and C, of which B stands below A, and S = C - B A⁻¹ B', the blocks of the inverse are
// A⁻¹ + (B A⁻¹)' S⁻¹ B A⁻¹, -S⁻¹ B A⁻¹ and S⁻¹.
func (v *inverter) invert(a []float64, n int) bool {
	if need := 2*n*n + 64*n; len(v.free) < need { // 5/4 n² here, a quarter of that in each half, and so on
		v.free = make([]float64, need)
	}
	return v.blocks(a, n, v.free)
}

func (v *inverter) blocks(a []float64, n int, free []float64) bool {
	const direct = 32
	if n <= direct {
		chol, ok := lapack64.Potrf(blas64.Symmetric{N: n, Stride: n, Uplo: blas.Lower, Data: a})
		if !ok {
			return false
		}
		lapack64.Potri(chol)
		mirror(a, n)
		return true
	}
	p := n / 2
	q := n - p
	take := func(n int) []float64 {
		out := free[:n]
		free = free[n:]
		return out
	}
	multiply := func(dst []float64, m, n, length int, a, b product.View, s product.Shape) {
		v.work.Multiply(fused.Best(), dst, m, n, length, a, b, s)
	}
	first, below, last := take(p*p), take(q*p), take(q*q)
	for i := range p {
		copy(first[i*p:(i+1)*p], a[i*n:])
	}
	for i := range q {
		copy(below[i*p:(i+1)*p], a[(p+i)*n:])
		copy(last[i*q:(i+1)*q], a[(p+i)*n+p:(p+i+1)*n])
	}
	onto, t := take(q*p), take(q*q) // B A⁻¹
	if !v.blocks(first, p, free) {
		return false
	}
	multiply(onto, q, p, p, product.Rows(below, p), product.Rows(first, p), product.All)
	multiply(t, q, q, p, product.Rows(onto, p), product.Rows(below, p), product.Lower)
	for i := range q {
		for j, v := range t[i*q : i*q+i+1] {
			last[i*q+j] -= v
		}
	}
	mirror(last, q)
	if !v.blocks(last, q, free) {
		return false
	}
	multiply(below, q, p, q, product.Rows(last, q), product.Columns(onto, p), product.All)
	multiply(t, p, p, q, product.Columns(onto, p), product.Columns(below, p), product.Lower)
	for i := range p {
		for j := range i + 1 {
			v := first[i*p+j] + t[i*p+j]
			a[i*n+j], a[j*n+i] = v, v
		}
	}
	for i := range q {
		for j, v := range below[i*p : (i+1)*p] {
			a[(p+i)*n+j], a[j*n+p+i] = -v, -v
		}
		copy(a[(p+i)*n+p:(p+i+1)*n], last[i*q:(i+1)*q])
	}
	return true
}
