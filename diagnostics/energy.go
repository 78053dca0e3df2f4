package diagnostics

import "math"

// EBFMI returns the energy Bayesian fraction of missing information of one chain (Betancourt 2016):
// the mean squared change of the energy between successive draws, over the variance of the energy.
// Independent energies give about 2. Below 0.3 the momentum refreshed at each transition changes
// the energy too little for the chain to reach the tails in good time. Usually the tails are heavy,
// and another parametrisation helps.
//
// Energies are those of the Hamiltonian at the draws, kept in the order of time. EBFMI is NaN for
// fewer than 4 of them, if one is not finite, or if all are equal.
func EBFMI(energy []float64) float64 {
	s := load([][]float64{energy})
	if s == nil {
		return math.NaN()
	}
	sum := 0.0
	for i := 1; i < len(s.x); i++ {
		d := s.x[i] - s.x[i-1]
		sum += d * d
	}
	return sum / float64(len(s.x)) / variance(s.centred())
}
