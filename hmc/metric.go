package hmc

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/draws"
)

// MetricKind says what shape of metric warm-up adapts.
type MetricKind int

// The kinds of metric.
const (
	AutoMetric    MetricKind = iota // by the draws: see the package's documentation
	UnitMetric                      // the identity, not adapted
	DiagMetric                      // diagonal
	DenseMetric                     // full matrix
	LowRankMetric                   // diagonal times a few directions stretched times diagonal
)

// autoDense is the largest dimension at which AutoMetric estimates a full matrix: a refresh costs
// O(d^3) and a leapfrog step O(d^2).
const autoDense = 100

// resolve replaces AutoMetric by the family that it chooses from in d dimensions; each holds
// diagonal metrics too.
func (k MetricKind) resolve(d int) MetricKind {
	if k != AutoMetric {
		return k
	}
	if d <= autoDense {
		return DenseMetric
	}
	return LowRankMetric
}

// String returns the name that Stan's files use, or "auto" or "low_rank", which they do not know.
func (k MetricKind) String() string {
	switch k {
	case AutoMetric:
		return "auto"
	case UnitMetric:
		return "unit_e"
	case DiagMetric:
		return "diag_e"
	case DenseMetric:
		return "dense_e"
	case LowRankMetric:
		return "low_rank"
	}
	return fmt.Sprintf("MetricKind(%d)", int(k))
}

// Metric is an inverse metric W, an estimate of the covariance of the target. Momenta are drawn
// from N(0, W^-1), and the velocity of a momentum p is W p.
type Metric struct {
	kind  MetricKind
	d     int
	diag  []float64 // DiagMetric: the diagonal of W
	root  []float64 // DiagMetric: its square root
	dense []float64 // DenseMetric: W by rows
	chol  []float64 // DenseMetric: its lower Cholesky factor by rows
	low   *lowRank  // LowRankMetric
}

// NewUnitMetric returns the identity.
func NewUnitMetric(d int) Metric { return Metric{kind: UnitMetric, d: d} }

// NewDiagMetric returns the metric with W = diag(w).
func NewDiagMetric(w []float64) (Metric, error) {
	m := Metric{kind: DiagMetric, d: len(w), diag: append([]float64(nil), w...)}
	m.root = make([]float64, len(w))
	for i, v := range w {
		if !(v > 0) || math.IsInf(v, 1) {
			return Metric{}, fmt.Errorf("hmc: element %d of a diagonal metric is %v: "+
				"it must be positive and finite", i, v)
		}
		m.root[i] = math.Sqrt(v)
	}
	return m, nil
}

// NewDenseMetric returns the metric with W given by its rows; it must be symmetric and positive
// definite.
func NewDenseMetric(w [][]float64) (Metric, error) {
	d := len(w)
	flat := make([]float64, 0, d*d)
	for i, row := range w {
		if len(row) != d {
			return Metric{}, fmt.Errorf("hmc: row %d of a dense metric has %d elements: "+
				"the matrix must be %d x %d", i, len(row), d, d)
		}
		flat = append(flat, row...)
	}
	for i := range d {
		for j := range i {
			a, b := flat[i*d+j], flat[j*d+i]
			if math.Abs(a-b) > 1e-12*math.Sqrt(math.Abs(flat[i*d+i]*flat[j*d+j])) {
				return Metric{}, fmt.Errorf("hmc: dense metric is not symmetric: "+
					"element (%d,%d) is %v and (%d,%d) is %v", i, j, a, j, i, b)
			}
		}
	}
	return newDense(d, flat)
}

// newDense takes ownership of w, which is symmetric.
func newDense(d int, w []float64) (Metric, error) {
	m := Metric{kind: DenseMetric, d: d, dense: w, chol: make([]float64, d*d)}
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
				return Metric{}, fmt.Errorf("hmc: dense metric is not positive definite: "+
					"pivot %d of its Cholesky factor is %v", i, s)
			}
			m.chol[i*d+i] = math.Sqrt(s)
		}
	}
	return m, nil
}

// Kind returns the shape of the metric.
func (m Metric) Kind() MetricKind { return m.kind }

// Record returns the metric as a run keeps it.
func (m Metric) Record() draws.Metric {
	r := draws.Metric{Kind: m.kind.String()}
	switch m.kind {
	case UnitMetric:
		r.Diag = make([]float64, m.d)
		for i := range r.Diag {
			r.Diag[i] = 1
		}
	case DiagMetric:
		r.Diag = append([]float64(nil), m.diag...)
	case LowRankMetric:
		l := m.low
		r.Diag = l.diagonal()
		r.Scale = append([]float64(nil), l.scale...)
		r.Eigen = append([]float64(nil), l.eigen...)
		for k := range l.eigen {
			r.Directions = append(r.Directions, append([]float64(nil), l.rows[k*m.d:(k+1)*m.d]...))
		}
	case DenseMetric:
		r.Dense = make([][]float64, m.d)
		for i := range r.Dense {
			r.Dense[i] = append([]float64(nil), m.dense[i*m.d:(i+1)*m.d]...)
		}
	}
	return r
}

// diagonal returns the diagonal of W.
func (m Metric) diagonal() []float64 {
	if m.kind == LowRankMetric {
		return m.low.diagonal()
	}
	diag := make([]float64, m.d)
	for i := range diag {
		switch m.kind {
		case DiagMetric:
			diag[i] = m.diag[i]
		case DenseMetric:
			diag[i] = m.dense[i*m.d+i]
		default:
			diag[i] = 1
		}
	}
	return diag
}

// as returns m in the shape of another kind: a diagonal as a full matrix or as one of low rank, the
// diagonal of a full matrix, or the identity.
func (m Metric) as(kind MetricKind) (Metric, error) {
	if m.kind == kind {
		return m, nil
	}
	switch kind {
	case DiagMetric:
		return NewDiagMetric(m.diagonal())
	case DenseMetric:
		if m.kind == LowRankMetric {
			return m.low.dense()
		}
		return diagAsDense(m.diagonal())
	case LowRankMetric:
		return m.toLowRank()
	}
	return NewUnitMetric(m.d), nil
}

// toLowRank returns m by the directions of its correlations, all of them.
func (m Metric) toLowRank() (Metric, error) {
	scale := m.diagonal()
	for i, v := range scale {
		scale[i] = math.Sqrt(v)
	}
	if !m.correlated() {
		return newLowRank(scale, nil, nil)
	}
	c := mat.NewSymDense(m.d, nil)
	for i := range m.d {
		for j := range i + 1 {
			c.SetSym(i, j, m.dense[i*m.d+j]/(scale[i]*scale[j]))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(c, true) {
		return Metric{}, fmt.Errorf("hmc: dense metric has no eigenvalues: is it finite?")
	}
	var u mat.Dense
	eig.VectorsTo(&u)
	rows := make([]float64, 0, m.d*m.d)
	for k := range m.d {
		rows = append(rows, mat.Col(nil, k, &u)...)
	}
	return newLowRank(scale, rows, eig.Values(nil))
}

// correlated reports whether the metric has elements off its diagonal.
func (m Metric) correlated() bool {
	if m.kind == LowRankMetric {
		return len(m.low.lift) > 0
	}
	for k, v := range m.dense {
		if v != 0 && k/m.d != k%m.d {
			return true
		}
	}
	return false
}

// metricFromRecord is the inverse of Record.
func metricFromRecord(r draws.Metric) (Metric, error) {
	switch r.Kind {
	case "unit_e":
		return NewUnitMetric(len(r.Diag)), nil
	case "diag_e":
		return NewDiagMetric(r.Diag)
	case "dense_e":
		return NewDenseMetric(r.Dense)
	case "low_rank":
		return NewLowRankMetric(r.Scale, r.Directions, r.Eigen)
	}
	return Metric{}, fmt.Errorf("hmc: unknown kind of metric %q", r.Kind)
}

// momentum draws p from N(0, W^-1), with normals taken in the order of the components.
func (m *Metric) momentum(p []float64, r Rand) {
	for i := range p {
		p[i] = r.NormFloat64()
	}
	switch m.kind {
	case LowRankMetric:
		m.low.momentum(p)
	case DiagMetric:
		for i, s := range m.root {
			p[i] /= s
		}
	case DenseMetric: // W = L L', and p solves L' p = n
		d := m.d
		for i := d - 1; i >= 0; i-- {
			p[i] /= m.chol[i*d+i]
			for j, l := range m.chol[i*d : i*d+i] {
				p[j] -= l * p[i]
			}
		}
	}
}

// carries reports whether the velocity is carried along by W grad, so that a step costs one
// product.
func (m *Metric) carries() bool { return m.kind == DenseMetric || m.kind == LowRankMetric }

// apply sets dst = W p.
func (m *Metric) apply(dst, p []float64) {
	switch m.kind {
	case LowRankMetric:
		m.low.apply(dst, p)
	case DiagMetric:
		for i, w := range m.diag {
			dst[i] = w * p[i]
		}
	case DenseMetric:
		symv(dst, m.dense, p)
	default:
		copy(dst, p)
	}
}

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
