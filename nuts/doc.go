// Package nuts samples from densities on R^d with the No-U-Turn sampler.
//
// Write the log density and its gradient as an hmc.Target, by hand or declared with package model, and call
// Sample; the example shows a whole program. The result is a draws.Run: values, statistics of every transition, summaries and warnings.
//
// # The transition
//
// From a state with a fresh momentum, the trajectory is doubled, forwards or backwards in time at
// random, until its ends begin to approach each other (Hoffman and Gelman 2014). The next state is
// drawn from all states visited with weights exp(H0 - H): inside a new half each by its weight, and
// between the halves with a bias for the new one, which moves the chain further and leaves the
// target invariant (Betancourt 2017). A trajectory goes on as long as the velocities at both ends have a
// positive dot product with the sum rho of its momenta,
//
//	v_begin.rho > 0 and v_end.rho > 0,
//
// asked of the whole trajectory and, because a turn can hide at the seam, of each half extended by
// the first state of the other. A tree is left out if it diverges (its energy error exceeds
// hmc.MaxEnergyError) or turns inside.
//
// These are the rules of Stan's sampler, and the tests hold this one to Stan's own transitions: 360
// of them, under a scripted random generator, with all integers equal and all floats to 1e-11.
//
// # Funnels
//
// Where a density narrows without end, no step size fits everywhere. Config.WithinOrbit lets each step of
// a trajectory halve as often as the energy there asks for, reversibly (WALNUTS.md). It costs more
// gradients and reaches the narrow part, which the plain sampler cuts off.
//
// Sampler.Step is a pure function of state and random numbers: it does no I/O, starts no goroutine
// and allocates nothing.
package nuts
