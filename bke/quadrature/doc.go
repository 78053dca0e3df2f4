// Package quadrature integrates the posterior of one or two hyperparameters of package bke: its mass, so
// that kernels can be compared, its moments, quantiles and densities, to about nine digits. It checks
// samplers, and replaces them where two parameters are free.
//
// It works on the logarithms of the parameters. The posterior of (theta, tau2) is a ridge: for each theta
// one tau2 is best, and the spread around it falls as the number of rows grows. So the search follows the
// ridge, marks points along it ("seeds", with their spreads), and cuts the rectangle around them into
// cells that are small where the seeds are:
//
//	log tau2
//	  |        . . . . . . . +-----+-----+
//	  |                  . . |  o  |  o  |      o  seeds, one for each step of log theta
//	  |      +--+--+--+--+--+-+--+--+----+      +--+  cells, 12 x 12 Gauss-Legendre nodes each
//	  |      | o| o| o|  o  |  o |       |
//	  |      +--+--+--+-----+----+-------+
//	  +--------------------------------------- log theta
//
// The polynomial through the nodes of a cell estimates its error. The worst cells are cut in two
// until all errors together are below 1e-9 of the mass. Strips are added on every side until they
// hold nothing. The first coordinate changes most rarely, so that most evaluations cost O(m³) and
// not a pass over the rows.
package quadrature
