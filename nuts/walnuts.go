package nuts

import (
	"fmt"
	"math"

	"bayeskernel/draws"
	"bayeskernel/hmc"
)

// WithinOrbit lets the step size vary along a trajectory, as in WALNUTS (Bou-Rabee, Carpenter,
// Kleppe and Liu 2025): for densities that are wide in one place and narrow in another, where no
// single step size fits. WALNUTS.md says why the result is still exact. Zero values mean the
// defaults in parentheses.
//
// The step size that warm-up tunes is the length in time of a macro step. Each consists of 2^l
// leapfrog steps, where l is the smallest number of halvings that keeps the energy in a band
// throughout the step. If even MaxHalvings is too few, the step counts as a divergence.
//
// In the statistics of a transition, AcceptStat refers to leapfrog steps as long as macro steps.
// Leapfrogs counts every leapfrog step taken, including failed attempts.
type WithinOrbit struct {
	MaxHalvings int     // a macro step has at most 2^MaxHalvings leapfrog steps (10)
	MaxError    float64 // width of the band of energy (1); far out, relative to kinetic energy
	// Finer is the probability of one more halving than a macro step needs (0). The paper uses 1/3:
	// fewer macro steps then lack a way back, but all cost twice as much.
	Finer float64
}

// defaults returns w with its zero values replaced, or an error that names the field at fault.
func (w WithinOrbit) defaults() (WithinOrbit, error) {
	if w.MaxHalvings == 0 {
		w.MaxHalvings = 10
	}
	if w.MaxError == 0 {
		w.MaxError = 1
	}
	switch {
	case w.MaxHalvings < 0 || w.MaxHalvings > 20:
		return w, fmt.Errorf("nuts: WithinOrbit.MaxHalvings is %d, want 1 to 20, or 0 for 10",
			w.MaxHalvings)
	case !(w.MaxError > 0) || math.IsInf(w.MaxError, 1):
		return w, fmt.Errorf("nuts: WithinOrbit.MaxError is %v, want a positive number, or 0 for 1",
			w.MaxError)
	case !(w.Finer >= 0 && w.Finer < 1):
		return w, fmt.Errorf("nuts: WithinOrbit.Finer is %v, want at least 0 and below 1", w.Finer)
	}
	return w, nil
}

// method returns the sampler as a method for hmc.Run. Its name contains everything that the draws
// depend on, because a checkpoint resumes only under the same name.
func (w WithinOrbit) method(depth int) (hmc.Method, error) {
	w, err := w.defaults()
	if err != nil {
		return hmc.Method{}, err
	}
	return hmc.Method{
		Name: fmt.Sprintf("walnuts (MaxError %v, MaxHalvings %d, Finer %v)", w.MaxError,
			w.MaxHalvings, w.Finer),
		New:      func(h *hmc.Hamiltonian) hmc.Transition { return newWalnuts(h, depth, w) },
		Describe: func(s *draws.Sampler) { s.MaxDepth = depth },
	}, nil
}

// walnuts is the transition of NUTS on a trajectory of macro steps. It belongs to one goroutine.
type walnuts struct {
	Sampler // with macro steps for leaves
	WithinOrbit
	logProb  [2]float64 // log of the probabilities of no and of one halving too many
	from     *hmc.Point // where the macro step under way began
	attempt  *hmc.Point // on the way back from its end
	logRatio [2]float64 // on the way from the start to each end: the sum of those of macroStep

	deadEnds int   // macro steps without a way back
	halved   []int // macro steps by their number of halvings
}

// newWalnuts returns the transition on h; w has its defaults.
func newWalnuts(h *hmc.Hamiltonian, maxDepth int, w WithinOrbit) *walnuts {
	s := &walnuts{Sampler: *New(h, maxDepth), WithinOrbit: w,
		logProb: [2]float64{math.Log1p(-w.Finer), math.Log(w.Finer)},
		from:    hmc.NewPoint(h.Dim()), attempt: hmc.NewPoint(h.Dim()),
		halved: make([]int, w.MaxHalvings+2)}
	s.leaf = s.macroLeaf
	return s
}

// Step moves z by one transition with macro steps of length eps. It uses the random numbers of
// Sampler.Step and, if Finer is positive, one uniform for each macro step.
func (s *walnuts) Step(z *hmc.Point, eps float64, r hmc.Rand) hmc.Outcome {
	s.logRatio = [2]float64{}
	return s.Sampler.Step(z, eps, r)
}

// macroLeaf takes one macro step.
func (s *walnuts) macroLeaf(t *subtree) bool {
	ratio, ok := s.macroStep(s.z)
	if !ok {
		return false
	}
	end := 0
	if s.eps > 0 {
		end = 1
	}
	s.logRatio[end] += ratio
	energy := s.h.Energy(s.z)
	t.begin(s.z, energy, s.h0-energy+s.logRatio[end])
	return true
}
