// Package record runs programs in the Stan language with parameters as symbols, and records what they do.
//
// [Bind] runs the transformed data as ordinary values. [Program.LogDensity] runs the program once at a
// point: each operation on a number that depends on parameters gets a place on a [Tape], what depends on
// data alone is folded, and functions of many numbers, such as densities of vectors, products and
// factorizations of matrices, or solutions of differential equations, are one [Function] each. The gradient
// is one pass backwards.
//
// A [Chain] replays a recording at other points. What a condition on parameters decides is a guard on the
// tape; where one comes out otherwise, another of the last recordings is tried, and then the program is
// recorded anew. A place takes 26 bytes.
//
// Files: tape.go, the recording; value.go and arith.go, values and operators; scalar.go, functions of one
// and two numbers, an entry each; funcs.go and library.go, the rest of the library; dist.go and joint.go,
// densities; random.go, the functions that end with _rng; transform.go, constrained parameters; ode.go;
// interp.go and stmt.go, expressions and statements; program.go, data and blocks.
package record
