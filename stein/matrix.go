package stein

import (
	"fmt"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/product"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Matrix returns k_p of all pairs of rows x with scores u. With n rows of D columns it takes O(n² D).
func (k *Kernel) Matrix(x, u mat.Matrix) (*mat.SymDense, error) {
	p, err := k.read(x, u)
	if err != nil {
		return nil, err
	}
	out := mat.NewSymDense(p.n, nil)
	raw := out.RawSymmetric()
	k.blocks(p, func(i int, row []float64) { // row i up to its diagonal
		for j, v := range row {
			raw.Data[j*raw.Stride+i] = v
		}
	})
	return out, nil
}

// U returns the unbiased estimate of the squared discrepancy, the mean of k_p over pairs of different rows.
func (k *Kernel) U(x, u mat.Matrix) (float64, error) {
	p, err := k.read(x, u)
	if err != nil {
		return 0, err
	}
	if p.n < 2 {
		return 0, fmt.Errorf("stein: U needs at least 2 rows; there is 1")
	}
	off, _ := k.sums(p)
	n := float64(p.n)
	return estimated(2 * off / (n * (n - 1)))
}

// V returns the squared discrepancy of the rows, the mean of k_p over all pairs. It is never negative.
func (k *Kernel) V(x, u mat.Matrix) (float64, error) {
	p, err := k.read(x, u)
	if err != nil {
		return 0, err
	}
	off, diagonal := k.sums(p)
	n := float64(p.n)
	return estimated(max(0, (2*off+diagonal)/(n*n)))
}

// estimated returns v, or an error where it overflowed.
func estimated(v float64) (float64, error) {
	if v-v != 0 {
		return 0, fmt.Errorf("stein: the discrepancy is %v: rows or scores are too large, give them in another unit", v)
	}
	return v, nil
}

// sums adds up k_p over the pairs i > j, and over the diagonal.
func (k *Kernel) sums(p *points) (off, diagonal float64) {
	k.blocks(p, func(i int, row []float64) {
		for _, v := range row[:i] {
			off += v
		}
		diagonal += row[i]
	})
	return off, diagonal
}

// height is the number of rows of the matrix that are computed at a time.
const height = 64

// blocks computes the lower triangle, some rows at a time. Rows come to f in their order, each up to its
// diagonal. F must not keep them.
func (k *Kernel) blocks(p *points, f func(i int, row []float64)) {
	n, d := p.n, p.dim
	path := fused.Best()
	memory := func() []float64 { return make([]float64, height*n) }
	q, uu, cross, square, kappa, rho := memory(), memory(), memory(), memory(), memory(), memory()
	x, u, b := product.Rows(p.x, d), product.Rows(p.u, d), product.Rows(p.b, d)
	part := func(v []float64, from, to int) product.View { return product.Rows(v[from*d:to*d], d) }
	more := memory()
	for from := 0; from < n; from += height {
		to := min(n, from+height)
		rows := to - from
		multiply := func(dst, left []float64, right product.View) {
			product.MultiplyWith(path, dst[:rows*to], rows, to, d, part(left, from, to), right, product.All)
		}
		multiply(q, p.b, x)
		multiply(uu, p.u, u)
		multiply(cross, p.u, b)
		multiply(more, p.b, u)
		if !k.same {
			multiply(square, p.b, b)
		}
		for r := range rows {
			i := from + r
			at := r * to
			for j := range i + 1 {
				c := at + j
				d2 := p.xb[i] + p.xb[j] - 2*q[c]
				ar := 0.0
				if k.same {
					ar = k.scale * d2
				} else {
					ar = p.bb[i] + p.bb[j] - 2*square[c]
				}
				if d2 <= near*(p.xb[i]+p.xb[j]) {
					d2, ar = k.exact(p.x[i*d:(i+1)*d], p.x[j*d:(j+1)*d])
				}
				q[c], square[c] = d2, ar
				cross[c] = p.ub[i] + p.ub[j] - cross[c] - more[c]
			}
			row := q[at : at+i+1]
			of, slope, curve := row, kappa[:i+1], rho[:i+1]
			kernels.Profiles(k.radial, path, of, slope, nil, curve, row)
			for j := range row {
				c := at + j
				bend := 0.0
				if square[c] > 0 {
					bend = curve[j] * square[c]
				}
				row[j] = of[j]*uu[c] + slope[j]*(k.trace+cross[c]-bend)
			}
			row[i] = k.diagonal(p.u[i*d : (i+1)*d])
			f(i, row)
		}
	}
}
