package hmc

import (
	"fmt"
	"math"
)

// lowRank is the part of a Metric of kind LowRankMetric: W = S (I + U' diag(lift) U) S, where S is
// diagonal and the rows of U are orthonormal. Every product with it costs O(dk), k being the number
// of rows.
type lowRank struct {
	scale []float64 // diagonal of S
	rows  []float64 // U, k rows of d
	eigen []float64 // eigenvalues of the middle factor
	lift  []float64 // eigen minus 1
	root  []float64 // its inverse square root has 1 + root
	work  []float64 // k products; belongs to one goroutine
}

// NewLowRankMetric returns the metric W = S (I + sum_k (eigen[k] - 1) u_k u_k') S with S =
// diag(scale) and orthonormal rows u_k of directions.
func NewLowRankMetric(scale []float64, directions [][]float64, eigen []float64) (Metric, error) {
	d := len(scale)
	if len(directions) != len(eigen) || len(eigen) > d {
		return Metric{}, fmt.Errorf("hmc: low-rank metric has %d directions and %d eigenvalues, "+
			"want as many of both and at most %d", len(directions), len(eigen), d)
	}
	flat := make([]float64, 0, len(eigen)*d)
	for k, u := range directions {
		if len(u) != d {
			return Metric{}, fmt.Errorf("hmc: direction %d of a low-rank metric has %d components, "+
				"want %d", k, len(u), d)
		}
		for j := range k + 1 {
			want := 0.0
			if j == k {
				want = 1
			}
			if got := dot(u, directions[j]); !(math.Abs(got-want) <= 1e-8) {
				return Metric{}, fmt.Errorf("hmc: product of directions %d and %d of a low-rank "+
					"metric is %v, want %v", j, k, got, want)
			}
		}
		flat = append(flat, u...)
	}
	return newLowRank(append([]float64(nil), scale...), flat, append([]float64(nil), eigen...))
}

// newLowRank takes ownership of its arguments.
func newLowRank(scale, rows, eigen []float64) (Metric, error) {
	k := len(eigen)
	l := &lowRank{scale: scale, rows: rows, eigen: eigen, lift: make([]float64, k),
		root: make([]float64, k), work: make([]float64, k)}
	for i, v := range scale {
		if !(v > 0) || math.IsInf(v*v, 1) || v*v == 0 {
			return Metric{}, fmt.Errorf("hmc: scale %d of a low-rank metric is %v: "+
				"it must be positive and its square finite", i, v)
		}
	}
	for k, v := range eigen {
		if !(v > 0) || math.IsInf(v, 1) {
			return Metric{}, fmt.Errorf("hmc: eigenvalue %d of a low-rank metric is %v: "+
				"it must be positive and finite", k, v)
		}
		l.lift[k], l.root[k] = v-1, 1/math.Sqrt(v)-1
	}
	return Metric{kind: LowRankMetric, d: len(scale), low: l}, nil
}

// own returns l with memory of its own for products.
func (l *lowRank) own() *lowRank {
	o := *l
	o.work = make([]float64, len(l.lift))
	return &o
}

// apply sets dst = W p.
func (l *lowRank) apply(dst, p []float64) {
	for i, s := range l.scale {
		dst[i] = s * p[i]
	}
	l.stretch(dst, l.lift)
	for i, s := range l.scale {
		dst[i] *= s
	}
}

// momentum turns standard normals p into a draw from N(0, W^-1).
func (l *lowRank) momentum(p []float64) {
	l.stretch(p, l.root)
	for i, s := range l.scale {
		p[i] /= s
	}
}

// stretch sets y = (I + U' diag(by) U) y.
func (l *lowRank) stretch(y, by []float64) {
	d, k := len(y), len(by)
	c := l.work
	i := 0
	for ; i+4 <= k; i += 4 {
		c[i], c[i+1], c[i+2], c[i+3] = dot4(l.rows[i*d:(i+4)*d], y)
	}
	for ; i < k; i++ {
		c[i] = dot(l.rows[i*d:(i+1)*d], y)
	}
	for i, b := range by {
		c[i] *= b
	}
	i = 0
	for ; i+4 <= k; i += 4 {
		add4(y, l.rows[i*d:(i+4)*d], c[i:i+4])
	}
	for ; i < k; i++ {
		f := c[i]
		for j, u := range l.rows[i*d : (i+1)*d][:len(y)] {
			y[j] += f * u
		}
	}
}

// dot4 returns the products of y with four rows, reading y once.
func dot4(rows, y []float64) (a, b, c, e float64) {
	d := len(y)
	r0, r1 := rows[:d][:len(y)], rows[d : 2*d][:len(y)]
	r2, r3 := rows[2*d : 3*d][:len(y)], rows[3*d : 4*d][:len(y)]
	for j, v := range y {
		a += r0[j] * v
		b += r1[j] * v
		c += r2[j] * v
		e += r3[j] * v
	}
	return a, b, c, e
}

// add4 adds four rows times f to y.
func add4(y, rows, f []float64) {
	d := len(y)
	r0, r1 := rows[:d][:len(y)], rows[d : 2*d][:len(y)]
	r2, r3 := rows[2*d : 3*d][:len(y)], rows[3*d : 4*d][:len(y)]
	f0, f1, f2, f3 := f[0], f[1], f[2], f[3]
	for j := range y {
		y[j] += (f0*r0[j] + f1*r1[j]) + (f2*r2[j] + f3*r3[j])
	}
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// diagonal returns the diagonal of W.
func (l *lowRank) diagonal() []float64 {
	d := len(l.scale)
	w := make([]float64, d)
	for i, s := range l.scale {
		v := 1.0
		for k, f := range l.lift {
			u := l.rows[k*d+i]
			v += f * u * u
		}
		w[i] = s * s * v
	}
	return w
}

// dense returns the metric as a full matrix.
func (l *lowRank) dense() (Metric, error) {
	d := len(l.scale)
	w := make([]float64, d*d)
	for i := range d {
		for j := range i + 1 {
			v := 0.0
			for k, f := range l.lift {
				v += f * l.rows[k*d+i] * l.rows[k*d+j]
			}
			if i == j {
				v++
			}
			v *= l.scale[i] * l.scale[j]
			w[i*d+j], w[j*d+i] = v, v
		}
	}
	return newDense(d, w)
}
