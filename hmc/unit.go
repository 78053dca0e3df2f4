package hmc

import (
	"fmt"

	"bayeskernel/draws"
)

// UnitMetric is the identity, which is not adapted.
const UnitMetric unitKind = "unit_e"

type unitKind string

func (k unitKind) String() string { return string(k) }

func (k unitKind) in(int) kind { return k }

func (unitKind) read(r draws.Metric) (Metric, error) { return NewUnitMetric(len(r.Diag)), nil }

func (k unitKind) from(m Metric) (Metric, error) {
	return nil, fmt.Errorf("hmc: Metric is %v, but it is to start from %v", k, m.Kind())
}

func (unitKind) least(int) int { return 0 }

func (unitKind) learner(plan) learner { return nil }

// unitMetric is the identity in so many dimensions.
type unitMetric int

// NewUnitMetric returns the identity.
func NewUnitMetric(d int) Metric { return unitMetric(d) }

func (unitMetric) Kind() MetricKind { return UnitMetric }

func (m unitMetric) Dim() int { return int(m) }

func (m unitMetric) Record() draws.Metric {
	return draws.Metric{Kind: UnitMetric.String(), Diag: m.diagonal()}
}

func (unitMetric) momentum(z *Point, r Rand) {
	normals(z.P, r)
	copy(z.V, z.P)
}

func (unitMetric) leapfrog(h *Hamiltonian, z *Point, eps float64) {
	half := 0.5 * eps
	n := len(z.X)
	x, p, v, g := z.X, z.P[:n], z.V[:n], z.Grad[:n]
	for i := range x {
		p[i] += half * g[i]
		x[i] += eps * p[i]
	}
	h.Evaluate(z)
	for i := range g {
		p[i] += half * g[i]
		v[i] = p[i]
	}
}

func (unitMetric) apply(dst, p []float64) { copy(dst, p) }

func (unitMetric) whiten([]float64) {}

func (unitMetric) colour([]float64) {}

func (m unitMetric) diagonal() []float64 { return ones(int(m)) }

func (m unitMetric) dense() []float64 { return diagonalMatrix(m.diagonal()) }

func (unitMetric) correlated() bool { return false }

func (m unitMetric) own() Metric { return m }
