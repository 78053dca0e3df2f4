package kernels

import (
	"fmt"
	"slices"
)

// Mixed is a kernel of rows of numbers x and categories c, the product of a kernel of the numbers and one
// of each category:
//
//	k((x, c), (y, d)) = Of(x, y) prod_j (1 + 1[c_j = d_j])/2
//
// 1[c = d] is the indicator kernel. Multiplied out, the product is the sum of Of times the indicator of
// every set of categories, divided by 2^J: the empty set leaves the numbers alone, and with Of = 1 each
// category is there alone and with the others. So a difference in the numbers shows although no two rows
// share all categories. For one category and no numbers it is the indicator kernel, up to a factor and a
// constant that do not matter to tests. It is characteristic where Of is: each factor is strictly positive
// definite.
type Mixed struct {
	Of      Kernel // of the columns that hold numbers; nil if there are none
	Columns []int  // that hold categories, as different numbers, in increasing order
}

// At returns k(x, y).
func (k Mixed) At(x, y []float64) float64 {
	v := 1.0
	if k.Of != nil {
		var stack [2 * onStack]float64
		xs := k.numbers(stack[:0:onStack], x)
		v = k.Of.At(xs, k.numbers(stack[onStack:onStack], y))
	}
	return v * k.share(x, y)
}

// share is the part of the categories.
func (k Mixed) share(x, y []float64) float64 {
	v := 1.0
	for _, j := range k.Columns {
		if x[j] != y[j] {
			v /= 2
		}
	}
	return v
}

// numbers appends those of a row, or of many.
func (k Mixed) numbers(dst, row []float64) []float64 {
	at := 0
	for j, v := range row {
		if at < len(k.Columns) && k.Columns[at] == j {
			at++
		} else {
			dst = append(dst, v)
		}
	}
	return dst
}

// Check says what is wrong with the columns, or with the kernel of the numbers.
func (k Mixed) Check(dim int) error {
	for i, j := range k.Columns {
		if j < 0 || j >= dim || i > 0 && j <= k.Columns[i-1] {
			return fmt.Errorf("kernels: Mixed has the columns of categories %v of %d, want them in increasing "+
				"order from 0 to %d", k.Columns, dim, dim-1)
		}
	}
	left := dim - len(k.Columns)
	if (k.Of == nil) != (left == 0) {
		return fmt.Errorf("kernels: Mixed has %d columns of numbers, want a kernel for them, and none where "+
			"there are none", left)
	}
	if k.Of == nil {
		return nil
	}
	return k.Of.Check(left)
}

// fillMixed is Fill for a Mixed.
func fillMixed(dst []float64, k Mixed, path Path, x, y []float64, dim int) {
	gather := func(all []float64) []float64 {
		out := make([]float64, 0, len(all))
		for row := range slices.Chunk(all, dim) {
			out = k.numbers(out, row)
		}
		return out
	}
	if k.Of == nil {
		for i := range dst {
			dst[i] = 1
		}
	} else {
		Fill(dst, k.Of, path, gather(x), gather(y), dim-len(k.Columns))
	}
	ny := len(y) / dim
	for i := range len(x) / dim {
		xi, out := x[i*dim:(i+1)*dim], dst[i*ny:(i+1)*ny]
		for j := range out {
			out[j] *= k.share(xi, y[j*dim:(j+1)*dim])
		}
	}
}
