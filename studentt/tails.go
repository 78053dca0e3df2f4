package studentt

import (
	"fmt"
	"math"

	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// DefaultTails is a share of the linear kernel that orders far points and changes little else.
const DefaultTails = 0.01

// WithTails adds to a radial kernel a linear one, so that the density of a Student-t falls for ever:
//
//	k(x, y) + w (x-c)'(y-c).
//
// Under k alone all points far from the rows have the same density, and so the same novelty. With the
// linear kernel alone the kernel Student-t is the ordinary multivariate Student-t. Together they have
// the detail of k where there are rows, and the tails of the Student-t elsewhere: D grows like the square
// of the distance. The centre c is the mean of x, and w is such that the linear kernel has the given share
// of the variance of k in feature space: w is share times k(c, c) over the mean squared distance of the
// rows of x from c.
func WithTails(k kernels.Kernel, x mat.Matrix, share float64) (kernels.Kernel, error) {
	data, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return nil, fmt.Errorf("studentt: %w", err)
	}
	if !(share > 0) || math.IsInf(share, 1) {
		return nil, fmt.Errorf("studentt: share of the tails is %v, want a positive number", share)
	}
	if err := k.Check(dim); err != nil {
		return nil, fmt.Errorf("studentt: %w", err)
	}
	t := tails{centre: make([]float64, dim), weight: 1}
	for i := range n {
		for j, v := range data[i*dim : (i+1)*dim] {
			t.centre[j] += v / float64(n)
		}
	}
	square := 0.0
	for i := range n {
		at := data[i*dim : (i+1)*dim]
		square += t.At(at, at) / float64(n)
	}
	if !(square > 0) || math.IsInf(square, 1) {
		return nil, fmt.Errorf("studentt: mean squared distance of the rows from their mean is %v, want a "+
			"positive number", square)
	}
	t.weight = share * k.At(t.centre, t.centre) / square
	return kernels.Sum{k, t}, nil
}

// tails is the kernel weight (x-centre)'(y-centre).
type tails struct {
	centre []float64
	weight float64
}

// At returns k(x, y).
func (k tails) At(x, y []float64) float64 {
	sum := 0.0
	for i, c := range k.centre {
		sum += (x[i] - c) * (y[i] - c)
	}
	return k.weight * sum
}

// Check returns an error if the number of columns is another.
func (k tails) Check(dim int) error {
	if dim != len(k.centre) {
		return fmt.Errorf("tails are for %s, want %d", rows.Count(len(k.centre), "column"), dim)
	}
	return nil
}

// AddGradient adds w times the derivatives of k(x, y) in x to dst.
func (k tails) AddGradient(dst []float64, w float64, _, y []float64) {
	for i, c := range k.centre {
		dst[i] += w * k.weight * (y[i] - c)
	}
}

// Jet writes the derivatives where y = x.
func (k tails) Jet(j *kernels.Jet, x []float64) {
	kernels.Linear{}.Jet(j, x) // sets the lengths, and the derivatives that are 0
	j.Value = k.At(x, x)
	for i, c := range k.centre {
		j.First[i] = k.weight * (x[i] - c)
		j.Mixed[i*len(x)+i] = k.weight
	}
}
