package engine

import (
	"math"

	"bayeskernel/internal/density"
)

// equalTerm is univariateTerm of counts that are data, and whose parameters are numbers or data: rows
// with the same count and the same data are one row with a weight. There are few of them.
type equalTerm struct {
	*univariateTerm
	rows   []int // the first of each group
	weight []float64
}

// mostEqual is how many groups are looked for.
const mostEqual = 1000

// equal returns the term of counts in groups, nil where there are too many.
func (t *univariateTerm) equal() Term {
	if !t.f.Discrete || t.cut != nil || t.y == nil || t.dy != nil || len(t.y) < 8 {
		return nil
	}
	for k := range t.k {
		if t.mask[k] != 0 && t.da[k] != nil {
			return nil
		}
	}
	var by [][]float64
	for k := range t.k {
		if t.mask[k] != 0 {
			by = append(by, t.a[k])
		}
	}
	rows, weight := equalRows(t.y, by)
	if rows == nil {
		return nil
	}
	return &equalTerm{t, rows, weight}
}

// equalRows finds rows with equal counts and equal data by rows: the first of each group, and how many it
// has; nil where there are too many.
func equalRows(y []float64, by [][]float64) (rows []int, weight []float64) {
	type key [density.MaxParams + 1]float64
	most := min(mostEqual, len(y)/2)
	group := map[key]int{}
	for i, v := range y {
		of := key{v}
		for k, b := range by {
			of[k+1] = b[i]
		}
		g, ok := group[of]
		if !ok {
			if g = len(rows); g == most {
				return nil, nil
			}
			group[of] = g
			rows, weight = append(rows, i), append(weight, 0)
		}
		weight[g]++
	}
	return rows, weight
}

func (t *equalTerm) Add() float64 {
	p, g := &t.p, &t.g
	if !t.params(p, 0) {
		return math.Inf(-1)
	}
	lp := t.base
	t.sum = density.Grad{}
	for j, i := range t.rows {
		t.params(p, i)
		l := t.f.Kernel(t.y[i], p, g) + t.f.Norm(p, &t.norm)
		if math.IsInf(l, -1) || math.IsNaN(l) {
			return math.Inf(-1)
		}
		w := t.weight[j]
		lp += w * l
		for k := range t.k {
			t.sum[k+1] += w * (g[k+1] + t.norm[k+1])
		}
	}
	t.addSums()
	return lp
}
