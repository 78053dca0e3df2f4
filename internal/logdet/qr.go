package logdet

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	// tinyNorm is the weighted norm below which weights are taken anew from their logarithms.
	// Weights that have underflowed are then far below it.
	tinyNorm = 1e-125
	// smallNorm is the weighted norm, relative to the first, below which remainders count as rounding
	// and are set to zero. Above, they are too small to matter: they count by their squares.
	smallNorm = 1e-8
	// rounding is that level, beside the sizes of the data and of all that was subtracted.
	rounding = 16 * 0x1p-52
)

// qr is the state of a QR factorisation with row and column pivoting of the matrix whose rows are
// w_l b_l, where b_l = x - z_l but for a power of two for each column, and w_l = kappa_l e^-ref.
// The weights are kept apart: the columns hold the b_l, and weights enter where rows are added up.
// The columns of reflectors found so far hold these instead.
type qr struct {
	scale  []float64 // powers of two near 1/theta_a
	powers int       // the sum of their exponents

	rows   []int     // the distinct pseudo-input in each row
	logW   []float64 // log kappa by row
	w      []float64 // weights
	ref    float64
	norms  []float64 // squared weighted norms of the columns that are left, roughly
	exact  []float64 // these when they were last computed from the columns
	bk     []float64 // the column at hand,
	wwb    []float64 // and the same times the squared weights
	sizeBk []float64
	beta   []float64 // of the reflectors
	zeroes bool      // whether remainders at rounding level are set to zero
}

func newQR(n, d int) qr {
	return qr{
		scale: apart(d), rows: make([]int, n, n+gap/8), logW: apart(n), w: apart(n),
		norms: apart(d), exact: apart(d), bk: apart(n), wwb: apart(n), sizeBk: apart(n),
		beta: apart(d),
	}
}

// byReflectors computes the determinant by reflectors. What Leverages needs is left in cols and qr.
func (w *Workspace) byReflectors(x, logKappa []float64) (sum float64) {
	q := &w.qr
	w.done = singular
	w.loadRows(x, logKappa)
	q.zeroes = false
	if !w.reweigh(0) {
		return math.Inf(-1)
	}
	first, prod, refs := 0.0, 1.0, 0.0
	for k := range w.in.d {
		sigma, row := w.pivot(k)
		if k == 0 {
			first = sigma
		}
		if !q.zeroes && !(sigma >= smallNorm*first) {
			q.zeroes = true
			w.zero(k)
			sigma, row = w.pivot(k)
		}
		if !(sigma >= tinyNorm) {
			q.zeroes = true
			sum += refs * q.ref
			refs = 0
			if !w.reweigh(k) {
				return math.Inf(-1)
			}
			sigma, row = w.pivot(k)
		}
		w.swapRows(k, row)
		w.reflect(k, sigma)
		if prod *= sigma; !(prod > 1e-150 && prod < 1e150) {
			sum += math.Log(prod)
			prod = 1
		}
		refs++
	}
	w.done = byReflectors
	return sum + refs*q.ref + math.Log(prod) - float64(q.powers)*math.Ln2
}

// loadRows writes the b_l into the columns and the logarithms of the weights into logW.
func (w *Workspace) loadRows(x, logKappa []float64) {
	in, q := w.in, &w.qr
	n := len(q.rows)
	for a, c := range w.cols {
		xa, za, s, f := x[a], in.coordinate(a), w.spare[a][:n], q.scale[a]
		c, size := c[:n], math.Abs(xa)*f
		for l, z := range za {
			c[l] = (xa - z) * f
			s[l] = size + math.Abs(z*f) // since x and z are rounded themselves
		}
	}
	for u, l := range in.first {
		q.rows[u], q.logW[u] = u, logKappa[l]
		if in.merged != nil {
			q.logW[u] += math.Log(in.count[u]) / 2
		}
	}
}

// reweigh takes the weights of the rows k and on anew, such that the largest weighted element that
// is left is one, and the norms of the columns. It returns false where nothing is left.
func (w *Workspace) reweigh(k int) bool {
	q := &w.qr
	top := q.bk // free for use here
	clear(top)
	for p := k; p < len(w.cols); p++ {
		c, s := w.cols[p], w.spare[p]
		for l, v := range c {
			// Neither x nor z nor anything that was subtracted: this is what reflectors have mixed into a
			// row of others that count far less. Other elements of that row were set to zero.
			if l >= k && s[l] == 0 {
				v, c[l] = 0, 0
			}
			if v = math.Abs(v); v > top[l] {
				top[l] = v
			}
		}
	}
	q.ref = math.Inf(-1)
	for l := k; l < len(top); l++ {
		if top[l] > 0 {
			q.ref = max(q.ref, q.logW[l]+math.Log(top[l]))
		}
	}
	if math.IsInf(q.ref, -1) {
		return false
	}
	for l := k; l < len(top); l++ {
		q.w[l] = 0
		if top[l] > 0 {
			q.w[l] = math.Exp(q.logW[l] - q.ref)
		}
	}
	for p := k; p < len(w.cols); p++ {
		w.norm(k, p)
	}
	return true
}

// norm computes the squared weighted norm of column p from row k on.
func (w *Workspace) norm(k, p int) {
	q, sum := &w.qr, 0.0
	weight := q.w[k:]
	c := w.cols[p][k:][:len(weight)]
	for l, v := range c {
		t := v * weight[l]
		sum += t * t
	}
	q.norms[p], q.exact[p] = sum, sum
}

// pivot brings the column of largest weighted norm to place k, and returns this norm and the row of
// the largest element.
func (w *Workspace) pivot(k int) (sigma float64, row int) {
	q, col := &w.qr, k
	for p := k; p < len(w.cols); p++ {
		if q.norms[p] > q.norms[col] {
			col = p
		}
	}
	w.cols[k], w.cols[col] = w.cols[col], w.cols[k]
	w.spare[k], w.spare[col] = w.spare[col], w.spare[k]
	q.norms[col], q.exact[col] = q.norms[k], q.exact[k]
	weight := q.w[k:]
	c := w.cols[k][k:][:len(weight)]
	top, sum := 0.0, 0.0
	for l, v := range c {
		t := math.Abs(v * weight[l])
		sum += t * t
		if t > top {
			top, row = t, l
		}
	}
	return math.Sqrt(sum), k + row
}

// zero sets to zero what cancellation has left in the columns from k on, and takes their norms
// anew.
func (w *Workspace) zero(k int) {
	for p := k; p < len(w.cols); p++ {
		s := w.spare[p]
		for l, v := range w.cols[p] {
			if l >= k && math.Abs(v) <= rounding*s[l] {
				w.cols[p][l] = 0
			}
		}
		w.norm(k, p)
	}
}

// swapRows exchanges rows, and those of the reflectors with them.
func (w *Workspace) swapRows(i, j int) {
	if i == j {
		return
	}
	q := &w.qr
	for a, c := range w.cols {
		c[i], c[j] = c[j], c[i]
		if a > i {
			s := w.spare[a]
			s[i], s[j] = s[j], s[i]
		}
	}
	q.rows[i], q.rows[j] = q.rows[j], q.rows[i]
	q.logW[i], q.logW[j] = q.logW[j], q.logW[i]
	q.w[i], q.w[j] = q.w[j], q.w[i]
}

// reflect applies to the columns after k the reflector that takes column k to a multiple of the
// k-th unit vector, and writes the reflector in its place.
func (w *Workspace) reflect(k int, sigma float64) {
	q := &w.qr
	n := len(q.w)
	c, weight := w.cols[k][k+1:n], q.w[k+1:n]
	bk, wwb, size := q.bk[k+1 : n][:len(c)], q.wwb[k+1 : n][:len(c)], q.sizeBk[k+1 : n][:len(c)]
	sk := w.spare[k][k+1 : n][:len(c)]
	for l, v := range c {
		u := v * weight[l]
		bk[l], size[l], wwb[l] = v, math.Abs(v), u*weight[l]
		if q.zeroes && v == 0 {
			size[l] = sk[l] // what was set to zero is missing from what it is taken from
		}
		c[l] = u
	}
	b := w.cols[k][k]
	u := b * q.w[k]
	beta := 1 / (sigma * (sigma + math.Abs(u)))
	for p := k + 1; p < len(w.cols); p++ {
		cp, sp := w.cols[p], w.spare[p]
		f := cp[k] / b
		dot := 0.0
		if q.zeroes {
			dot = subtract(cp[k+1:], sp[k+1:], f, bk, size, wwb)
		} else {
			floats.AddScaled(cp[k+1:], -f, bk)
			dot = floats.Dot(cp[k+1:], wwb)
			floats.AddScaled(sp[k+1:], math.Abs(f), size)
		}
		floats.AddScaled(cp[k+1:], -beta*dot, bk)
		r := f*sigma + dot/sigma // the element above
		q.norms[p] -= r * r
		if !(q.norms[p] > 1e-6*q.exact[p]) {
			w.norm(k+1, p)
		}
	}
	w.cols[k][k] = u + math.Copysign(sigma, u) // of one sign, so that nothing cancels
	q.beta[k] = beta
}

// subtract takes f times bk from c, sets remainders at rounding level to zero, and returns the
// product of what is left with wwb. The sizes of what was subtracted are added up in s.
func subtract(c, s []float64, f float64, bk, sizes, wwb []float64) (sum float64) {
	c, s, sizes, wwb = c[:len(bk)], s[:len(bk)], sizes[:len(bk)], wwb[:len(bk)]
	by := math.Abs(f)
	for l, v := range bk {
		t := c[l] - f*v
		size := s[l] + by*sizes[l]
		s[l] = size
		if math.Abs(t) <= rounding*size {
			t = 0
		}
		c[l] = t
		sum += t * wwb[l]
	}
	return sum
}

// orthogonal writes into spare the orthonormal columns: the reflectors, the last one first, applied
// to the first columns of a unit matrix. Rows of small weight keep their relative accuracy.
func (w *Workspace) orthogonal() {
	d := w.in.d
	for k := d - 1; k >= 0; k-- {
		u, beta := w.cols[k], w.qr.beta[k]
		for p := k + 1; p < d; p++ {
			c := w.spare[p]
			f := -beta * floats.Dot(u[k+1:], c[k+1:])
			floats.AddScaled(c[k+1:], f, u[k+1:])
			c[k] = f * u[k]
		}
		c := w.spare[k]
		clear(c[:k])
		f := -beta * u[k]
		floats.ScaleTo(c[k:], f, u[k:])
		c[k]++
	}
}

// restore puts what is by rows in the order of the distinct pseudo-inputs.
func (q *qr) restore(x []float64) {
	for i, u := range q.rows {
		q.bk[u] = x[i]
	}
	copy(x, q.bk)
}
