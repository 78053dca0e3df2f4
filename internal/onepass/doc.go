// Package onepass tests more rows than permutations can exchange in seconds. It tests whether two
// variables are independent, in one pass over the rows, and whether two samples of a summary have
// one distribution.
//
//	r, err := onepass.Independence(ctx, x, y, kerneltest.Options{})
//
// Up to a hundred thousand rows or so take kerneltest.Independence and kerneltest.TwoSample: their
// level is exact and their kernels are learned.
package onepass
