// Package cmdstan writes and reads draws in CmdStan's CSV format, one file per chain: [New] while a
// chain runs, [Write] afterwards, [Read]. rstan, cmdstanr, cmdstanpy, ArviZ and stansummary read
// these files. They give the same values back, bit for bit, except that NaN loses its payload.
//
// A file appears under its name when it is complete. Until then ".part" is appended to the name.
//
// In these files indices follow dots and count from 1, and the first index runs fastest, because
// all readers assume so: x[0] becomes x.1, R[2,1] becomes R.2.1. Incomplete arrays and characters
// other than letters of ASCII, digits and underscores are spelled out as scalars: L[2,1] without
// L[1,2] becomes L_2_1. The names themselves are kept in a comment that Read understands.
//
// With thinning, warm-up rows are thinned like the others, and num_samples counts transitions: a
// file has ceil(num_samples/thin) draws, as in CmdStan.
package cmdstan
