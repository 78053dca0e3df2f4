package stein

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// SupportPoints chooses m rows of x that stand for all of them: one after another, the row that brings the energy
// distance of the chosen to all rows down most. Columns count in units of their standard deviations. W are
// weights of the rows, nil for equal ones. No gradients are needed. Above 5000 rows it looks at 5000 evenly spaced.
// Rows may come up repeatedly.
func SupportPoints(x mat.Matrix, w []float64, m int) ([]int, error) {
	if err := rows.Check("x", x); err != nil {
		return nil, fmt.Errorf("stein: %w", err)
	}
	n, d := x.Dims()
	if m < 1 {
		return nil, fmt.Errorf("stein: m is %d; at least 1 row must be chosen", m)
	}
	if w != nil && len(w) != n {
		return nil, fmt.Errorf("stein: %d weights for %d rows; there must be as many", len(w), n)
	}
	var at []int
	if w == nil {
		at = spaced(x, 5000)
	} else {
		for i, v := range w {
			if !(v >= 0) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("stein: weight %d is %v; it must be finite and at least 0", i+1, v)
			}
			if v > 0 {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			return nil, fmt.Errorf("stein: all weights are 0")
		}
		if len(at) > 5000 {
			return nil, fmt.Errorf("stein: %d rows have weights; at most 5000 may", len(at))
		}
	}
	mass, total := make([]float64, len(at)), 0.0
	for i, r := range at {
		mass[i] = 1
		if w != nil {
			mass[i] = w[r]
		}
		total += mass[i]
	}
	values := mat.NewDense(len(at), d, nil)
	for i, r := range at {
		for j := range d {
			v := x.At(r, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("stein: row %d has %v in column %d; it must be finite", r+1, v, j+1)
			}
			values.Set(i, j, v)
		}
	}
	if err := rows.Scaled("x", values); err != nil {
		return nil, fmt.Errorf("stein: %w", err)
	}
	rows := make([]float64, len(at)*d)
	for j := range d {
		centre, square := 0.0, 0.0
		for i := range at {
			centre += mass[i] / total * values.At(i, j)
		}
		for i := range at {
			v := values.At(i, j) - centre
			square += mass[i] / total * v * v
		}
		if square == 0 {
			square = 1 // a constant column says nothing
		}
		for i := range at {
			rows[i*d+j] = (values.At(i, j) - centre) / math.Sqrt(square)
		}
	}
	far := func(i, j int) float64 {
		s := 0.0
		for a, v := range rows[i*d : (i+1)*d] {
			e := v - rows[j*d+a]
			s += e * e
		}
		return math.Sqrt(s)
	}
	mean, gone := make([]float64, len(at)), make([]float64, len(at))
	for i := range at {
		for j := range i {
			v := far(i, j)
			mean[i] += mass[j] / total * v
			mean[j] += mass[i] / total * v
		}
	}
	out := make([]int, 0, m)
	for t := 1; t <= m; t++ {
		best, least := 0, math.Inf(1)
		for i, v := range mean {
			if v -= gone[i] / float64(t); v < least {
				best, least = i, v
			}
		}
		out = append(out, at[best])
		for i := range gone {
			gone[i] += far(i, best)
		}
	}
	return out, nil
}

// Compress chooses m rows that stand for a run. Of a good run (u is nil) they are support points. A bad run, with
// the start far away kept or a sampler that is a little wrong, is put right first: 400 rows evenly spaced are weighted
// by Weights with a ridge, and the support points are those of the weighted rows. U has the scores of all rows.
func Compress(x, u mat.Matrix, m int) ([]int, error) {
	if u == nil {
		return SupportPoints(x, nil, m)
	}
	if err := cmp.Or(rows.Check("x", x), rows.Check("u", u)); err != nil {
		return nil, fmt.Errorf("stein: %w", err)
	}
	n, d := x.Dims()
	if r, c := u.Dims(); r != n || c != d {
		return nil, fmt.Errorf("stein: rows are %d x %d and scores %d x %d; they must be of one shape", n, d, r, c)
	}
	at := spaced(x, 400)
	rows, scores := mat.NewDense(max(len(at), 1), d, nil), mat.NewDense(max(len(at), 1), d, nil)
	for i, r := range at {
		for j := range d {
			rows.Set(i, j, x.At(r, j))
			scores.Set(i, j, u.At(r, j))
		}
	}
	w, err := correct(rows, scores)
	if err != nil {
		return nil, err
	}
	out, err := SupportPoints(rows, w, m)
	for i, r := range out {
		out[i] = at[r]
	}
	return out, err
}

// correct is the weights of rows under the default kernel and ridge.
func correct(rows, scores *mat.Dense) ([]float64, error) {
	n, d := rows.Dims()
	x, u := mat.DenseCopyOf(rows), mat.DenseCopyOf(scores)
	for j := range d { // columns in units of their standard deviations
		centre, square := mat.Sum(x.ColView(j))/float64(n), 0.0
		for i := range n {
			v := x.At(i, j) - centre
			square += v * v / float64(n)
		}
		if s := math.Sqrt(square); s > 0 {
			for i := range n {
				x.Set(i, j, x.At(i, j)/s)
				u.Set(i, j, u.At(i, j)*s)
			}
		}
	}
	a, err := precondition(x, "med")
	if err != nil {
		return nil, err
	}
	k, err := New(kernels.RQ{Alpha: .5}, a)
	if err != nil {
		return nil, err
	}
	gram, err := k.Matrix(x, u)
	if err != nil {
		return nil, err
	}
	diagonal := make([]float64, n)
	for i := range diagonal {
		diagonal[i] = gram.At(i, i)
	}
	slices.Sort(diagonal)
	return Weights(gram, .3*(diagonal[(n-1)/2]+diagonal[n/2])/2)
}
