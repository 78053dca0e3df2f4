// Package fantasy draws from the kernel Student-t of package studentt: a new row given others, and
// whole data sets, which show what a prior means before there are data (Huszár and Lacoste-Julien).
//
// With radial kernels the density does not integrate over R^d, so that a box is part of the model.
// In it the density is a few peaks among a plain, low but wide: with N = 8 rows and a box of 12
// lengthscales a side, a fortieth of the probability is out there, and a chain of Hamiltonian
// dynamics alone may never see it; nor does it go from peak to peak. Every transition is therefore
// one of NUTS and five jumps that do not depend on where the chain is, with a Metropolis test each:
// uniform in the box, or, for radial kernels, one half of the time to the neighbourhood of a row.
// Runs report R-hat and effective sample sizes like all others; peaks that no move reaches show
// there.
package fantasy
