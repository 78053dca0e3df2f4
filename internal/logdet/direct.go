package logdet

import (
	"math"

	"bayeskernel/internal/fused"

	"gonum.org/v1/gonum/floats"
)

const (
	// wellConditioned bounds sum_a G_aa (G^-1)_aa where the determinant of G is taken from its
	// Cholesky factor. An error dG of relative size e changes log det G by tr(G^-1 dG), at most e
	// times this sum. No choice of units changes it, and it is D at best.
	wellConditioned = 1000
	// conditioned bounds the same sum where the factor is corrected. The columns that Gram-Schmidt
	// starts from are then orthonormal to 1e-4 at least.
	conditioned = 1e10
	// short is the number of elements above which a call for a vector pays.
	short = 6
)

// direct computes 1/2 logdet G from the Cholesky factor of G = sum_l kappa_l² v_l v_l'. It reports
// false where G is not conditioned well enough. What Leverages needs is left in cols and gram.
func (w *Workspace) direct(x, kappa []float64) (sum float64, ok bool) {
	in := w.in
	if in.merged != nil {
		for u, l := range in.first {
			w.weight[u] = kappa[l] * math.Sqrt(in.count[u])
		}
	} else {
		copy(w.weight, kappa)
	}
	copy(w.cols, w.fixed)
	for a := range w.cols {
		w.weigh(a, x[a])
	}
	sum, ratio := w.cholesky()
	switch {
	case ratio <= wellConditioned:
		w.done = byCholesky
		return sum, true
	case ratio <= conditioned:
		more, ok := w.orthonormalise()
		w.done = byGramSchmidt
		return sum + more, ok
	}
	return 0, false
}

// cholesky factors the matrix G of the products of the columns. It returns the sum of the
// logarithms of the diagonal of the factor and sum_a G_aa (G^-1)_aa, or a number above conditioned
// as soon as that is clear.
func (w *Workspace) cholesky() (sum, ratio float64) {
	d, prod := w.in.d, 1.0
	for i := range w.cols {
		row := w.gram[i*d : i*d+i+1]
		w.products(row)
		for j := range i {
			row[j] = (row[j] - dot(row[:j], w.gram[j*d:])) * w.inv[j*d+j]
		}
		size := row[i]
		pivot := math.Sqrt(size - dot(row[:i], row))
		// Squares and reciprocals must neither underflow nor overflow, weights that underflow must
		// be far from what counts, and NaN must fail.
		if !(size > 1e-200 && size < 1e200 && pivot > 0) {
			return 0, math.Inf(1)
		}
		row[i], w.diag[i] = pivot, size
		if ratio += w.inverse(i); !(ratio <= conditioned) {
			return 0, math.Inf(1)
		}
		if prod *= pivot; !(prod > 1e-150 && prod < 1e150) {
			sum += math.Log(prod)
			prod = 1
		}
	}
	return sum + math.Log(prod), ratio
}

// inverse computes row i of the inverse of the factor and returns what that adds to
// sum_a G_aa (G^-1)_aa, which only grows.
func (w *Workspace) inverse(i int) (more float64) {
	d := w.in.d
	row, inv := w.gram[i*d:], w.inv[i*d:i*d+i+1]
	clear(inv)
	scale := 1 / row[i]
	for j := range i {
		axpy(inv[:j+1], -row[j]*scale, w.inv[j*d:])
	}
	inv[i] = scale
	for a, v := range inv {
		more += w.diag[a] * v * v
	}
	return more
}

// solve replaces column i of the matrix B by that of B C'^-1, where C is the factor. The columns of
// this matrix are orthonormal but for rounding.
func (w *Workspace) solve(i int) {
	row := w.gram[i*w.in.d:]
	w.subtract(row[:i])
	floats.Scale(1/row[i], w.cols[i])
}

// orthonormalise replaces B by orthonormal columns, and returns the sum of the logarithms by which
// the diagonal of the factor is to be corrected. It reports false where these are not small.
func (w *Workspace) orthonormalise() (sum float64, ok bool) {
	prod := 1.0
	for i, c := range w.cols {
		w.solve(i)
		for _, q := range w.cols[:i] {
			floats.AddScaled(c, -floats.Dot(c, q), q)
		}
		length := math.Sqrt(floats.Dot(c, c))
		if !(length > 0.9 && length < 1.1) {
			return 0, false
		}
		floats.Scale(1/length, c)
		prod *= length
	}
	return math.Log(prod), true
}

// weigh sets column a to what the weights make of the differences from x.
func (w *Workspace) weigh(a int, x float64) {
	if w.kind != fused.Portable {
		w.weighFast(a, x)
		return
	}
	za := w.in.coordinate(a)
	c := w.cols[a][:len(za)]
	for l, k := range w.weight[:len(za)] {
		c[l] = (x - za[l]) * k
	}
}

// products sets row, which has i+1 elements, to the products of column i and columns 0 to i.
func (w *Workspace) products(row []float64) {
	if w.kind != fused.Portable {
		w.productsFast(row)
		return
	}
	c := w.cols[len(row)-1]
	for j := range row {
		row[j] = floats.Dot(c, w.cols[j])
	}
}

// subtract takes row[j] times column j from column i for all i elements of row.
func (w *Workspace) subtract(row []float64) {
	if w.kind != fused.Portable {
		w.subtractFast(row)
		return
	}
	c := w.cols[len(row)]
	for j, f := range row {
		floats.AddScaled(c, -f, w.cols[j])
	}
}

// addColumns adds the squares of the columns to the leverages.
func (w *Workspace) addColumns() {
	if w.kind != fused.Portable {
		w.addColumnsFast()
		return
	}
	addSquares(w.lev, w.cols)
}

// dot is x'y, where y may be longer.
func dot(x, y []float64) (sum float64) {
	y = y[:len(x)]
	if len(x) >= short {
		return floats.Dot(x, y)
	}
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// axpy adds f y to x, where y may be longer.
func axpy(x []float64, f float64, y []float64) {
	y = y[:len(x)]
	if len(x) >= short {
		floats.AddScaled(x, f, y)
		return
	}
	for i, v := range y {
		x[i] += f * v
	}
}
