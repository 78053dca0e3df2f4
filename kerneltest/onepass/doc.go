// Package onepass tests whether two variables are independent in one pass over the rows, of which
// there may be any number:
//
//	r, err := onepass.Independence(ctx, x, y, kerneltest.Options{})
//
// Up to a hundred thousand rows or so take kerneltest.Independence, whose level is exact and whose
// kernels are learned. Package summary has the test of two samples in one pass.
package onepass
