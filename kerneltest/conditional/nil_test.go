package conditional_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/conditional"

	"gonum.org/v1/gonum/mat"
)

// A nil pointer is an error that names the matrix, and errors of values begin with the package.
func TestNilPointers(t *testing.T) {
	ctx, x := context.Background(), mat.NewDense(8, 1, []float64{1, 2, 3, 4, 5, 6, 7, 9})
	bad := mat.NewDense(8, 1, []float64{1, 2, 3, math.NaN(), 5, 6, 7, 9})
	var none *mat.Dense
	test := func(x, y, z mat.Matrix) error {
		_, err := conditional.Test(ctx, x, y, z, conditional.Options{})
		return err
	}
	pair := func(x, y mat.Matrix) error {
		_, err := kerneltest.Independence(ctx, x, y, kerneltest.Options{})
		return err
	}
	for want, err := range map[string]error{
		"conditional: x is nil, want a matrix":              test(none, x, nil),
		"conditional: z is nil, want a matrix":              test(x, x, none),
		"conditional: the table is NaN in row 4, column 2 ": test(x, bad, nil),
		"kerneltest: x is nil, want a matrix":               pair(none, x),
		"kerneltest: y is nil, want a matrix":               pair(x, nil),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
