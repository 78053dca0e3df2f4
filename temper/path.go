package temper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/hmc"
	"bayeskernel/internal/workers"
)

// path is the target of one replicate at inverse temperature beta. beta changes between
// transitions, so one Hamiltonian and one trajectory serve all rungs.
type path struct {
	target  hmc.Target
	values  *workers.Values // the values to keep of a position
	ref     Reference
	beta    float64
	gradRef []float64
	at      []float64       // the position evaluated last, for the message when a target panics
	extra   int             // evaluations of the target outside transitions
	ctx     context.Context // cancels transitions; may be nil
}

func (p *path) Dim() int { return len(p.at) }

// Names and Constrain are those of the target, for messages about its components.
func (p *path) Names() []string { return p.values.Names }

func (p *path) Constrain(dst, x []float64) { p.values.Write(dst, x) }

// check aborts the current transition if the context was cancelled.
func (p *path) check() {
	if p.ctx != nil {
		workers.Check(p.ctx)
	}
}

// LogDensity returns (1-beta) log ref + beta log target.
func (p *path) LogDensity(x, grad []float64) float64 {
	p.check()
	copy(p.at, x)
	if p.beta == 1 {
		return p.target.LogDensity(x, grad)
	}
	ref := p.ref.LogDensity(x, p.gradRef)
	if !(ref > math.Inf(-1)) {
		return ref
	}
	lp := p.target.LogDensity(x, grad)
	for i, g := range grad {
		grad[i] = (1-p.beta)*p.gradRef[i] + p.beta*g
	}
	return (1-p.beta)*ref + p.beta*lp
}

// state is what rungs swap: a position and the densities there.
type state struct {
	x, gradRef, gradTarget []float64
	ref, target            float64 // log densities
	walker                 int     // identifies the state along the ladder
}

func newState(d, walker int) state {
	b := make([]float64, 3*d)
	return state{x: b[:d:d], gradRef: b[d : 2*d : 2*d], gradTarget: b[2*d:], walker: walker}
}

func (s *state) copyFrom(o *state) {
	copy(s.x, o.x)
	copy(s.gradRef, o.gradRef)
	copy(s.gradTarget, o.gradTarget)
	s.ref, s.target = o.ref, o.target
}

// ratio is l = log target - log ref.
func (s *state) ratio() float64 { return s.target - s.ref }

// load sets z to s as it is at the given beta.
func (s *state) load(z *hmc.Point, beta float64) {
	copy(z.X, s.x)
	if beta == 1 {
		copy(z.Grad, s.gradTarget)
		z.LogP = s.target
		return
	}
	for i := range z.Grad {
		z.Grad[i] = (1-beta)*s.gradRef[i] + beta*s.gradTarget[i]
	}
	z.LogP = (1-beta)*s.ref + beta*s.target
}

// leastBeta is the smallest beta at which the target is recovered from the tempered density. That
// loses digits; below leastBeta the target is evaluated again.
const leastBeta = 1e-3

// store sets s to z, the outcome of a transition at the given beta.
func (s *state) store(z *hmc.Point, p *path) error {
	if slices.Equal(s.x, z.X) {
		return nil
	}
	copy(s.x, z.X)
	if p.beta < leastBeta {
		return s.evaluate(p)
	}
	s.ref = p.ref.LogDensity(s.x, s.gradRef)
	if p.beta == 1 {
		s.target = z.LogP
		copy(s.gradTarget, z.Grad)
		return s.check()
	}
	s.target = (z.LogP - (1-p.beta)*s.ref) / p.beta
	for i, g := range z.Grad {
		s.gradTarget[i] = (g - (1-p.beta)*s.gradRef[i]) / p.beta
	}
	return s.check()
}

// evaluate computes reference and target at s.x. A target that is not a number counts as zero.
func (s *state) evaluate(p *path) error {
	copy(p.at, s.x)
	p.extra++
	s.ref = p.ref.LogDensity(s.x, s.gradRef)
	s.target = p.target.LogDensity(s.x, s.gradTarget)
	if math.IsNaN(s.target) {
		s.target = math.Inf(-1)
	}
	return s.check()
}

func (s *state) check() error {
	switch {
	case s.target > math.MaxFloat64:
		return fmt.Errorf("log density is +Inf at %.6g: a density must be finite or zero",
			head(s.x))
	case math.IsNaN(s.ref) || s.ref > math.MaxFloat64:
		return fmt.Errorf("log density of the reference is %v at %.6g", s.ref, head(s.x))
	}
	return nil
}

// head shortens a position to fit into a message.
func head(x []float64) []float64 { return x[:min(8, len(x))] }

// draw sets s to a draw from the reference.
func (s *state) draw(p *path, r *rand.Rand) error {
	p.check()
	p.ref.Draw(s.x, r)
	if err := s.evaluate(p); err != nil {
		return err
	}
	if math.IsInf(s.ref, -1) {
		return fmt.Errorf("the reference drew %.6g, where its log density is -Inf", head(s.x))
	}
	return nil
}

// drawTries is how many draws of the reference are tried for one at which the target is positive.
const drawTries = 1000

// drawInside draws from the reference until the target and its gradient are finite.
func (s *state) drawInside(p *path, r *rand.Rand) error {
	for range drawTries {
		if err := s.draw(p, r); err != nil {
			return err
		}
		ok := !math.IsInf(s.target, -1)
		for i, g := range s.gradTarget {
			ok = ok && !math.IsNaN(g+s.gradRef[i]) && !math.IsInf(g+s.gradRef[i], 0)
		}
		if ok {
			return nil
		}
	}
	return fmt.Errorf("in %d draws of the reference, the last %.6g, log target and gradient were "+
		"never finite: the reference must cover the target", drawTries, head(s.x))
}
