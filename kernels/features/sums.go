package features

import (
	"errors"
	"fmt"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// blockRows is the number of rows whose features are in hand at a time.
const blockRows = 128

// Mean sums up the features of rows: the empirical embedding of all rows added so far. It belongs
// to one goroutine; others have sums of their own, which are merged.
type Mean struct {
	m      Map
	n      float64
	sum    []float64
	square float64 // sum of |f(x_i)|², near the sum of k(x_i, x_i)
	buffer []float64
}

// NewMean is an embedding without rows.
func NewMean(m Map) *Mean {
	return &Mean{m: m, sum: make([]float64, m.Len()), buffer: make([]float64, blockRows*m.Len())}
}

// Rows is the number of rows added.
func (a *Mean) Rows() int { return int(a.n) }

// Add adds points, row by row. It does not allocate.
func (a *Mean) Add(points []float64) error {
	dim, width := a.m.Dim(), a.m.Len()
	if err := checkRows("points", points, dim); err != nil {
		return err
	}
	for len(points) > 0 {
		count := min(blockRows, len(points)/dim)
		block := a.buffer[:count*width]
		a.m.Write(block, points[:count*dim])
		a.square += floats.Dot(block, block)
		for i := range count {
			floats.Add(a.sum, block[i*width:(i+1)*width])
		}
		a.n += float64(count)
		points = points[count*dim:]
	}
	return nil
}

// checkRows wants whole rows of finite numbers.
func checkRows(name string, points []float64, dim int) error {
	if len(points)%dim != 0 {
		return fmt.Errorf("features: %s has %d numbers, want %d for each row", name, len(points), dim)
	}
	sum := 0.0
	for _, v := range points {
		sum += v - v
	}
	if sum == 0 {
		return nil
	}
	_, _, _, err := rows.Finite(name, mat.NewDense(len(points)/dim, dim, points))
	return fmt.Errorf("features: %w", err)
}

// Merge adds all rows of b, which has the same map.
func (a *Mean) Merge(b *Mean) error {
	if a.m != b.m {
		return errors.New("features: embeddings have different maps, want the same")
	}
	a.n += b.n
	a.square += b.square
	floats.Add(a.sum, b.sum)
	return nil
}

// Embedding writes the mean of the features into dst.
func (a *Mean) Embedding(dst []float64) { floats.ScaleTo(dst, 1/a.n, a.sum) }

// At writes the embedding at points, row by row, into dst: the mean of k(x_i, .).
func (a *Mean) At(dst, points []float64) error {
	dim, width := a.m.Dim(), a.m.Len()
	if err := checkRows("points", points, dim); err != nil {
		return err
	}
	if a.n == 0 {
		return errors.New("features: embedding has 0 rows, want at least 1")
	}
	if len(dst) != len(points)/dim {
		panic("features: length of dst is not the number of points")
	}
	for i := range dst {
		a.m.Write(a.buffer[:width], points[i*dim:(i+1)*dim])
		dst[i] = floats.Dot(a.buffer[:width], a.sum) / a.n
	}
	return nil
}

// MMD2 returns the squared maximum mean discrepancy of two samples: biased, the squared distance of
// the embeddings, and unbiased, which leaves out each row beside itself and takes two rows of each.
func MMD2(a, b *Mean) (biased, unbiased float64, err error) {
	if a.m != b.m {
		return 0, 0, errors.New("features: embeddings have different maps, want the same")
	}
	if a.n < 2 || b.n < 2 {
		return 0, 0, fmt.Errorf("features: samples have %v and %v rows, want at least 2 of each", a.n,
			b.n)
	}
	cross := 0.0
	for i, v := range a.sum {
		d := v/a.n - b.sum[i]/b.n
		biased += d * d
		cross += v / a.n * b.sum[i] / b.n
	}
	within := func(s *Mean) float64 {
		return (floats.Dot(s.sum, s.sum) - s.square) / (s.n * (s.n - 1))
	}
	return biased, within(a) + within(b) - 2*cross, nil
}

// Cross sums up features of pairs of rows, for the dependence of two variables. Memory is the
// product of the numbers of features.
type Cross struct {
	x, y   *Mean
	sum    []float64 // sum of f(x_i) g(y_i)', row by row
	blockX []float64
	blockY []float64
}

// NewCross has no rows.
func NewCross(x, y Map) *Cross {
	return &Cross{x: NewMean(x), y: NewMean(y), sum: make([]float64, x.Len()*y.Len()),
		blockX: make([]float64, blockRows*x.Len()), blockY: make([]float64, blockRows*y.Len())}
}

// Rows is the number of pairs added.
func (c *Cross) Rows() int { return c.x.Rows() }

// Add adds pairs of points, row by row.
func (c *Cross) Add(x, y []float64) error {
	dx, dy := c.x.m.Dim(), c.y.m.Dim()
	if err := checkRows("x", x, dx); err != nil {
		return err
	}
	if err := checkRows("y", y, dy); err != nil {
		return err
	}
	if len(x)/dx != len(y)/dy {
		return fmt.Errorf("features: x has %d rows and y %d, want as many of both", len(x)/dx, len(y)/dy)
	}
	lx, ly := c.x.m.Len(), c.y.m.Len()
	for len(x) > 0 {
		count := min(blockRows, len(x)/dx)
		f, g := c.blockX[:count*lx], c.blockY[:count*ly]
		c.x.m.Write(f, x[:count*dx])
		c.y.m.Write(g, y[:count*dy])
		blas64.Gemm(blas.Trans, blas.NoTrans, 1,
			blas64.General{Rows: count, Cols: lx, Stride: lx, Data: f},
			blas64.General{Rows: count, Cols: ly, Stride: ly, Data: g}, 1,
			blas64.General{Rows: lx, Cols: ly, Stride: ly, Data: c.sum})
		for i := range count {
			floats.Add(c.x.sum, f[i*lx:(i+1)*lx])
			floats.Add(c.y.sum, g[i*ly:(i+1)*ly])
		}
		c.x.n += float64(count)
		c.y.n += float64(count)
		x, y = x[count*dx:], y[count*dy:]
	}
	return nil
}

// Merge adds all pairs of b, which has the same maps.
func (c *Cross) Merge(b *Cross) error {
	if c.x.m != b.x.m || c.y.m != b.y.m {
		return errors.New("features: sums have different maps, want the same")
	}
	floats.Add(c.sum, b.sum)
	return errors.Join(c.x.Merge(b.x), c.y.Merge(b.y))
}

// HSIC returns the biased Hilbert-Schmidt independence criterion, tr(KHLH)/n²: the squared norm of
// the covariance of the features.
func (c *Cross) HSIC() (float64, error) {
	if c.x.n < 2 {
		return 0, fmt.Errorf("features: there are %v pairs, want at least 2", c.x.n)
	}
	ly, n, total := c.y.m.Len(), c.x.n, 0.0
	for i, s := range c.x.sum {
		for j, v := range c.sum[i*ly : (i+1)*ly] {
			d := v/n - s/n*(c.y.sum[j]/n)
			total += d * d
		}
	}
	return total, nil
}
