package statistic

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Centred is a Gram matrix K and what it takes to read its centred form H K H, with H = I - 11'/n,
// which is K_ij - row[i] - row[j] + grand. Neither MMD nor HSIC changes when K is replaced by it.
type Centred struct {
	n        int
	gram     *mat.SymDense // not copied
	row      []float64     // means of the rows of K
	grand    float64       // mean of K
	diagMean float64       // mean of the diagonal of K
}

// NewCentred reads the upper triangle of a Gram matrix, which errors call name. The matrix is not
// copied and must not change, but by Replace.
func NewCentred(name string, gram *mat.SymDense) (*Centred, error) {
	if gram == nil || gram.IsEmpty() {
		return nil, fmt.Errorf("statistic: %s is empty, want a Gram matrix", name)
	}
	raw := gram.RawSymmetric()
	n := raw.N
	c := &Centred{n: n, gram: gram, row: make([]float64, n)}
	for i := range n {
		upper := raw.Data[i*raw.Stride+i : i*raw.Stride+n]
		c.diagMean += upper[0] / float64(n)
		s, below := upper[0], c.row[i+1:n]
		for j, v := range upper[1:] {
			s += v
			below[j] += v
		}
		c.row[i] += s
	}
	for i := range c.row {
		c.row[i] /= float64(n)
		c.grand += c.row[i] / float64(n)
	}
	if math.IsNaN(c.grand) || math.IsInf(c.grand, 0) {
		return nil, notFinite(name, raw)
	}
	return c, nil
}

func notFinite(name string, raw blas64.Symmetric) error {
	for i := range raw.N {
		for j := i; j < raw.N; j++ {
			if v := raw.Data[i*raw.Stride+j]; math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("statistic: %s is %v in row %d, column %d (counted from 1), "+
					"want a finite number", name, v, i+1, j+1)
			}
		}
	}
	return fmt.Errorf("statistic: the sum of %s overflows, want smaller elements", name)
}

// upper calls f for every i, with the elements of row i of the centred matrix from the diagonal on,
// in a buffer that is used again.
func (c *Centred) upper(f func(i int, elements []float64)) {
	raw := c.gram.RawSymmetric()
	buffer := make([]float64, c.n)
	for i := range c.n {
		out := buffer[:c.n-i]
		c.fill(out, raw, i)
		f(i, out)
	}
}

func (c *Centred) fill(out []float64, raw blas64.Symmetric, i int) {
	in, row, shift := raw.Data[i*raw.Stride+i:], c.row[i:], c.grand-c.row[i]
	for j := range out {
		out[j] = in[j] - row[j] + shift
	}
}

// Means returns the means of the rows of K, and that of all its elements. They must not be changed.
func (c *Centred) Means() (rows []float64, grand float64) { return c.row, c.grand }

// Replace overwrites K with both triangles of the centred matrix, and returns it row by row. K must
// not be a part of a larger matrix. Nothing but Means can be read from c after that.
func (c *Centred) Replace() []float64 {
	raw := c.gram.RawSymmetric()
	const block = 64 // rows and columns at a time, as half of the elements are written across
	for i0 := 0; i0 < c.n; i0 += block {
		for j0 := i0; j0 < c.n; j0 += block {
			for i := i0; i < min(i0+block, c.n); i++ {
				for j := max(i, j0); j < min(j0+block, c.n); j++ {
					v := (raw.Data[i*raw.Stride+j] - (c.row[i] + c.row[j])) + c.grand
					raw.Data[i*raw.Stride+j], raw.Data[j*raw.Stride+i] = v, v
				}
			}
		}
	}
	return raw.Data
}

func (c *Centred) diagonal() []float64 {
	d := make([]float64, c.n)
	for i := range d {
		d[i] = c.gram.At(i, i) - 2*c.row[i] + c.grand
	}
	return d
}

// norm2 is the sum of the squared elements of the centred matrix.
func (c *Centred) norm2() float64 {
	s := 0.0
	c.upper(func(_ int, e []float64) {
		t := e[0] * e[0]
		for _, v := range e[1:] {
			t += 2 * v * v
		}
		s += t
	})
	return s
}
