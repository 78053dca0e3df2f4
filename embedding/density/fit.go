package density

import (
	"context"
	"errors"
	"fmt"
	"math"

	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Centres are the normal distributions that a mixture is made of: N(row j of At, Spread_j² I).
type Centres struct {
	At     mat.Matrix
	Spread []float64 // one, or one for each row
}

// KMeans chooses centres among rows x, count of them, each with the root mean square distance, by
// coordinate, of the rows nearest to it. Where that is 0, the smallest positive one replaces it.
func KMeans(ctx context.Context, x mat.Matrix, count int, seed uint64) (Centres, error) {
	data, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return Centres{}, fmt.Errorf("density: %w", err)
	}
	if n == 0 || count < 1 {
		return Centres{}, fmt.Errorf("density: %d centres are wanted of %s, want at least 1 of each",
			count, rows.Count(n, "row"))
	}
	at, err := rows.KMeans(ctx, data, dim, count, seed)
	if err != nil {
		return Centres{}, err
	}
	count = len(at) / dim
	spread, number := make([]float64, count), make([]float64, count)
	for i := range n {
		best, d2 := 0, math.Inf(1)
		for j := range count {
			d := rows.Distance(data[i*dim:(i+1)*dim], at[j*dim:(j+1)*dim])
			if d*d < d2 {
				best, d2 = j, d*d
			}
		}
		spread[best] += d2 / float64(dim)
		number[best]++
	}
	least := math.Inf(1)
	for j := range spread {
		spread[j] = math.Sqrt(spread[j] / max(1, number[j]))
		if spread[j] > 0 {
			least = min(least, spread[j])
		}
	}
	if math.IsInf(least, 1) {
		return Centres{}, errors.New("density: all rows are at the centres, want more rows than centres")
	}
	for j, s := range spread {
		if s == 0 {
			spread[j] = least
		}
	}
	return Centres{mat.NewDense(count, dim, at), spread}, nil
}

// Match finds the weights of a mixture on the given centres whose mean embedding is nearest to
// sum_i weights_i k(., x_i); weights of nil mean 1/n. They minimise w'Mw - 2 b'w over the simplex,
// where M_jl = E k(Y_j, Y_l) and b_j = sum_i weights_i E k(x_i, Y_j). The kernel is one that
// Normals.Embed takes.
//
// It takes O(nm) values of k for n rows and m centres, and what Minimise takes.
func Match(k kernels.Kernel, x mat.Matrix, weights []float64, c Centres) (*Normals, *Solution,
	error) {
	data, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return nil, nil, fmt.Errorf("density: %w", err)
	}
	if weights != nil && len(weights) != n {
		return nil, nil, fmt.Errorf("density: there are %d weights, want %d, one for each row",
			len(weights), n)
	}
	p, err := c.normals(dim)
	if err != nil {
		return nil, nil, err
	}
	e, err := p.moments(k)
	if err != nil {
		return nil, nil, err
	}
	count := len(p.Weights)
	m, b := mat.NewSymDense(count, nil), make([]float64, count)
	for j := range count {
		for l := range j + 1 {
			m.SetSym(j, l, e.round(p.Means.RawRowView(j), c.spread(j), p.Means.RawRowView(l), c.spread(l)))
		}
		for i := range n {
			w := 1 / float64(n)
			if weights != nil {
				w = weights[i]
			}
			b[j] += w * e.round(data[i*dim:(i+1)*dim], 0, p.Means.RawRowView(j), c.spread(j))
		}
	}
	s, err := Minimise(m, b)
	if err != nil {
		return nil, nil, err
	}
	p.Weights = s.Weights
	return p, s, nil
}

func (c Centres) spread(j int) float64 { return c.Spread[min(j, len(c.Spread)-1)] }

// normals is the mixture of equal weights.
func (c Centres) normals(dim int) (*Normals, error) {
	_, count, columns, err := rows.Finite("centres", c.At)
	if err != nil {
		return nil, fmt.Errorf("density: %w", err)
	}
	if columns != dim {
		return nil, fmt.Errorf("density: centres have %s, want %d", rows.Count(columns, "column"), dim)
	}
	if len(c.Spread) != 1 && len(c.Spread) != count {
		return nil, fmt.Errorf("density: there are %d spreads of %d centres, want 1 or %d",
			len(c.Spread), count, count)
	}
	weights := make([]float64, count)
	var covs []*mat.SymDense
	for j := range count {
		s := c.spread(j)
		if !(s > 0) || math.IsInf(s, 1) {
			return nil, fmt.Errorf("density: spread %d is %v, want a positive number", j+1, s)
		}
		weights[j] = 1 / float64(count)
		cov := mat.NewSymDense(dim, nil)
		for a := range dim {
			cov.SetSym(a, a, s*s)
		}
		covs = append(covs, cov)
	}
	return NewNormals(weights, c.At, covs)
}

// round is pair for covariances s² I and r² I, without matrices.
func (e expectations) round(a []float64, s float64, b []float64, r float64) float64 {
	d := float64(len(a))
	s, r = s*s, r*r
	if e.degree == 0 {
		q, t := 0.0, e.theta2+s+r
		for i := range a {
			q += (a[i] - b[i]) * (a[i] - b[i])
		}
		return math.Exp(-q/(2*t) + d/2*math.Log(e.theta2/t))
	}
	u, aa, bb := e.offset, 0.0, 0.0
	for i := range a {
		u += a[i] * b[i]
		aa += a[i] * a[i]
		bb += b[i] * b[i]
	}
	second := s*bb + r*aa + d*s*r
	switch e.degree {
	case 1:
		return u
	case 2:
		return u*u + second
	}
	return u*u*u + 3*u*second + 6*s*r*(u-e.offset)
}
