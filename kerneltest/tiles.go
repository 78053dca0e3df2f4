package kerneltest

import (
	"context"
	"fmt"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/rows"
	"bayeskernel/internal/workers"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// tiles computes any part of the Gram matrix of some rows, so that it need not be stored.
type tiles struct {
	k      kernels.Kernel
	rows   []float64
	n, dim int
	path   kernels.Path
}

func newTiles(k kernels.Kernel, rows []float64, dim int) *tiles {
	return &tiles{k: k, rows: rows, n: len(rows) / dim, dim: dim, path: fused.Best()}
}

// bound is the largest size of an element, 0 if not known.
func (t *tiles) bound() float64 {
	of := ofNumbers(t.k)
	if of == nil {
		return 1 // all columns hold categories
	}
	parts, ok := of.(kernels.Mean)
	if !ok {
		parts = kernels.Mean{of}
	}
	for _, part := range parts {
		if _, ok := kernels.AsStationary(part); !ok {
			return 0
		}
	}
	return 1
}

// fill writes rows i0 to i1-1 of columns j0 to j1-1 into dst, row by row.
func (t *tiles) fill(dst []float64, i0, i1, j0, j1 int) {
	dst = dst[:(i1-i0)*(j1-j0)]
	kernels.Fill(dst, t.k, t.path, t.rows[i0*t.dim:i1*t.dim], t.rows[j0*t.dim:j1*t.dim], t.dim)
}

func (t *tiles) row(i int) []float64 { return t.rows[i*t.dim : (i+1)*t.dim] }

// band is the number of rows that are computed at once.
const band = 64

// gram returns the Gram matrix, both triangles of it.
func (t *tiles) gram(ctx context.Context) (*mat.SymDense, error) {
	g := mat.NewSymDense(t.n, nil)
	data := g.RawSymmetric().Data
	err := inParallel(ctx, (t.n+band-1)/band, nil, func(part int) {
		i0, i1 := part*band, min((part+1)*band, t.n)
		buffer := make([]float64, band*band)
		for j0 := i0; j0 < t.n; j0 += band {
			j1 := min(j0+band, t.n)
			t.fill(buffer, i0, i1, j0, j1)
			for i := i0; i < i1; i++ {
				row := buffer[(i-i0)*(j1-j0) : (i-i0+1)*(j1-j0)]
				copy(data[i*t.n+j0:], row)
				for j, v := range row {
					data[(j0+j)*t.n+i] = v
				}
			}
		}
	})
	return g, err
}

// diagonal returns the k(x_i, x_i).
func (t *tiles) diagonal() []float64 {
	d := make([]float64, t.n)
	for i := range d {
		d[i] = t.k.At(t.row(i), t.row(i))
	}
	return d
}

// rowSums are sums of kernel values over j for every row i, itself left out.
type rowSums struct {
	toX, toY []float64 // sum of a_j k(i,j) over the first m rows, and over the others
	second   []float64 // sum of a_j² k(i,j) over all, nil where all a_j are 1
	squares  float64   // sum of (a_i a_j k(i,j))²
}

// rowSums returns the sums over the first m rows and the others, with weights a, nil for ones. It
// takes n² kernel values and no memory. Progress may be nil.
func (t *tiles) rowSums(ctx context.Context, m int, a []float64, progress func(done, total int)) (
	*rowSums, error) {
	s := &rowSums{toX: make([]float64, t.n), toY: make([]float64, t.n)}
	if a != nil {
		s.second = make([]float64, t.n)
	}
	parts := make([]float64, (t.n+band-1)/band)
	err := inParallel(ctx, len(parts), progress, func(part int) {
		i0, i1 := part*band, min((part+1)*band, t.n)
		buffer := make([]float64, band*band)
		for j0 := 0; j0 < t.n; j0 += band {
			j1 := min(j0+band, t.n)
			t.fill(buffer, i0, i1, j0, j1)
			for i := i0; i < i1; i++ {
				row := buffer[(i-i0)*(j1-j0) : (i-i0+1)*(j1-j0)]
				if j0 <= i && i < j1 {
					row[i-j0] = 0
				}
				parts[part] += s.add(row, i, j0, m, a)
			}
		}
	})
	s.squares = total(parts)
	return s, err
}

// add adds the elements of row i from column j0 on, and returns their squares.
func (s *rowSums) add(row []float64, i, j0, m int, a []float64) (squares float64) {
	inX := min(max(0, m-j0), len(row))
	if a == nil {
		x, y := s.toX[i], s.toY[i]
		for _, v := range row[:inX] {
			x += v
			squares += v * v
		}
		for _, v := range row[inX:] {
			y += v
			squares += v * v
		}
		s.toX[i], s.toY[i] = x, y
		return squares
	}
	for j, v := range row {
		w := a[j0+j]
		v *= w
		if j < inX {
			s.toX[i] += v
		} else {
			s.toY[i] += v
		}
		s.second[i] += v * w
		squares += v * v
	}
	return squares * a[i] * a[i]
}

// inParallel calls work for parts 0 to parts-1 until the context is done. What part works on is its
// own, so that results do not depend on the number of processors.
func inParallel(ctx context.Context, parts int, progress func(done, total int),
	work func(part int)) error {
	done := workers.NewMeter(parts, progress)
	if err := workers.Each(ctx, parts, 0, func() func(int) error {
		return func(part int) error {
			work(part)
			done.Tick()
			return nil
		}
	}); err != nil {
		return fmt.Errorf("kerneltest: %w", err)
	}
	return nil
}

func checkKernel(k kernels.Kernel, dim int) error {
	if k == nil {
		return fmt.Errorf("kerneltest: kernel is nil, want one")
	}
	if err := k.Check(dim); err != nil {
		return fmt.Errorf("kerneltest: %w", err)
	}
	return nil
}

// finiteRows copies a, row by row, and names the first element that is not a finite number.
func finiteRows(name string, a mat.Matrix) (data []float64, n, dim int, err error) {
	if data, n, dim, err = rows.Finite(name, a); err != nil {
		return nil, 0, 0, fmt.Errorf("kerneltest: %w", err)
	}
	return data, n, dim, nil
}
