// Package record runs programs in the Stan language with parameters as symbols, and records what they do.
//
// [Bind] runs the transformed data as ordinary values. [Program.LogDensity] runs the program once at a
// point: each operation on a number that depends on parameters gets a place on a [Tape], once however
// often it is computed. What depends on data alone is folded. The gradient is one pass backwards.
//
// A [Chain] makes a density of package engine of a recording, with engine.Roll: loops become operations on
// vectors again. It evaluates that at other points. What a condition on parameters decides is a guard; where
// one comes out otherwise, another of the last recordings is tried, and then the program is recorded anew:
// slower, with the same values. A recording has at most 2e7 operations; a longer one is an error.
//
// Files: tape.go, the recording; target.go, its density; draw.go, draws from it; value.go and arith.go, values and operators;
// scalar.go, functions of one and two numbers, an entry each; funcs.go and library.go, the rest of the
// library; entry.go, how further families of functions are added, a file each: special.go, matrices.go,
// sparse.go, hidden.go; higher.go, functions that take functions; ode.go; dist.go, joint.go, joint_more.go and
// tails.go, densities and distribution functions; random.go, the functions that end with _rng; transform.go,
// constrained parameters; centring.go, coordinates that are learned;
// interp.go and stmt.go, expressions and statements; program.go, data and blocks.
package record
