package kernels

import (
	"errors"
	"fmt"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Gram writes k(x_i, x_j) into dst, for all pairs of rows of x. An empty dst is given its size; the
// size of another must be the number of rows. To fill a slice, wrap it: mat.NewSymDense(n, s); the
// upper triangle is what is written.
func Gram(dst *mat.SymDense, k Kernel, x mat.Matrix) error {
	data, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return fmt.Errorf("kernels: %w", err)
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
		xi, out := data[i*dim:(i+1)*dim], raw.Data[i*raw.Stride:]
		for j := i; j < n; j++ {
			out[j] = k.At(xi, data[j*dim:(j+1)*dim])
		}
	}
	return nil
}

// Cross writes k(x_i, y_j) into dst. An empty dst is given its size; the size of another must be
// the number of rows of x by that of y. To fill a slice, wrap it: mat.NewDense(n, m, s).
func Cross(dst *mat.Dense, k Kernel, x, y mat.Matrix) error {
	xs, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return fmt.Errorf("kernels: %w", err)
	}
	ys, m, ydim, err := rows.Finite("y", y)
	if err != nil {
		return fmt.Errorf("kernels: %w", err)
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
