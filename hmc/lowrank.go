package hmc

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/draws"
)

// LowRankMetric is a diagonal matrix times a few directions stretched times the diagonal matrix.
const LowRankMetric lowRankKind = "low_rank"

type lowRankKind string

func (k lowRankKind) String() string { return string(k) }

func (k lowRankKind) in(int) kind { return k }

// The parts of its record.
const (
	lowRankScale      = "scale"
	lowRankEigen      = "eigen"
	lowRankDirections = "directions"
)

func (lowRankKind) read(r draws.Metric) (Metric, error) {
	return NewLowRankMetric(r.List(lowRankScale), r.Table(lowRankDirections), r.List(lowRankEigen))
}

// from keeps all directions of the correlations of m.
func (lowRankKind) from(m Metric) (Metric, error) {
	scale := m.diagonal()
	for i, v := range scale {
		scale[i] = math.Sqrt(v)
	}
	if !m.correlated() {
		return newLowRank(scale, nil, nil)
	}
	d, w := m.Dim(), m.dense()
	c := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			c.SetSym(i, j, w[i*d+j]/(scale[i]*scale[j]))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(c, true) {
		return nil, fmt.Errorf("hmc: dense metric has no eigenvalues: is it finite?")
	}
	var u mat.Dense
	eig.VectorsTo(&u)
	rows := make([]float64, 0, d*d)
	for k := range d {
		rows = append(rows, mat.Col(nil, k, &u)...)
	}
	return newLowRank(scale, rows, eig.Values(nil))
}

func (lowRankKind) least(int) int { return 0 }

// learner leaves out directions that differ from 1 by less than a quarter: they are not worth their
// cost. The covariance alone says nothing of directions, and the metric in force is kept.
func (k lowRankKind) learner(p plan) learner {
	if p.Estimator == Fisher {
		return newPairs(k, p, 0.25)
	}
	return newMoments(k, p.Dim, false, func(_ *moments, old Metric) (Metric, error) { return old, nil })
}

// lowRank is W = S (I + U' diag(lift) U) S, where S is diagonal and the rows of U are orthonormal.
// Every product with it costs O(dk), k being the number of rows.
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
		return nil, fmt.Errorf("hmc: low-rank metric has %d directions and %d eigenvalues, "+
			"want as many of both and at most %d", len(directions), len(eigen), d)
	}
	flat := make([]float64, 0, len(eigen)*d)
	for k, u := range directions {
		if len(u) != d {
			return nil, fmt.Errorf("hmc: direction %d of a low-rank metric has %d components, "+
				"want %d", k, len(u), d)
		}
		for j := range k + 1 {
			want := 0.0
			if j == k {
				want = 1
			}
			if got := dot(u, directions[j]); !(math.Abs(got-want) <= 1e-8) {
				return nil, fmt.Errorf("hmc: product of directions %d and %d of a low-rank "+
					"metric is %v, want %v", j, k, got, want)
			}
		}
		flat = append(flat, u...)
	}
	return newLowRank(slices.Clone(scale), flat, slices.Clone(eigen))
}

// newLowRank takes ownership of its arguments.
func newLowRank(scale, rows, eigen []float64) (*lowRank, error) {
	k := len(eigen)
	l := &lowRank{scale: scale, rows: rows, eigen: eigen, lift: make([]float64, k),
		root: make([]float64, k), work: make([]float64, k)}
	for i, v := range scale {
		if !(v > 0) || math.IsInf(v*v, 1) || v*v == 0 {
			return nil, fmt.Errorf("hmc: scale %d of a low-rank metric is %v, "+
				"want a positive number with a finite square", i, v)
		}
	}
	for k, v := range eigen {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("hmc: eigenvalue %d of a low-rank metric is %v, "+
				"want a positive, finite number", k, v)
		}
		l.lift[k], l.root[k] = v-1, 1/math.Sqrt(v)-1
	}
	return l, nil
}

func (*lowRank) Kind() MetricKind { return LowRankMetric }

func (l *lowRank) Dim() int { return len(l.scale) }

func (l *lowRank) Record() draws.Metric {
	d := len(l.scale)
	r := draws.Metric{Kind: LowRankMetric.String(), Holds: draws.Correlated, Diag: l.diagonal(),
		Rank: len(l.eigen), Parts: []draws.Part{{Name: lowRankScale, List: slices.Clone(l.scale)},
			{Name: lowRankEigen, List: slices.Clone(l.eigen)}}}
	if r.Rank == 0 {
		return r
	}
	var directions [][]float64
	for k := range l.eigen {
		directions = append(directions, slices.Clone(l.rows[k*d:(k+1)*d]))
	}
	r.Parts = append(r.Parts, draws.Part{Name: lowRankDirections, Table: directions})
	return r
}

func (l *lowRank) own() Metric {
	o := *l
	o.work = make([]float64, len(l.lift))
	return &o
}

func (l *lowRank) apply(dst, p []float64) {
	for i, s := range l.scale {
		dst[i] = s * p[i]
	}
	l.stretch(dst, l.lift)
	for i, s := range l.scale {
		dst[i] *= s
	}
}

func (l *lowRank) momentum(z *Point, r Rand) {
	p := z.P
	normals(p, r)
	l.stretch(p, l.root)
	for i, s := range l.scale {
		p[i] /= s
	}
	l.apply(z.V, p)
	l.apply(z.wg, z.Grad)
}

func (l *lowRank) leapfrog(h *Hamiltonian, z *Point, eps float64) { carried(l, h, z, eps) }

func (l *lowRank) whiten(x []float64) {
	for i, s := range l.scale {
		x[i] /= s
	}
	l.stretch(x, l.root)
}

func (l *lowRank) correlated() bool { return len(l.lift) > 0 }

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

func (l *lowRank) dense() []float64 {
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
	return w
}
