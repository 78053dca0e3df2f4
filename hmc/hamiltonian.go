package hmc

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/draws"
	"bayeskernel/internal/workers"
)

// Rand is the source of randomness of a transition: *rand.Rand of math/rand/v2 is one.
type Rand interface {
	Float64() float64     // uniform on [0,1)
	NormFloat64() float64 // standard normal
}

// Point is a point of phase space: a position with its density and gradient, and a momentum with
// its velocity. A position alone is a Point whose momentum is yet to be drawn.
type Point struct {
	X    []float64 // position
	Grad []float64 // gradient of the log density at X
	P    []float64 // momentum
	V    []float64 // velocity W P
	LogP float64   // log density at X
	wg   []float64 // W Grad, kept up to date where the metric carries it
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

// CopyPosition makes z's position, density and gradient those of o.
func (z *Point) CopyPosition(o *Point) {
	copy(z.X, o.X)
	copy(z.Grad, o.Grad)
	z.LogP = o.LogP
}

// Hamiltonian is the total energy H(x,p) = -log density(x) + p'Wp/2 with the means to move along
// it. It counts the evaluations of the target. It belongs to one goroutine.
type Hamiltonian struct {
	target Target
	metric Metric

	Gradients int // evaluations of the target

	at  []float64       // the position evaluated last, for the message when a target panics
	err error           // the first +Inf met
	ctx context.Context // whose end ends an evaluation, nil if none does
}

// NewHamiltonian returns the Hamiltonian of t with metric m. It panics when their dimensions
// differ.
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

// Err returns the error that ends a chain: a density of +Inf, wherever it was met.
func (h *Hamiltonian) Err() error { return h.err }

// Evaluate computes density and gradient at z.X.
func (h *Hamiltonian) Evaluate(z *Point) {
	z.LogP = h.density(z.X, z.Grad) + 0 // a checkpoint keeps no sign of zero
	if z.LogP > math.MaxFloat64 && h.err == nil {
		h.err = fmt.Errorf("hmc: log density is +Inf at %s: "+
			"a density must be finite or zero", formatPoint(z.X))
	}
}

// density evaluates the target, unless the context has ended.
func (h *Hamiltonian) density(x, grad []float64) float64 {
	if h.ctx != nil { // a transition left between two gradients can be made again
		workers.Check(h.ctx)
	}
	copy(h.at, x)
	h.Gradients++
	return h.target.LogDensity(x, grad)
}

// watched is the target of a Hamiltonian, every evaluation of which counts.
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

// DivergenceReason says why the energy at z is no longer near that of its start.
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

// Outcome is what a transition reports beside the new state.
type Outcome struct {
	draws.Stat
	// Symmetric is the mean over the trajectory of 2 min(1,e^D)/(1+e^D), D the energy lost: a
	// statistic of acceptance that does not reward gains of energy more than losses.
	Symmetric float64
	// Lost is the most energy that a state of the trajectory had lost.
	Lost float64
	// Of a divergence: where the trajectory broke (lent until the next transition), by how much
	// the energy was off, and why.
	Broke       []float64
	EnergyError float64
	Reason      string
}

// Transition moves a chain by one step: z holds the state on entry (position, density and
// gradient) and the new one on return.
type Transition interface {
	Step(z *Point, eps float64, r Rand) Outcome
}

// Limiter is a Transition whose trajectories double. It is told early in warm-up how often they may,
// and 0 once they may as they like.
type Limiter interface{ Limit(doublings int) }

// formatPoint writes a position for a message, at most eight of its components.
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
