package features

import (
	"errors"
	"fmt"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Landmarks are the features L^-1 k_z(x) of some rows z, LL' = K_zz.
type Landmarks struct {
	kernel kernels.Kernel
	path   kernels.Path
	dim    int
	z      []float64
	l      []float64 // rows of L, lower triangle, count x count
	count  int
	diag   float64 // the largest k(z, z)
}

// ChooseLandmarks takes at most count of the rows of x, by pivoted Cholesky: each is the row that
// those before explain least. It stops when all rows are known to 1e-12 of the diagonal. With n
// rows it takes O(n count²). All rows are taken if there are no more than count, but for those that
// others determine.
func ChooseLandmarks(k kernels.Kernel, x mat.Matrix, count int) (*Landmarks, error) {
	data, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	if n == 0 || count < 1 {
		return nil, fmt.Errorf("features: %d landmarks are wanted of %s, want at least 1 of each", count,
			rows.Count(n, "row"))
	}
	if k == nil {
		return nil, errors.New("features: kernel is nil, want a kernel")
	}
	if err := k.Check(dim); err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	diag := make([]float64, n)
	top := 0.0
	for i := range diag {
		diag[i] = k.At(data[i*dim:(i+1)*dim], data[i*dim:(i+1)*dim])
		top = max(top, diag[i])
	}
	path := fused.Best()
	c := lowrank.Cholesky{Limit: count}
	c.Factor(diag, 1e-12*top, func(dst []float64, i int) {
		kernels.Fill(dst, k, path, data, data[i*dim:(i+1)*dim], dim)
	})
	m := len(c.Pivots)
	if m == 0 {
		return nil, errors.New("features: kernel is zero at all rows, want rows where it is not")
	}
	f := &Landmarks{kernel: k, path: path, dim: dim, z: rows.Pick(data, dim, c.Pivots),
		l: make([]float64, m*m), count: m, diag: top}
	for j := range m {
		for i, at := range c.Pivots {
			f.l[i*m+j] = c.Columns()[j*n+at]
		}
	}
	return f, nil
}

// Dim is the number of columns.
func (f *Landmarks) Dim() int { return f.dim }

// Len is the number of landmarks.
func (f *Landmarks) Len() int { return f.count }

// Rows returns the landmarks.
func (f *Landmarks) Rows() *mat.Dense {
	return mat.NewDense(f.count, f.dim, append([]float64(nil), f.z...))
}

// Write writes the features.
func (f *Landmarks) Write(dst, points []float64) {
	checkLengths(f, dst, points)
	for i := 0; i*f.dim < len(points); i++ {
		row := dst[i*f.count : (i+1)*f.count]
		kernels.Fill(row, f.kernel, f.path, points[i*f.dim:(i+1)*f.dim], f.z, f.dim)
		for j := range row {
			l := f.l[j*f.count : j*f.count+j+1]
			row[j] = (row[j] - floats.Dot(l[:j], row[:j])) / l[j]
		}
	}
}

// Residual is what the features leave of k(x, x). The root of the product of two residuals bounds
// the error of f(x)'f(y).
func (f *Landmarks) Residual(x []float64) float64 {
	row := make([]float64, f.count)
	f.Write(row, x)
	return max(0, f.kernel.At(x, x)-floats.Dot(row, row))
}
