package hmc

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/draws"
	"bayeskernel/internal/workers"
)

// Rand is the source of random numbers for a transition. *rand.Rand of math/rand/v2 implements it.
type Rand interface {
	Float64() float64     // uniform on [0,1)
	NormFloat64() float64 // standard normal
}

// Point is a point of phase space: a position with its density and gradient, and a momentum with
// its velocity. The momentum may not have been drawn yet.
type Point struct {
	X    []float64 // position
	Grad []float64 // gradient of the log density at X
	P    []float64 // momentum
	V    []float64 // velocity W P
	LogP float64   // log density at X
	wg   []float64 // W Grad, for metrics that update it in each step
}

// NewPoint returns a point of d dimensions at the origin.
func NewPoint(d int) *Point {
	b := make([]float64, 5*d)
	cut := func(i int) []float64 { return b[i*d : (i+1)*d : (i+1)*d] }
	return &Point{X: cut(0), Grad: cut(1), P: cut(2), V: cut(3), wg: cut(4)}
}

// CopyFrom makes z equal to o.
func (z *Point) CopyFrom(o *Point) {
	copy(z.X, o.X)
	copy(z.Grad, o.Grad)
	copy(z.P, o.P)
	copy(z.V, o.V)
	copy(z.wg, o.wg)
	z.LogP = o.LogP
}

// CopyPosition copies the position, density and gradient of o to z.
func (z *Point) CopyPosition(o *Point) {
	copy(z.X, o.X)
	copy(z.Grad, o.Grad)
	z.LogP = o.LogP
}

// Hamiltonian is the total energy H(x,p) = -log density(x) + p'Wp/2. It integrates trajectories and
// counts evaluations of the target. It is not safe for concurrent use.
type Hamiltonian struct {
	target Target
	metric Metric

	Gradients int // evaluations of the target

	at  []float64       // the position evaluated last, for the message when a target panics
	err error           // the first +Inf or failure met
	ctx context.Context // cancels evaluations; may be nil
}

// NewHamiltonian returns the Hamiltonian of t with metric m. It panics if their dimensions differ.
func NewHamiltonian(t Target, m Metric) *Hamiltonian {
	h := &Hamiltonian{target: t, at: make([]float64, t.Dim())}
	h.SetMetric(m)
	return h
}

// Dim returns the dimension of the position.
func (h *Hamiltonian) Dim() int { return h.metric.Dim() }

// SetMetric replaces the metric.
func (h *Hamiltonian) SetMetric(m Metric) {
	if d := m.Dim(); d != h.target.Dim() {
		panic(fmt.Sprintf("hmc: metric of dimension %d for a target of dimension %d", d, h.target.Dim()))
	}
	h.metric = m.own()
}

// Err returns an error if any evaluation so far gave a density of +Inf, or failed. It ends the chain.
func (h *Hamiltonian) Err() error { return h.err }

// Evaluate computes density and gradient at z.X.
func (h *Hamiltonian) Evaluate(z *Point) {
	z.LogP = h.density(z.X, z.Grad) + 0 // a checkpoint keeps no sign of zero
	if z.LogP > math.MaxFloat64 && h.err == nil {
		h.err = fmt.Errorf("hmc: log density is +Inf at %s: "+
			"a density must be finite or zero", formatPoint(z.X))
	}
	if z.LogP-z.LogP != 0 && h.err == nil {
		if f, ok := h.target.(Failer); ok {
			h.err = f.Failed()
		}
	}
}

// density evaluates the target, unless the context was cancelled.
func (h *Hamiltonian) density(x, grad []float64) float64 {
	if h.ctx != nil { // an interrupted transition can be repeated
		workers.Check(h.ctx)
	}
	copy(h.at, x)
	h.Gradients++
	return h.target.LogDensity(x, grad)
}

// watched is the target of a Hamiltonian; it counts every evaluation.
type watched struct{ h *Hamiltonian }

func (w watched) Dim() int { return w.h.target.Dim() }

func (w watched) LogDensity(x, grad []float64) float64 { return w.h.density(x, grad) }

// Momentum draws a fresh momentum for z.
func (h *Hamiltonian) Momentum(z *Point, r Rand) { h.metric.momentum(z, r) }

// Energy returns H at z; NaN if anything at z is not a number.
func (h *Hamiltonian) Energy(z *Point) float64 {
	k := 0.0
	for i, v := range z.V {
		k += z.P[i] * v
	}
	return 0.5*k - z.LogP
}

// Leapfrog moves z by one step of size eps, backwards in time if eps is negative: half a step of
// the momentum, a step of the position, half a step of the momentum. It evaluates the target once.
func (h *Hamiltonian) Leapfrog(z *Point, eps float64) { h.metric.leapfrog(h, z, eps) }

// MaxEnergyError is the energy error above which a trajectory counts as divergent, Stan's choice.
const MaxEnergyError = 1000

// DivergenceReason says why the energy at z is far from the energy at the start.
func DivergenceReason(z *Point) string {
	switch {
	case math.IsNaN(z.LogP):
		return draws.ReasonNaN
	case math.IsInf(z.LogP, -1):
		return draws.ReasonOutside
	}
	for _, g := range z.Grad {
		if math.IsNaN(g) || math.IsInf(g, 0) {
			return draws.ReasonGradient
		}
	}
	return draws.ReasonEnergy
}

// Outcome is what a transition reports in addition to the new state.
type Outcome struct {
	draws.Stat
	// Symmetric is the mean over the trajectory of 2 min(1,e^D)/(1+e^D), where D = H0 - H. This
	// acceptance statistic treats rises and falls in energy alike.
	Symmetric float64
	// Lost is the largest energy error H - H0 along the trajectory.
	Lost float64
	// After a divergence: where the trajectory diverged (valid until the next transition), the
	// energy error, and the reason.
	Broke       []float64
	EnergyError float64
	Reason      string
}

// Transition moves a chain by one step. On entry z holds the current position, density and
// gradient; on return it holds the new ones.
type Transition interface {
	Step(z *Point, eps float64, r Rand) Outcome
}

// Limiter is a Transition that doubles its trajectories. Early in warm-up, Limit bounds the number
// of doublings; 0 lifts the bound.
type Limiter interface{ Limit(doublings int) }

// formatPoint formats at most eight components of a position for a message.
func formatPoint(x []float64) string {
	const most = 8
	s := "("
	for i, v := range x {
		if i == most {
			return s + fmt.Sprintf(", … %d more)", len(x)-most)
		}
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("%.6g", v)
	}
	return s + ")"
}
