package nuts

import (
	"math"

	"bayeskernel/draws"
	"bayeskernel/hmc"
)

// WithinOrbit lets the step size vary along a trajectory, as WALNUTS does (see Walnuts). Zero values
// mean the defaults in parentheses.
type WithinOrbit struct {
	// MaxHalvings is how often a macro step may be halved (10): into at most 2^MaxHalvings leapfrog
	// steps.
	MaxHalvings int
	// MaxError is the width of the band in which the energy must stay along a macro step (1).
	MaxError float64
	// Finer is the probability that a macro step is halved once more than it must be (0).
	Finer float64
}

// Walnuts is the transition of NUTS with step sizes that adapt within the trajectory (Bou-Rabee,
// Carpenter, Kleppe and Liu 2025). WALNUTS.md derives it.
//
// The trajectory is one of macro steps, all of the same length in time. Each is made of 2^l leapfrog
// steps, where l is the smallest number of halvings with which the energy stays within a band of
// width MaxError all along the step.
//
// It belongs to one goroutine.
type Walnuts struct {
	Sampler
	maxHalvings  int
	maxError     float64
	finer        float64
	logFiner     [2]float64 // log of the probabilities of no and of one halving too many
	from, try    *hmc.Point
	bias         [2]float64 // log of the product of the ratios on the way to each end
	irreversible int        // macro steps that had no way back
	halved       []int      // macro steps by their number of halvings
}

// NewWalnuts returns the transition on h for trajectories that double at most maxDepth times. It
// panics if w is not what Config.Method accepts.
func NewWalnuts(h *hmc.Hamiltonian, maxDepth int, w WithinOrbit) *Walnuts {
	w, err := w.defaults()
	if err != nil {
		panic(err)
	}
	d := h.Dim()
	return &Walnuts{Sampler: *New(h, maxDepth), maxHalvings: w.MaxHalvings, maxError: w.MaxError,
		finer: w.Finer, logFiner: [2]float64{math.Log1p(-w.Finer), math.Log(w.Finer)},
		from: hmc.NewPoint(d), try: hmc.NewPoint(d), halved: make([]int, w.MaxHalvings+2)}
}

// Step moves z by one transition with macro steps of length eps. The random numbers it takes are
// those of Sampler.Step, and one uniform for each macro step if Finer is positive.
func (s *Walnuts) Step(z *hmc.Point, eps float64, r hmc.Rand) hmc.Outcome {
	s.rng = r
	s.leapfrogs, s.sumAccept, s.sumSym = 0, 0, 0
	s.bias = [2]float64{}
	s.out = hmc.Outcome{}

	gradients := s.h.Gradients
	s.h.Momentum(z, r)
	s.h0 = s.h.Energy(z)
	s.sample.CopyPosition(z)
	energy := s.h0
	s.ends[0].CopyFrom(z)
	s.ends[1].CopyFrom(z)
	w := &s.whole
	copy(w.rho, z.P)
	w.logW = 0

	depth := 0
	for depth < s.maxDepth {
		forward := r.Float64() > 0.5
		s.eps, s.z = -eps, s.ends[0]
		stays := s.ends[1]
		if forward {
			s.eps, s.z, stays = eps, s.ends[1], s.ends[0]
		}
		copy(w.vBeg, stays.V)
		copy(w.pEnd, s.z.P)
		copy(w.vEnd, s.z.V)

		t := &s.other
		if !s.build(depth, t) {
			break
		}
		depth++
		if t.logW > w.logW || r.Float64() < math.Exp(t.logW-w.logW) {
			s.sample, t.prop = t.prop, s.sample
			energy = t.propEnergy
		}
		w.logW, _ = logAddExp(w.logW, t.logW)
		ok := persists(w, t)
		for i, p := range t.rho {
			w.rho[i] += p
		}
		if !ok {
			break
		}
	}

	z.CopyPosition(s.sample)
	n := float64(s.leapfrogs)
	s.out.Stat = draws.Stat{
		LP: z.LogP, AcceptStat: s.sumAccept / n, StepSize: eps, Energy: energy,
		TreeDepth: depth, Leapfrogs: s.h.Gradients - gradients, Divergent: s.out.Reason != "",
	}
	s.out.Symmetric = s.sumSym / n
	return s.out
}

// build is Sampler.build with macro steps for leaves.
func (s *Walnuts) build(depth int, t *subtree) bool {
	if depth == 0 {
		return s.macroLeaf(t)
	}
	if !s.build(depth-1, t) {
		return false
	}
	b := &s.levels[depth-1]
	if !s.build(depth-1, b) {
		return false
	}
	sum, pb := logAddExp(t.logW, b.logW)
	if s.rng.Float64() < pb {
		t.prop, b.prop = b.prop, t.prop
		t.propEnergy = b.propEnergy
	}
	t.logW = sum
	ok := persists(t, b)
	for i, p := range b.rho {
		t.rho[i] += p
	}
	t.pEnd, b.pEnd = b.pEnd, t.pEnd
	t.vEnd, b.vEnd = b.vEnd, t.vEnd
	return ok
}

// macroLeaf takes one macro step.
func (s *Walnuts) macroLeaf(t *subtree) bool {
	z := s.z
	ratio, ok := s.macroStep(z)
	if !ok {
		return false
	}
	end := 0
	if s.eps > 0 {
		end = 1
	}
	s.bias[end] += ratio
	energy := s.h.Energy(z)
	t.logW = s.h0 - energy + s.bias[end]
	copy(t.pBeg, z.P)
	copy(t.vBeg, z.V)
	copy(t.pEnd, z.P)
	copy(t.vEnd, z.V)
	copy(t.rho, z.P)
	t.prop.CopyPosition(z)
	t.propEnergy = energy
	return true
}

// macroStep moves z by one macro step and returns the log of the ratio of the probabilities with
// which its number of halvings is chosen at its end, looking back, and at its beginning. It reports
// false if there is no such number at the beginning, or none that leads back.
func (s *Walnuts) macroStep(z *hmc.Point) (ratio float64, ok bool) {
	before := s.h.Energy(z)
	s.from.CopyFrom(z)
	need := 0
	for ; ; need++ {
		if need > 0 {
			z.CopyFrom(s.from)
		}
		ok := s.glide(z, s.eps, need, before, false)
		if need == 0 {
			s.tally(z)
		}
		if s.h.Err() != nil || !ok && need == s.maxHalvings {
			s.breakAt(z)
			return 0, false
		}
		if ok {
			break
		}
	}
	l, within := need, true
	if s.finer > 0 && s.rng.Float64() < s.finer {
		l++
		z.CopyFrom(s.from)
		within = s.glide(z, s.eps, l, before, true)
	}
	s.halved[l]++
	after := s.h.Energy(z)
	if math.IsNaN(after) || math.IsInf(after, 0) || s.h.Err() != nil {
		s.irreversible++
		return 0, false
	}
	back := s.needBack(z, after, l, within)
	if d := l - back; d < 0 || d > 1 || d == 1 && s.finer == 0 {
		s.irreversible++
		return 0, false
	}
	return s.logFiner[l-back] - s.logFiner[l-need], true
}

// needBack returns the number of halvings that the way back from z needs, at most l+1, which stands
// for more than l. The way back with l halvings retraces the way here, so that its energies are
// known.
func (s *Walnuts) needBack(z *hmc.Point, energy float64, l int, within bool) int {
	for k := range min(l, s.maxHalvings+1) {
		s.try.CopyFrom(z)
		if s.glide(s.try, -s.eps, k, energy, false) {
			return k
		}
	}
	if within && l <= s.maxHalvings {
		return l
	}
	return l + 1
}

// glide moves z by 2^halvings leapfrog steps of a macro step eps and reports whether the energy,
// first as given, stayed within a band of width maxError. If it did not, z is left where that showed,
// unless it is to go on to the end.
func (s *Walnuts) glide(z *hmc.Point, eps float64, halvings int, energy float64, toEnd bool) bool {
	lo, hi := energy, energy
	within := true
	n := 1 << halvings
	for range n {
		s.h.Leapfrog(z, eps/float64(n))
		e := s.h.Energy(z)
		lo, hi = min(lo, e), max(hi, e)
		if !(hi-lo <= s.maxError) { // min and max of a NaN are NaN
			within = false
			if !toEnd {
				return false
			}
		}
	}
	return within
}

// tally adds to the statistics of acceptance what the macro step reached without halving.
func (s *Walnuts) tally(z *hmc.Point) {
	s.leapfrogs++
	w := s.h0 - s.h.Energy(z)
	if math.IsNaN(w) {
		w = math.Inf(-1)
	}
	e := math.Exp(-math.Abs(w))
	if w > 0 {
		s.sumAccept++
	} else {
		s.sumAccept += e
	}
	s.sumSym += 2 * e / (1 + e)
}

// breakAt notes where the finest attempt at a macro step failed.
func (s *Walnuts) breakAt(z *hmc.Point) {
	copy(s.broke, z.X)
	s.out.Broke = s.broke
	s.out.EnergyError = s.h.Energy(z) - s.h0
	if math.IsNaN(s.out.EnergyError) {
		s.out.EnergyError = math.Inf(1)
	}
	s.out.Reason = hmc.DivergenceReason(z)
}
