package fused

import "math"

// gramRows gathers the terms of the rows: the sum of logarithms as that of a product, as rowSums.
type gramRows struct {
	redo func(i int, trace []float64) (logDet float64)

	p        float64
	exponent int64
	count    int64 // how many rows are in p and trace
	trace    [MaxDim]float64

	slowLog   float64
	slowTrace [MaxDim]float64
}

func (r *gramRows) begin() { *r = gramRows{redo: r.redo, p: 1} }

// worst is the largest condition number for which determinant and traces are taken from G: they
// lose about as many digits as that number has. It is tr G tr G^-1, or with a lengthscale for each
// coordinate, where the size of each is a matter of its unit, sum_a G_aa (G^-1)_aa.
const worst = 1000

// add takes in one block, whose first row has the number first.
func (r *gramRows) add(j *gramJob, first, rows int) {
	switch {
	case !j.ard && j.dim == 2:
		r.add2(j, first, rows)
	case !j.ard:
		r.add3(j, first, rows)
	case j.dim == 2:
		r.addARD2(j, first, rows)
	default:
		r.addARD3(j, first, rows)
	}
}

func (r *gramRows) again(i, thetas int) {
	r.slowLog += r.redo(i, r.slowTrace[:thetas])
}

// multiply takes in the determinant det 2^e of a row.
func (r *gramRows) multiply(det float64, e int64) {
	bits := math.Float64bits(r.p * det)
	r.exponent += int64(bits>>52) - 1023 + e
	r.p = math.Float64frombits(bits&mantissa | 1023<<52)
	r.count++
}

// inverse returns 2^-e, where t is between 2^e and twice that, for t from smallest to 2^1020.
func inverse(t float64) (float64, int64) {
	e := int64(math.Float64bits(t) >> 52)
	return math.Float64frombits(uint64(2046-e) << 52), e - 1023
}

func (r *gramRows) add2(j *gramJob, first, rows int) {
	tg, g11, g12 := j.column(2)[:rows], j.column(3)[:rows], j.column(4)[:rows]
	th, h11, h12 := j.column(5)[:rows], j.column(6)[:rows], j.column(7)[:rows]
	for i, t := range tg {
		s, e := inverse(t)
		t *= s
		a, b := g11[i]*s, g12[i]*s
		c := t - a
		det := a*c - b*b
		if !(det*worst >= t*t && tg[i] >= smallest) {
			r.again(first+i, 1)
			continue
		}
		r.trace[0] += s * (c*h11[i] - 2*b*h12[i] + a*(th[i]-h11[i])) / det
		r.multiply(det, 2*e)
	}
}

// cholesky3 is G = L D L' in three dimensions, without square roots: l2 and l3 are in the first
// column of L, a is the first pivot, and s the matrix that is then left, with its determinant. The
// determinant by minors would lose twice as many digits where two eigenvalues are small.
type cholesky3 struct{ inv, l2, l3, s22, s23, s33, det float64 }

func newCholesky3(a, b, c, d, f, w float64) cholesky3 {
	inv := 1 / a
	l2, l3 := b*inv, c*inv
	s22, s23, s33 := d-l2*b, f-l2*c, w-l3*c
	return cholesky3{inv, l2, l3, s22, s23, s33, s22*s33 - s23*s23}
}

func (c *cholesky3) positive() bool { return c.inv > 0 && c.s22 > 0 && c.det > 0 }

// trace returns tr(G^-1 H), by L^-1 H L^-1'.
func (c *cholesky3) trace(h11, h12, h13, h22, h23, h33 float64) float64 {
	m12, m13 := h12-c.l2*h11, h13-c.l3*h11
	m22, m33 := h22-c.l2*(h12+m12), h33-c.l3*(h13+m13)
	m23 := h23 - c.l2*h13 - c.l3*m12
	return h11*c.inv + (c.s33*m22-2*c.s23*m23+c.s22*m33)/c.det
}

func (r *gramRows) add3(j *gramJob, first, rows int) {
	var g, h [6][]float64
	for k := range g {
		g[k], h[k] = j.column(3 + k)[:rows], j.column(9 + k)[:rows]
	}
	for i := range rows {
		s, e := inverse(g[0][i])
		t, a, d := g[0][i]*s, g[1][i]*s, g[4][i]*s
		c := newCholesky3(a, g[2][i]*s, g[3][i]*s, d, g[5][i]*s, t-a-d)
		if !(g[0][i] >= smallest && c.positive() && t*c.trace(1, 0, 0, 1, 0, 1) <= worst) {
			r.again(first+i, 1)
			continue
		}
		h11, h22 := h[1][i], h[4][i]
		r.trace[0] += s * c.trace(h11, h[2][i], h[3][i], h22, h[5][i], h[0][i]-h11-h22)
		r.multiply(a*c.det, 3*e)
	}
}

func (r *gramRows) addARD2(j *gramJob, first, rows int) {
	g11, g12, g22 := j.column(2)[:rows], j.column(3)[:rows], j.column(4)[:rows]
	var h [5][]float64
	for k := range h {
		h[k] = j.column(5 + k)[:rows]
	}
	for i := range rows {
		// Each element is divided by its own power of two; those of h likewise.
		s, e := inverse(g11[i])
		u, o := inverse(g22[i])
		a, b, c := g11[i]*s, g12[i], g22[i]*u
		bs := b * s
		det := a*c - bs*(b*u)
		if !(det*worst >= 2*a*c && g11[i] >= smallest && g22[i] >= smallest) {
			r.again(first+i, 2)
			continue
		}
		inv := 1 / det
		for k := range 2 {
			// G^-1 = (g22, -g12; -g12, g11)/(g11 g22 - g12^2)
			h11, h12, h22 := h[2*k][i], h[2*k+1][i], h[2*k+2][i]
			r.trace[k] += (c*(h11*s) - 2*bs*(h12*u) + a*(h22*u)) * inv
		}
		r.multiply(det, e+o)
	}
}

// ofARD3 says which sums of products of four are the elements of H for each lengthscale.
var ofARD3 = [3][6]int{{0, 1, 2, 3, 4, 5}, {3, 6, 7, 10, 11, 12}, {5, 8, 9, 12, 13, 14}}

func (r *gramRows) addARD3(j *gramJob, first, rows int) {
	for i := range rows {
		at := func(k int) float64 { return j.block[(3+k)*j.stride+i] }
		g11, g22, g33 := at(0), at(3), at(5)
		if !(g11 >= smallest && g22 >= smallest && g33 >= smallest) {
			r.again(first+i, 3)
			continue
		}
		// Rows and columns are divided by powers of two near the roots of the diagonal.
		s1, e1 := root(g11)
		s2, e2 := root(g22)
		s3, e3 := root(g33)
		scale := [6]float64{s1 * s1, s1 * s2, s1 * s3, s2 * s2, s2 * s3, s3 * s3}
		var g [6]float64
		for k := range g {
			g[k] = at(k) * scale[k]
		}
		c := newCholesky3(g[0], g[1], g[2], g[3], g[4], g[5])
		if !(c.positive() && c.trace(g[0], 0, 0, g[3], 0, g[5]) <= worst) {
			r.again(first+i, 3)
			continue
		}
		for k, of := range ofARD3 {
			var h [6]float64
			for n, product := range of {
				h[n] = at(6+product) * scale[n]
			}
			r.trace[k] += c.trace(h[0], h[1], h[2], h[3], h[4], h[5])
		}
		r.multiply(g[0]*c.det, 2*(e1+e2+e3))
	}
}

// root returns 2^-e, where t is between 2^2e and four times that.
func root(t float64) (float64, int64) {
	e := (int64(math.Float64bits(t)>>52) - 1023) >> 1
	return math.Float64frombits(uint64(1023-e) << 52), e
}
