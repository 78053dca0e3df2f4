package ica

import (
	"math"

	"bayeskernel/internal/product"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// contrast is F and its gradient for whitened rows z.
type contrast struct {
	n, m, pairs int
	z           []float64 // row by row
	w           []float64 // frequencies
	y           []float64
	f, g        blas64.General // features of all components, row by row, and their derivatives of F
	c           []float64      // covariance of all features
	mean        []float64
}

// frequencies are the quantiles of level (p+1/2)/pairs of |N(0, 1/theta²)|.
func frequencies(pairs int, theta float64) []float64 {
	w := make([]float64, pairs)
	for p := range w {
		w[p] = math.Sqrt2 * math.Erfinv((float64(p)+0.5)/float64(pairs)) / theta
	}
	return w
}

func newContrast(z []float64, m, pairs int, theta float64) *contrast {
	n := len(z) / m
	width := 2 * pairs * m
	general := func() blas64.General {
		return blas64.General{Rows: n, Cols: width, Stride: width, Data: make([]float64, n*width)}
	}
	return &contrast{n: n, m: m, pairs: pairs, z: z, w: frequencies(pairs, theta),
		y: make([]float64, n*m), f: general(), g: general(), c: make([]float64, width*width),
		mean: make([]float64, width)}
}

// value is F(Q). It leaves centred features and the covariances in place for the gradient.
func (c *contrast) value(q *mat.Dense) float64 {
	width, block := c.f.Cols, 2*c.pairs
	blas64.Gemm(blas.NoTrans, blas.Trans, 1,
		blas64.General{Rows: c.n, Cols: c.m, Stride: c.m, Data: c.z}, q.RawMatrix(), 0,
		blas64.General{Rows: c.n, Cols: c.m, Stride: c.m, Data: c.y})
	scale := 1 / math.Sqrt(float64(c.pairs))
	clear(c.mean)
	for t := range c.n {
		row := c.f.Data[t*width : (t+1)*width]
		for i := range c.m {
			own := row[i*block : (i+1)*block]
			for p, w := range c.w {
				sin, cos := math.Sincos(w * c.y[t*c.m+i])
				own[p], own[c.pairs+p] = scale*cos, scale*sin
			}
		}
		floats.Add(c.mean, row)
	}
	floats.Scale(1/float64(c.n), c.mean)
	for t := range c.n {
		floats.Sub(c.f.Data[t*width:(t+1)*width], c.mean)
	}
	columns := product.Columns(c.f.Data, width)
	product.Multiply(c.c, width, width, c.n, columns, columns, product.All)
	floats.Scale(1/float64(c.n), c.c)
	sum := 0.0
	for a := range width {
		row := c.c[a*width : (a+1)*width]
		i := a / block
		clear(row[i*block : (i+1)*block]) // a component with itself does not count
		sum += floats.Dot(row, row)
	}
	return sum / 2 // each pair is there twice
}

// gradient writes dF/dQ, after value.
func (c *contrast) gradient(dst *mat.Dense) {
	width, block := c.f.Cols, 2*c.pairs
	product.Multiply(c.g.Data, c.n, width, width, product.Rows(c.f.Data, width), product.Rows(c.c, width), product.All)
	floats.Scale(2/float64(c.n), c.g.Data)
	for t := range c.n {
		f, g := c.f.Data[t*width:(t+1)*width], c.g.Data[t*width:(t+1)*width]
		for i := range c.m {
			d := 0.0
			for p, w := range c.w {
				a, b := i*block+p, i*block+c.pairs+p
				cos, sin := f[a]+c.mean[a], f[b]+c.mean[b]
				d += w * (cos*g[b] - sin*g[a])
			}
			c.y[t*c.m+i] = d
		}
	}
	blas64.Gemm(blas.Trans, blas.NoTrans, 1,
		blas64.General{Rows: c.n, Cols: c.m, Stride: c.m, Data: c.y},
		blas64.General{Rows: c.n, Cols: c.m, Stride: c.m, Data: c.z}, 0, dst.RawMatrix())
}
