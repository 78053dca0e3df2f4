package hmc

import (
	"fmt"
	"math"
)

// dualAveraging tunes the logarithm of the step size until the mean of the acceptance statistic is
// the target (Nesterov 2009; Hoffman and Gelman 2014, section 3.2). It works on the logarithm, so
// that a step size is always positive.
type dualAveraging struct {
	Delta, Gamma, Kappa, T0 float64

	Mu      float64 // the value that the iterates are drawn to
	Counter float64
	S, XBar float64
}

// restart forgets the past; the iterates start near log(10 eps), since long steps cost little to
// try.
func (a *dualAveraging) restart(eps float64) {
	a.from(10 * eps)
}

// from forgets the past and starts at eps.
func (a *dualAveraging) from(eps float64) {
	a.Mu = math.Log(eps)
	a.Counter, a.S, a.XBar = 0, 0, 0
}

// update learns from one transition and returns the step size of the next.
func (a *dualAveraging) update(accept float64) float64 {
	a.Counter++
	eta := 1 / (a.Counter + a.T0)
	a.S = (1-eta)*a.S + eta*(a.Delta-math.Min(1, accept))
	x := a.Mu - a.S*math.Sqrt(a.Counter)/a.Gamma
	w := math.Pow(a.Counter, -a.Kappa)
	a.XBar = (1-w)*a.XBar + w*x
	return math.Exp(x)
}

// final returns the averaged step size.
func (a *dualAveraging) final() float64 { return math.Exp(a.XBar) }

// FindStepSize doubles or halves eps until one leapfrog step from z changes its side of an
// acceptance probability of 0.8, drawing a fresh momentum for each trial. z's position is left as it
// was; work is overwritten.
func FindStepSize(h *Hamiltonian, z, work *Point, eps float64, r Rand) (float64, error) {
	if !(eps > 0) || eps > longestStep {
		return eps, nil
	}
	trial := func() float64 { // the energy lost in one step
		work.CopyPosition(z)
		h.Momentum(work, r)
		before := h.Energy(work)
		h.Leapfrog(work, eps)
		after := h.Energy(work)
		if math.IsNaN(after) {
			return math.Inf(-1)
		}
		return before - after
	}
	limit := math.Log(0.8)
	grow := trial() > limit
	for {
		d := trial()
		if err := h.Err(); err != nil {
			return 0, err
		}
		if grow != (d > limit) {
			return eps, nil
		}
		if grow {
			eps *= 2
		} else {
			eps /= 2
		}
		if eps > longestStep {
			return 0, fmt.Errorf("hmc: a step of size %.3g from %s still loses no energy: "+
				"the density does not fall off, so the posterior may be improper", eps,
				formatPoint(z.X))
		}
		if eps < math.SmallestNonzeroFloat64*2 {
			return 0, fmt.Errorf("hmc: no step size is small enough at %s: "+
				"the density or its gradient is not continuous there", formatPoint(z.X))
		}
	}
}
