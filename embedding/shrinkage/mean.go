package shrinkage

import (
	"errors"
	"fmt"
	"math"

	"bayeskernel/embedding"
	"bayeskernel/internal/fused"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Mean is a function sum_i Weights[i] k(., x_i), such as an estimate of a mean embedding. It does
// not change and may be shared by goroutines.
type Mean struct {
	Kernel  kernels.Kernel
	Weights []float64

	x   []float64
	dim int
}

// NewMean makes the function of the rows of x with their weights; nil means 1/n each.
func NewMean(k kernels.Kernel, x mat.Matrix, weights []float64) (*Mean, error) {
	data, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return nil, fmt.Errorf("shrinkage: %w", err)
	}
	if n == 0 {
		return nil, errors.New("shrinkage: x has 0 rows, want at least 1")
	}
	if k == nil {
		return nil, errors.New("shrinkage: kernel is nil, want a kernel")
	}
	if err := k.Check(dim); err != nil {
		return nil, fmt.Errorf("shrinkage: %w", err)
	}
	own := make([]float64, n)
	for i := range own {
		own[i] = 1 / float64(n)
	}
	if weights != nil {
		if len(weights) != n {
			return nil, fmt.Errorf("shrinkage: there are %d weights, want %d, one for each row",
				len(weights), n)
		}
		for i, w := range weights {
			if math.IsNaN(w) || math.IsInf(w, 0) {
				return nil, fmt.Errorf("shrinkage: weight %d is %v, want a finite number", i+1, w)
			}
		}
		copy(own, weights)
	}
	return &Mean{k, own, data, dim}, nil
}

// Rows is the number of rows.
func (m *Mean) Rows() int { return len(m.Weights) }

// Sample is the rows and their weights as package embedding takes them.
func (m *Mean) Sample() embedding.Sample {
	return embedding.Sample{X: mat.NewDense(len(m.Weights), m.dim, append([]float64(nil), m.x...)),
		Weights: append([]float64(nil), m.Weights...), Shrunk: true}
}

// At writes the values of the function at the points into dst. It takes O(nm) for m points.
func (m *Mean) At(dst []float64, points mat.Matrix) error {
	data, count, dim, err := rows.Finite("points", points)
	if err != nil {
		return fmt.Errorf("shrinkage: %w", err)
	}
	if dim != m.dim {
		return fmt.Errorf("shrinkage: points have %s, want %d", rows.Count(dim, "column"), m.dim)
	}
	if len(dst) != count {
		panic("shrinkage: length of dst is not the number of points")
	}
	m.at(dst, data)
	return nil
}

func (m *Mean) at(dst, points []float64) {
	buffer := make([]float64, min(blockRows, len(m.Weights)))
	clear(dst)
	for from := 0; from < len(m.Weights); from += blockRows {
		to := min(from+blockRows, len(m.Weights))
		for i := range dst {
			out := buffer[:to-from]
			kernels.Fill(out, m.Kernel, fused.Best(), points[i*m.dim:(i+1)*m.dim],
				m.x[from*m.dim:to*m.dim], m.dim)
			dst[i] += floats.Dot(out, m.Weights[from:to])
		}
	}
}

// blockRows is the number of kernel values in hand at a time.
const blockRows = 1024

// Inner is the inner product of two functions of the same kernel in its space, sum_ij v_i w_j
// k(x_i, y_j). Divided by n², that of two empirical embeddings is the mean of k.
func Inner(a, b *Mean) (float64, error) {
	if a.dim != b.dim {
		return 0, fmt.Errorf("shrinkage: rows have %d and %d columns, want as many of both", a.dim,
			b.dim)
	}
	values := make([]float64, b.Rows())
	a.at(values, b.x)
	return floats.Dot(values, b.Weights), nil
}

// MMD2 is the squared distance of two functions of the same kernel in its space. Of two empirical
// embeddings it is the squared maximum mean discrepancy, biased; the witness is their difference.
// Of estimates it is that of their distributions as they are estimated.
func MMD2(a, b *Mean) (float64, error) {
	ab, err := Inner(a, b)
	if err != nil {
		return 0, err
	}
	aa, err := Inner(a, a)
	if err != nil {
		return 0, err
	}
	bb, err := Inner(b, b)
	return max(0, aa+bb-2*ab), err
}
