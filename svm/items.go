package svm

import (
	"errors"
	"fmt"
	"math"

	"bayeskernel/embedding"
	"bayeskernel/internal/fused"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Data holds the items that a machine is trained on or applied to: rows, or samples of rows.
type Data struct {
	rows    []float64
	dim     int
	samples []sample
	err     error
}

// sample is rows with weights.
type sample struct {
	x       []float64
	weights []float64
}

// Rows makes each row of x an item.
func Rows(x mat.Matrix) Data {
	data, n, dim, err := rows.Finite("the data", x)
	if err == nil && n == 0 {
		err = errors.New("the data have no rows")
	}
	return Data{rows: data, dim: dim, err: err}
}

// Samples makes each sample an item. Machines compare samples by their mean embeddings (support
// measure machines, Muandet, Fukumizu, Dinuzzo and Schölkopf 2012).
func Samples(all ...embedding.Sample) Data {
	var d Data
	if len(all) == 0 {
		d.err = errors.New("there are no samples")
	}
	for i, s := range all {
		name := fmt.Sprintf("sample %d", i+1)
		if s.X == nil {
			d.err = fmt.Errorf("%s is empty, want rows", name)
			return d
		}
		x, n, dim, err := rows.Finite(name, s.X)
		switch {
		case err != nil:
			d.err = err
			return d
		case n == 0:
			d.err = fmt.Errorf("%s is empty, want rows", name)
			return d
		case i > 0 && dim != d.dim:
			d.err = fmt.Errorf("%s has %d columns and sample 1 has %d, want the same", name, dim, d.dim)
			return d
		case s.Weights != nil && len(s.Weights) != n:
			d.err = fmt.Errorf("%s has %d weights, want one for each of %d rows", name, len(s.Weights), n)
			return d
		}
		d.dim = dim
		w := make([]float64, n)
		for k := range w {
			w[k] = 1 / float64(n)
			if s.Weights != nil {
				w[k] = s.Weights[k]
			}
		}
		d.samples = append(d.samples, sample{x, w})
	}
	return d
}

// count returns the number of items.
func (d Data) count() int {
	if d.samples != nil {
		return len(d.samples)
	}
	if d.dim == 0 {
		return 0
	}
	return len(d.rows) / d.dim
}

// at returns some of the items.
func (d Data) at(which []int) Data {
	out := Data{dim: d.dim}
	for _, i := range which {
		if d.samples != nil {
			out.samples = append(out.samples, d.samples[i])
		} else {
			out.rows = append(out.rows, d.rows[i*d.dim:(i+1)*d.dim]...)
		}
	}
	return out
}

// check wants items for which a kernel is defined.
func (d Data) check(k Kernel) error {
	switch {
	case d.err != nil:
		return fmt.Errorf("svm: %w", d.err)
	case k.Kernel == nil:
		return errors.New("svm: the kernel is nil, want one")
	case !(k.Width >= 0) || math.IsInf(k.Width, 1):
		return fmt.Errorf("svm: the width between embeddings is %v, want a positive number, or 0 for "+
			"their dot product", k.Width)
	case k.Width > 0 && d.samples == nil:
		return errors.New("svm: the kernel has a width between embeddings and the data are rows, want " +
			"samples")
	}
	if err := k.Kernel.Check(d.dim); err != nil {
		return fmt.Errorf("svm: %w", err)
	}
	return nil
}

// Kernel compares items. It compares rows by a kernel of package kernels, and samples by the dot
// product of their mean embeddings under that kernel. With a Width it compares samples by
// exp(-|difference|²/(2 Width²)) instead.
type Kernel struct {
	kernels.Kernel
	Width float64
}

// items are those of one problem: they give rows of its kernel matrix.
type items interface {
	len() int
	row(dst []float64, i int)
	diagonal(i int) float64
}

// on returns the items of a problem.
func (k Kernel) on(d Data) items {
	if d.samples == nil {
		return rowItems{k.Kernel, d.rows, d.dim}
	}
	n := d.count()
	g := &gramItems{n: n, g: make([]float64, n*n)}
	for i := range n {
		for j := range i + 1 {
			v := k.product(d.samples[i], d.samples[j], d.dim)
			g.g[i*n+j], g.g[j*n+i] = v, v
		}
	}
	if k.Width > 0 {
		norm := make([]float64, n)
		for i := range n {
			norm[i] = g.g[i*n+i]
		}
		for i := range n {
			for j := range n {
				g.g[i*n+j] = k.wide(norm[i], norm[j], g.g[i*n+j])
			}
		}
	}
	return g
}

// wide is the kernel of two embeddings with these squared norms and this dot product.
func (k Kernel) wide(a, b, ab float64) float64 {
	return math.Exp(-max(a+b-2*ab, 0) / 2 / k.Width / k.Width)
}

// product is the dot product of two embeddings.
func (k Kernel) product(a, b sample, dim int) float64 {
	row, sum := make([]float64, len(b.weights)), 0.0
	for i, w := range a.weights {
		kernels.Fill(row, k.Kernel, fused.Best(), a.x[i*dim:(i+1)*dim], b.x, dim)
		t := 0.0
		for j, v := range row {
			t += v * b.weights[j]
		}
		sum += w * t
	}
	return sum
}

// against writes the kernel of item i of d with all items of support.
func (k Kernel) against(dst []float64, d Data, i int, support Data) {
	if d.samples == nil {
		kernels.Fill(dst, k.Kernel, fused.Best(), d.rows[i*d.dim:(i+1)*d.dim], support.rows, d.dim)
		return
	}
	own := 0.0
	if k.Width > 0 {
		own = k.product(d.samples[i], d.samples[i], d.dim)
	}
	for j, s := range support.samples {
		dst[j] = k.product(d.samples[i], s, d.dim)
		if k.Width > 0 {
			dst[j] = k.wide(own, k.product(s, s, d.dim), dst[j])
		}
	}
}

type rowItems struct {
	k   kernels.Kernel
	x   []float64
	dim int
}

func (r rowItems) len() int { return len(r.x) / r.dim }

func (r rowItems) row(dst []float64, i int) {
	kernels.Fill(dst, r.k, fused.Best(), r.x[i*r.dim:(i+1)*r.dim], r.x, r.dim)
}

func (r rowItems) diagonal(i int) float64 {
	x := r.x[i*r.dim : (i+1)*r.dim]
	return r.k.At(x, x)
}

// gramItems have their kernel matrix.
type gramItems struct {
	n int
	g []float64
}

func (m *gramItems) len() int                 { return m.n }
func (m *gramItems) row(dst []float64, i int) { copy(dst, m.g[i*m.n:(i+1)*m.n]) }
func (m *gramItems) diagonal(i int) float64   { return m.g[i*m.n+i] }
