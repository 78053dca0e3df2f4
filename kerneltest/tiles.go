package kerneltest

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"bayeskernel/internal/fused"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// tiles computes any part of the Gram matrix of some rows, so that it need not be stored. Squared
// exponential kernels with one lengthscale, and means of them, go by the vector exponential.
type tiles struct {
	k      kernels.Kernel
	rows   []float64
	n, dim int
	scales []float64 // 1/(2 theta²) of each part of a mean; nil for other kernels
	buffer sync.Pool
}

func newTiles(k kernels.Kernel, rows []float64, dim int) *tiles {
	t := &tiles{k: k, rows: rows, n: len(rows) / dim, dim: dim}
	parts, ok := k.(Mean)
	if !ok {
		parts = Mean{k}
	}
	big := 0.0
	for _, v := range rows {
		big = max(big, math.Abs(v))
	}
	for _, part := range parts {
		se, ok := part.(kernels.SquaredExponential)
		if !ok || len(se.Theta) != 1 || big > 1e100 ||
			!(se.Theta[0] > 1e-100 && se.Theta[0] < 1e100) {
			t.scales = nil // squares might be out of range
			return t
		}
		t.scales = append(t.scales, 1/(2*se.Theta[0]*se.Theta[0]))
	}
	return t
}

// bound is the largest size of an element, 0 if not known.
func (t *tiles) bound() float64 {
	if t.scales == nil {
		return 0
	}
	return 1
}

// fill writes rows i0 to i1-1 of columns j0 to j1-1 into dst, row by row.
func (t *tiles) fill(dst []float64, i0, i1, j0, j1 int) {
	if t.scales == nil {
		for i := i0; i < i1; i++ {
			for j := j0; j < j1; j++ {
				dst[(i-i0)*(j1-j0)+j-j0] = t.k.At(t.row(i), t.row(j))
			}
		}
		return
	}
	dst = dst[:(i1-i0)*(j1-j0)]
	t.squares(dst, i0, i1, j0, j1)
	if len(t.scales) == 1 {
		fused.ExpNeg(dst, dst, t.scales[0])
		return
	}
	buffer, _ := t.buffer.Get().(*[]float64)
	if buffer == nil || len(*buffer) < 2*len(dst) {
		buffer = new([]float64)
		*buffer = make([]float64, 2*len(dst))
	}
	square, part := (*buffer)[:len(dst)], (*buffer)[len(dst):2*len(dst)]
	copy(square, dst)
	clear(dst)
	for _, c := range t.scales {
		fused.ExpNeg(part, square, c)
		for i, v := range part {
			dst[i] += v
		}
	}
	for i := range dst {
		dst[i] /= float64(len(t.scales))
	}
	t.buffer.Put(buffer)
}

func (t *tiles) row(i int) []float64 { return t.rows[i*t.dim : (i+1)*t.dim] }

// squares writes squared distances.
func (t *tiles) squares(dst []float64, i0, i1, j0, j1 int) {
	for i := i0; i < i1; i++ {
		out := dst[(i-i0)*(j1-j0) : (i-i0+1)*(j1-j0)]
		if t.dim == 1 {
			x := t.rows[i]
			for j, y := range t.rows[j0:j1] {
				out[j] = (x - y) * (x - y)
			}
			continue
		}
		x := t.row(i)
		for j := range out {
			y := t.rows[(j0+j)*t.dim:][:len(x)]
			s := 0.0
			for a, v := range x {
				s += (v - y[a]) * (v - y[a])
			}
			out[j] = s
		}
	}
}

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

// diagonal returns the k(x_i, x_i), and whether they are all equal.
func (t *tiles) diagonal() (d []float64, constant bool) {
	d = make([]float64, t.n)
	constant = true
	for i := range d {
		d[i] = t.k.At(t.row(i), t.row(i))
		constant = constant && d[i] == d[0]
	}
	return d, constant
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
	var (
		next atomic.Int64
		wg   sync.WaitGroup
		mu   sync.Mutex
		done int
	)
	loop := func() {
		for ctx.Err() == nil {
			part := int(next.Add(1)) - 1
			if part >= parts {
				return
			}
			work(part)
			if progress == nil {
				continue
			}
			mu.Lock()
			done++
			progress(done, parts)
			mu.Unlock()
		}
	}
	for range min(runtime.GOMAXPROCS(0), parts) - 1 {
		wg.Go(loop)
	}
	loop()
	wg.Wait()
	if ctx.Err() != nil {
		return fmt.Errorf("kerneltest: %w", context.Cause(ctx))
	}
	return nil
}
