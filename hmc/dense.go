package hmc

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/draws"
)

// DenseMetric is a full matrix.
const DenseMetric denseKind = "dense_e"

type denseKind string

func (k denseKind) String() string { return string(k) }

func (k denseKind) in(int) kind { return k }

func (denseKind) read(r draws.Metric) (Metric, error) { return NewDenseMetric(r.Dense) }

func (denseKind) from(m Metric) (Metric, error) { return newDense(m.Dim(), m.dense()) }

func (denseKind) least(d int) int { return d }

func (k denseKind) learner(p plan) learner {
	if p.Estimator == Fisher {
		return newPairs(k, p, 0)
	}
	return newMoments(k, p.Dim, true, (*moments).stanDense)
}

type denseMetric struct {
	d    int
	w    []float64 // W by rows
	chol []float64 // its lower Cholesky factor by rows
}

// NewDenseMetric returns the metric with W given by its rows; it must be symmetric and positive
// definite.
func NewDenseMetric(w [][]float64) (Metric, error) {
	d := len(w)
	flat := make([]float64, 0, d*d)
	for i, row := range w {
		if len(row) != d {
			return nil, fmt.Errorf("hmc: row %d of a dense metric has %d elements, "+
				"want a matrix of %d x %d", i, len(row), d, d)
		}
		flat = append(flat, row...)
	}
	for i := range d {
		for j := range i {
			a, b := flat[i*d+j], flat[j*d+i]
			if math.Abs(a-b) > 1e-12*math.Sqrt(math.Abs(flat[i*d+i]*flat[j*d+j])) {
				return nil, fmt.Errorf("hmc: dense metric is not symmetric: "+
					"element (%d,%d) is %v and (%d,%d) is %v", i, j, a, j, i, b)
			}
		}
	}
	return newDense(d, flat)
}

// newDense takes ownership of w, which is symmetric.
func newDense(d int, w []float64) (Metric, error) {
	m := &denseMetric{d, w, make([]float64, d*d)}
	for i := range d {
		for j := 0; j <= i; j++ {
			s := w[i*d+j]
			for k := range j {
				s -= m.chol[i*d+k] * m.chol[j*d+k]
			}
			if i != j {
				m.chol[i*d+j] = s / m.chol[j*d+j]
				continue
			}
			if !(s > 0) || math.IsInf(s, 1) {
				return nil, fmt.Errorf("hmc: dense metric is not positive definite: "+
					"pivot %d of its Cholesky factor is %v", i, s)
			}
			m.chol[i*d+i] = math.Sqrt(s)
		}
	}
	return m, nil
}

func (*denseMetric) Kind() MetricKind { return DenseMetric }

func (m *denseMetric) Dim() int { return m.d }

func (m *denseMetric) Record() draws.Metric {
	r := draws.Metric{Kind: DenseMetric.String(), Holds: draws.Correlated, Dense: make([][]float64, m.d)}
	for i := range r.Dense {
		r.Dense[i] = slices.Clone(m.w[i*m.d : (i+1)*m.d])
	}
	return r
}

// momentum solves L'p = n for normals n, where W = L L'.
func (m *denseMetric) momentum(z *Point, r Rand) {
	p := z.P
	normals(p, r)
	d := m.d
	for i := d - 1; i >= 0; i-- {
		p[i] /= m.chol[i*d+i]
		for j, l := range m.chol[i*d : i*d+i] {
			p[j] -= l * p[i]
		}
	}
	m.apply(z.V, p)
	m.apply(z.wg, z.Grad)
}

func (m *denseMetric) leapfrog(h *Hamiltonian, z *Point, eps float64) { carried(m, h, z, eps) }

func (m *denseMetric) apply(dst, p []float64) { symv(dst, m.w, p) }

// whiten solves L y = x, where W = L L'.
func (m *denseMetric) whiten(x []float64) {
	for i := range x {
		row := m.chol[i*m.d : i*m.d+i+1]
		x[i] = (x[i] - dot(row[:i], x)) / row[i]
	}
}

func (m *denseMetric) diagonal() []float64 {
	diag := make([]float64, m.d)
	for i := range diag {
		diag[i] = m.w[i*m.d+i]
	}
	return diag
}

func (m *denseMetric) dense() []float64 { return slices.Clone(m.w) }

func (m *denseMetric) correlated() bool {
	for k, v := range m.w {
		if v != 0 && k/m.d != k%m.d {
			return true
		}
	}
	return false
}

func (m *denseMetric) own() Metric { return m }

// symv sets dst = w p for a symmetric w stored by rows. Four rows are taken at once, so that p is
// read once for each four; the sum of a row runs in order whatever the dimension.
func symv(dst, w, p []float64) {
	d := len(p)
	i := 0
	for ; i+4 <= d; i += 4 {
		r0 := w[i*d : i*d+d][:len(p)]
		r1 := w[(i+1)*d : (i+1)*d+d][:len(p)]
		r2 := w[(i+2)*d : (i+2)*d+d][:len(p)]
		r3 := w[(i+3)*d : (i+3)*d+d][:len(p)]
		var s0, s1, s2, s3 float64
		for j, pj := range p {
			s0 += r0[j] * pj
			s1 += r1[j] * pj
			s2 += r2[j] * pj
			s3 += r3[j] * pj
		}
		dst[i], dst[i+1], dst[i+2], dst[i+3] = s0, s1, s2, s3
	}
	for ; i < d; i++ {
		s := 0.0
		for j, r := range w[i*d : i*d+d][:len(p)] {
			s += r * p[j]
		}
		dst[i] = s
	}
}
