package kerneltest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/permute"
	"bayeskernel/kerneltest/statistic"
)

// Where rows are exchanged within blocks only, kernels are centred within them: K becomes HKH with H
// the matrix that takes from each row the mean of its block. What the rows of a block have in common
// is the same in every permutation, and would only hide what differs.

// within returns the sides with kernels centred within blocks.
func within(sides []*side, blocks []int) []*side {
	var out []*side
	for _, s := range sides {
		out = append(out, &side{of: s.of, tiles: s.tiles, base: s, blocks: blocks, ridge: s.ridge, limit: s.limit})
	}
	return out
}

// lowWithin centres the factor of the side without blocks within them. Where there is none and no room
// to keep matrices, it makes one.
func (s *side) lowWithin(ctx context.Context, progress func(done, total int)) (*statistic.Factor, error) {
	f, err := s.base.lowRank(ctx, progress)
	if err == nil && f == nil && !s.kept() {
		f, err = s.tiles.sortedFactor(ctx, factorTolerance, s.of.limits.rank, progress)
	}
	if err != nil {
		return nil, err
	}
	if s.probed = true; f == nil {
		return nil, nil
	}
	n, r := s.tiles.n, f.Rank()
	columns := slices.Clone(f.Columns())
	centreWithin(columns, n, s.blocks, nil)
	m := statistic.Margin{Diagonal: make([]float64, n)}
	for j, v := range columns {
		m.Diagonal[j%n] += v * v
	}
	products := make([]float64, r*r)
	if r > 0 {
		lowrank.Gram(products, columns, r, n, n)
	}
	for a := range r { // the lower triangle is what is there
		m.Squares += products[a*r+a] * products[a*r+a]
		for _, v := range products[a*r : a*r+a] {
			m.Squares += 2 * v * v
		}
	}
	s.low, s.packed, s.ofLow = f, permute.NewFactor(columns, n), s.means(m)
	return f, nil
}

// gramWithin centres a Gram matrix within blocks, in place.
func (s *side) gramWithin(data []float64) ([]float64, statistic.Margin, error) {
	n := s.tiles.n
	at := map[int][]int{}
	for i, b := range s.blocks {
		at[b] = append(at[b], i)
	}
	mean := make([]float64, n)
	for _, in := range at { // takes from the rows of a block their mean row
		clear(mean)
		for _, i := range in {
			for j, v := range data[i*n : (i+1)*n] {
				mean[j] += v / float64(len(in))
			}
		}
		for _, i := range in {
			for j := range mean {
				data[i*n+j] -= mean[j]
			}
		}
	}
	for i := range n { // and likewise of columns
		row := data[i*n : (i+1)*n]
		for _, in := range at {
			mean := 0.0
			for _, j := range in {
				mean += row[j] / float64(len(in))
			}
			for _, j := range in {
				row[j] -= mean
			}
		}
	}
	if s.ridge > 0 && !shrink(data, n, s.ridge) {
		return nil, statistic.Margin{}, fmt.Errorf("kerneltest: the Gram matrix of %s is not positive semidefinite",
			s.of.name)
	}
	m := statistic.Margin{Diagonal: make([]float64, n)}
	for i := range n {
		m.Diagonal[i] = data[i*n+i]
		for j := range i { // the same bits on both sides
			data[i*n+j] = data[j*n+i]
		}
		for _, v := range data[i*n : (i+1)*n] {
			m.Squares += v * v
		}
	}
	s.ofWhole = s.means(m)
	if s.kept() {
		s.matrix = data
	}
	return data, s.ofWhole, nil
}

// means sets those of the Gram matrix so that the variation of the kernel is that within blocks.
func (s *side) means(m statistic.Margin) statistic.Margin {
	n := float64(s.tiles.n)
	diag := s.tiles.diagonal()
	m.DiagMean = total(diag) / n
	m.OffMean = m.DiagMean - total(m.Diagonal)/(n-1)
	return m
}

// meanWithin is the mean over permutations within blocks of the sum of the products of two matrices
// centred within them, whose diagonals are given: between two blocks it is 0, and within one of n rows
// the product of the two traces over n-1.
func meanWithin(blocks []int, x, y []float64) float64 {
	type block struct{ x, y, n float64 }
	of := map[int]*block{}
	var order []int
	for i, b := range blocks {
		if of[b] == nil {
			of[b], order = &block{}, append(order, b)
		}
		of[b].x += x[i]
		of[b].y += y[i]
		of[b].n++
	}
	mean := 0.0
	for _, b := range order {
		if o := of[b]; o.n > 1 {
			mean += o.x * o.y / (o.n - 1)
		}
	}
	return math.Max(0, mean)
}
