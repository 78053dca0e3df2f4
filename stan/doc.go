// Package stan runs programs in the Stan language as they are: no other compiler, nothing generated.
//
//	p, err := stan.Parse(source)
//	m, err := p.Bind(data, stan.Options{Seed: 1})
//	run, err := nuts.Sample(ctx, m.Target, nuts.Config{})
//
// [Parse] reads the text, package syntax, and checks names, types and blocks before there are data: package
// types. [Program.Bind] reads the data, runs the transformed data, and
// finds the parameters. The first gradient runs the program once with parameters as symbols and records
// what it does: package record. Later gradients replay the recording; where a condition on parameters comes
// out otherwise the program is recorded anew.
//
// Log densities have the Jacobian of the transforms and all constants: Stan drops those of statements with
// ~. Simplexes are broken from a stick, as in Stan before version 2.37.
//
// [Model.Residuals] is for goodness of fit by package stein.
//
// What is not here: complex numbers, with eigenvalues of general matrices and Fourier transforms; #include, which nuts the program follows; dae and the
// laplace_marginal functions; the general hypergeometric functions; the functions _jacobian, _constrain and _unconstrain
// of Stan 2.37; truncation where the density is a function of the program; wiener with
// variability of its parameters. Parse says so, with the place. A print in the model block runs where the program
// is recorded, not at each evaluation.
package stan
