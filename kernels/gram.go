package kernels

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Gram writes k(x_i, x_j) into dst, for all pairs of rows of x. An empty dst is given its size; the
// size of another must be the number of rows. To fill a slice, wrap it: mat.NewSymDense(n, s); the
// upper triangle is what is written.
func Gram(dst *mat.SymDense, k Kernel, x mat.Matrix) error {
	rows, n, dim, err := finiteRows("x", x)
	if err != nil {
		return err
	}
	if err := check(k, dim); err != nil {
		return err
	}
	if dst.IsEmpty() {
		dst.ReuseAsSym(n)
	} else if dst.SymmetricDim() != n {
		panic("kernels: Gram: the size of dst is not the number of rows")
	}
	raw := dst.RawSymmetric()
	for i := range n {
		xi, out := rows[i*dim:(i+1)*dim], raw.Data[i*raw.Stride:]
		for j := i; j < n; j++ {
			out[j] = k.At(xi, rows[j*dim:(j+1)*dim])
		}
	}
	return nil
}

// Cross writes k(x_i, y_j) into dst. An empty dst is given its size; the size of another must be
// the number of rows of x by that of y. To fill a slice, wrap it: mat.NewDense(n, m, s).
func Cross(dst *mat.Dense, k Kernel, x, y mat.Matrix) error {
	xs, n, dim, err := finiteRows("x", x)
	if err != nil {
		return err
	}
	ys, m, ydim, err := finiteRows("y", y)
	if err != nil {
		return err
	}
	if ydim != dim {
		return fmt.Errorf("kernels: y has width %d, want %d as x", ydim, dim)
	}
	if err := check(k, dim); err != nil {
		return err
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, m)
	} else if r, c := dst.Dims(); r != n || c != m {
		panic("kernels: Cross: the size of dst is not the number of rows of x by that of y")
	}
	for i := range n {
		xi, out := xs[i*dim:(i+1)*dim], dst.RawRowView(i)
		for j := range out {
			out[j] = k.At(xi, ys[j*dim:(j+1)*dim])
		}
	}
	return nil
}

func check(k Kernel, dim int) error {
	if k == nil {
		return errors.New("kernels: kernel is nil")
	}
	return k.Check(dim)
}

// finiteRows copies a, row by row, and names the first element that is not a finite number.
func finiteRows(name string, a mat.Matrix) (rows []float64, n, dim int, err error) {
	if a == nil {
		return nil, 0, 0, fmt.Errorf("kernels: %s is nil, want a matrix", name)
	}
	n, dim = a.Dims()
	if n == 0 || dim == 0 {
		return nil, 0, 0, fmt.Errorf("kernels: %s is %d x %d, want at least one row and column",
			name, n, dim)
	}
	rows = make([]float64, 0, n*dim)
	for i := range n {
		for j := range dim {
			v := a.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, 0, 0, fmt.Errorf("kernels: %s is %v in row %d, column %d "+
					"(counted from 1), want a finite number", name, v, i+1, j+1)
			}
			rows = append(rows, v)
		}
	}
	return rows, n, dim, nil
}
