// Package ode solves ordinary differential equations together with the derivatives of their
// solutions.
//
// For y' = f(t, y, p) the derivatives S of y in the start values and in p follow
//
//	S' = (df/dy) S + df/dp,
//
// with the derivatives of f exact. They are solved along with y by the same method and with the same
// steps, and the error of a step is that of y and of S: a gradient is as good as its value.
//
// [DormandPrince] is explicit, of order 5. [Radau] is implicit, of order 5 and stable for stiff
// equations, whose solutions move fast for a moment and slowly ever after; a step costs the
// factorization of a matrix of 3n rows, for n equations. The explicit method gives up where the
// equations are stiff, with an error that says so.
//
// Sources: Dormand and Prince, A family of embedded Runge-Kutta formulae, Journal of Computational
// and Applied Mathematics 6 (1980); Hairer and Wanner, Solving Ordinary Differential Equations II
// (1996), sections IV.2 (detection of stiffness) and IV.8 (Radau IIA).
//
// Cost: q directions make a system of n(1+q) values; a step of the explicit method evaluates f with
// its derivatives seven times less one, one of the implicit method some ten times.
package ode
