package engine

import "math"

// factored is a symmetric positive definite matrix of n rows with its Cholesky factor and its
// inverse, for densities of whole matrices.
type factored struct {
	n      int
	l, inv []float64
	logDet float64
}

func newFactored(n int) *factored {
	return &factored{n: n, l: make([]float64, n*n), inv: make([]float64, n*n)}
}

// of factors a, of which it looks at the lower triangle, and reports whether it is positive definite.
func (f *factored) of(a []float64) bool {
	n, l := f.n, f.l
	f.logDet = 0
	for i := range n {
		row := l[i*n : (i+1)*n]
		for j := range i + 1 {
			t := a[i*n+j]
			for k, v := range l[j*n : j*n+j] {
				t -= row[k] * v
			}
			if j < i {
				row[j] = t / l[j*n+j]
				continue
			}
			if !(t > 0) || math.IsInf(t, 1) {
				return false
			}
			row[i] = math.Sqrt(t)
			f.logDet += math.Log(t)
		}
	}
	return true
}

// invert computes the inverse: column by column L⁻¹, and then its square.
func (f *factored) invert() {
	n, l, inv := f.n, f.l, f.inv
	for j := range n { // the lower triangle of inv becomes L⁻¹
		for i := j; i < n; i++ {
			t := 0.0
			if i == j {
				t = 1
			}
			for k := j; k < i; k++ {
				t -= l[i*n+k] * inv[k*n+j]
			}
			inv[i*n+j] = t / l[i*n+i]
		}
	}
	for i := range n { // row by row L'⁻¹ L⁻¹, whose later rows need no earlier ones
		for j := range i + 1 {
			t := 0.0
			for k := i; k < n; k++ {
				t += inv[k*n+i] * inv[k*n+j]
			}
			inv[i*n+j] = t
		}
	}
	for i := range n {
		for j := range i {
			inv[j*n+i] = inv[i*n+j]
		}
	}
}

// trace is that of the product of two symmetric matrices.
func trace(a, b []float64) float64 {
	t := 0.0
	for i, v := range a {
		t += v * b[i]
	}
	return t
}

// sandwich writes a b a into dst, for symmetric a and b of n rows. Work has n values.
func sandwich(dst, a, b, work []float64, n int) {
	for i := range n {
		for j := range n {
			t := 0.0
			for k := range n {
				t += a[i*n+k] * b[k*n+j]
			}
			work[j] = t
		}
		for j := range n {
			t := 0.0
			for k, w := range work {
				t += w * a[k*n+j]
			}
			dst[i*n+j] = t
		}
	}
}
