package hmc

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/draws"
)

// DiagMetric is a diagonal matrix.
const DiagMetric diagKind = "diag_e"

type diagKind string

func (k diagKind) String() string { return string(k) }

func (k diagKind) in(int) kind { return k }

func (diagKind) read(r draws.Metric) (Metric, error) { return NewDiagMetric(r.Diag) }

func (diagKind) from(m Metric) (Metric, error) { return NewDiagMetric(m.diagonal()) }

func (diagKind) least(int) int { return 0 }

func (k diagKind) learner(p plan) learner {
	if p.Estimator == Fisher {
		return newMoments(k, p.Dim, false, (*moments).fisherDiag)
	}
	return newMoments(k, p.Dim, false, (*moments).stanDiag)
}

type diagMetric struct {
	diag []float64 // the diagonal of W
	root []float64 // its square root
}

// NewDiagMetric returns the metric with W = diag(w).
func NewDiagMetric(w []float64) (Metric, error) {
	m := &diagMetric{slices.Clone(w), make([]float64, len(w))}
	for i, v := range w {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("hmc: element %d of a diagonal metric is %v, "+
				"want a positive, finite number", i, v)
		}
		m.root[i] = math.Sqrt(v)
	}
	return m, nil
}

func (*diagMetric) Kind() MetricKind { return DiagMetric }

func (m *diagMetric) Dim() int { return len(m.diag) }

func (m *diagMetric) Record() draws.Metric {
	return draws.Metric{Kind: DiagMetric.String(), Holds: draws.Diagonal, Diag: m.diagonal()}
}

func (m *diagMetric) momentum(z *Point, r Rand) {
	normals(z.P, r)
	m.whiten(z.P)
	m.apply(z.V, z.P)
}

func (m *diagMetric) leapfrog(h *Hamiltonian, z *Point, eps float64) {
	half := 0.5 * eps
	n := len(z.X)
	x, p, v, g, w := z.X, z.P[:n], z.V[:n], z.Grad[:n], m.diag[:n]
	for i := range x {
		p[i] += half * g[i]
		x[i] += eps * (w[i] * p[i])
	}
	h.Evaluate(z)
	for i := range g {
		p[i] += half * g[i]
		v[i] = w[i] * p[i]
	}
}

func (m *diagMetric) apply(dst, p []float64) {
	for i, w := range m.diag {
		dst[i] = w * p[i]
	}
}

func (m *diagMetric) whiten(x []float64) {
	for i, s := range m.root {
		x[i] /= s
	}
}

func (m *diagMetric) diagonal() []float64 { return slices.Clone(m.diag) }

func (m *diagMetric) dense() []float64 { return diagonalMatrix(m.diag) }

func (*diagMetric) correlated() bool { return false }

func (m *diagMetric) own() Metric { return m }
