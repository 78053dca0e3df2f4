// Package engine computes log densities and their gradients. It knows vectors, operations on them
// and distributions, but no names, factors or files: package model declares statistical models on
// top of it.
//
// # How a density is made
//
// A [Graph] is a list of nodes. A [Node] is a vector: data, an input, or what an [Operation] computes
// of nodes before it. [Graph.Apply] adds one; where its arguments are data it is computed at once,
// and never again.
//
// A [Density] is a sum of terms. [Density.Rewrite] makes the term of values with a [Distribution], in
// the cheapest way it knows. [Density.Fuse] then joins operations. Neither changes the log density,
// to rounding, and [Density.Rewrote] says what was done.
//
// [Density.Bind] gives a density the memory of one chain. [Bound.Gradient] computes its value from
// the values of the inputs, and the derivatives in them. It allocates nothing. Each chain has a Bound
// of its own, and all share the graph.
//
// # Forwards and backwards
//
// An [Operation] is bound to the memory of a chain as a [Step]. Steps run in the order of the nodes,
// and then back: with f the log density and adj the derivatives of f in the values of a node,
// Backward adds the product of adj and the node's Jacobian to the derivatives in its arguments. A
// [Root] is a term of f. It needs no step back, for its own adjoint is 1: one loop adds up its value
// and its derivatives in all arguments.
//
// # The layers, by the names of files
//
//   - node.go: vectors and the graph.
//   - op_*.go: operations, each with its derivative.
//   - dist_*.go: distributions: what they can be of, their terms, and draws from them. Formulas of
//     single values are those of internal/density.
//   - evaluator.go, density.go: the memory of a chain, and what is computed there.
//   - shards.go: terms of many rows go in pieces that stay in the cache, and over the processors.
//   - rewrite_*.go: other ways to compute the same. Regressions go by QR, rows with equal predictors
//     become one, sums of indexed terms are one node.
//   - scalars.go, roll.go: instructions on single numbers, as a program leaves that ran once, and how they
//     become vectors.
//
// A new operation is one file with a type that has Bind, and a Step with Forward and Backward.
package engine
