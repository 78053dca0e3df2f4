// Package nuts samples from densities on R^d with the No-U-Turn sampler.
//
// Write the log density and its gradient as an hmc.Target, by hand or with package model, and call
// Sample. The example shows a whole program. The result is a draws.Run: values, statistics of every
// transition, summaries and warnings.
//
// # The transition
//
// From a state with a fresh momentum, the trajectory is doubled, forwards or backwards in time at
// random, until its ends begin to approach each other (Hoffman and Gelman 2014). The next state is
// drawn from all states visited, with weights exp(H0 - H). Inside a new half each state is drawn in
// proportion to its weight. Between the halves the draw favours the new one, which moves the chain
// further and leaves the target invariant (Betancourt 2017). A trajectory grows as long as the
// velocities at both ends have a positive dot product with rho, the sum of its momenta:
//
//	v_begin.rho > 0 and v_end.rho > 0,
//
// The condition must hold for the whole trajectory. Because a turn can hide at the seam, it must
// also hold for each half extended by the first state of the other. A tree is discarded if it
// diverges (its energy error exceeds hmc.MaxEnergyError) or contains a U-turn.
//
// These are the rules of Stan's sampler. The tests compare 360 transitions with Stan's own under a
// scripted random generator: all integers are equal, and all floats agree to 1e-11.
//
// # Funnels
//
// Where a density narrows without end, no step size fits everywhere. Config.WithinOrbit halves each
// step of a trajectory as often as the energy requires, reversibly (WALNUTS.md). It costs more
// gradients, and reaches the narrow part that the plain sampler cuts off.
//
// Sampler.Step is a pure function of state and random numbers: it does no I/O, starts no goroutine
// and allocates nothing.
package nuts
