// Package fantasy draws from the kernel Student-t of package studentt. It draws a new row given
// others, and whole data sets that show what a prior means before there are data (Huszár and
// Lacoste-Julien).
//
// With radial kernels the integral of the density over R^d is infinite, so a box is part of the
// model. Inside it the density has a few peaks on a low, wide plain. With N = 8 rows and a box of 12
// lengthscales a side, the plain holds a fortieth of the probability. Hamiltonian dynamics alone may
// never reach it, and do not move from peak to peak. Every transition therefore combines one NUTS
// transition with five Metropolis jumps. A jump does not depend on the state of the chain. It is
// uniform in the box or, for radial kernels, half of the time near a row. Runs report R-hat and
// effective sample sizes as usual, which reveal peaks that no move reaches.
package fantasy
