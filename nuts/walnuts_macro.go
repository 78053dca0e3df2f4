package nuts

import (
	"math"

	"bayeskernel/hmc"
)

// macroStep moves z by one macro step s.eps. It reports false if the step cannot be made, or if
// there is no way back. Else it returns
//
//	log of  P(l | needed looking back from the end) / P(l | needed at the beginning),
//
// l being the number of halvings chosen; 0 whenever Finer is 0.
func (s *walnuts) macroStep(z *hmc.Point) (logRatio float64, ok bool) {
	before := s.h.Energy(z)
	s.from.CopyFrom(z)
	need, within := 0, s.glide(z, s.eps, 0, before, false)
	s.tally(s.h.Energy(z)) // so long as nothing need be halved, as plain NUTS has it
	for !within && need < s.MaxHalvings && s.h.Err() == nil {
		need++
		z.CopyFrom(s.from)
		within = s.glide(z, s.eps, need, before, false)
	}
	if !within || s.h.Err() != nil {
		s.breakAt(z)
		return 0, false
	}
	l := need
	if s.Finer > 0 && s.choose(s.Finer) {
		l++
		z.CopyFrom(s.from)
		within = s.glide(z, s.eps, l, before, true)
	}
	s.halved[l]++
	needBack := s.needBack(z, l, within)
	if d := l - needBack; d != 0 && (d != 1 || s.Finer == 0) {
		s.deadEnds++
		return 0, false
	}
	return s.logProb[l-needBack] - s.logProb[l-need], true
}

// needBack returns the number of halvings that the macro step back from z needs, at most l+1, which
// stands for more than l and for none that will do. With l halvings the way back retraces the way
// here, so that within, whether the energy stayed in the band, holds for both.
func (s *walnuts) needBack(z *hmc.Point, l int, within bool) int {
	energy := s.h.Energy(z)
	if math.IsNaN(energy) || math.IsInf(energy, 0) {
		return l + 1
	}
	for k := range l {
		s.attempt.CopyFrom(z)
		if s.glide(s.attempt, -s.eps, k, energy, false) {
			return k
		}
	}
	if within && l <= s.MaxHalvings {
		return l
	}
	return l + 1
}

// glide moves z by a macro step in 2^halvings leapfrog steps and reports whether the energy, first
// as given, stays in a band of width MaxError. Where it first does not, z is left, unless it is to
// go on to the end; it never goes on from where the energy is infinite or not a number.
//
// Where the kinetic energy is far above the d/2 of a typical state, changes of energy count
// relative to it. That is so for a chain on its way from a distant start, which would hardly move
// if it had to keep an energy of 1e8 to the digit. A step and its reverse agree on it.
func (s *walnuts) glide(z *hmc.Point, eps float64, halvings int, energy float64, toEnd bool) bool {
	var change, lo, hi float64 // of the energy, counted as said
	within := true
	n := 1 << halvings
	step := eps / float64(n)
	far := 4 * float64(len(z.X)) // when their mean exceeds 2d, that is
	kinetic := energy + z.LogP
	for range n {
		s.h.Leapfrog(z, step)
		e := s.h.Energy(z)
		k := e + z.LogP
		change += (e - energy) / max(1, (kinetic+k)/far)
		energy, kinetic = e, k
		lo, hi = min(lo, change), max(hi, change)
		if !(hi-lo <= s.MaxError) { // lo and hi are NaN if e is
			within = false
			if !toEnd || !(hi-lo <= math.MaxFloat64) {
				return false
			}
		}
	}
	return within
}
