package stein

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Weights returns the w >= 0 of sum 1 that minimise w'Kw + ridge |w|², K being a Stein matrix. Without a ridge
// they are blind to the masses of modes far apart; .3 times the median of the diagonal of K keeps near what the
// rows say of these. It uses active sets: O(n³) at worst each step.
func Weights(k *mat.SymDense, ridge float64) ([]float64, error) {
	n := k.SymmetricDim()
	if !(ridge >= 0) || math.IsInf(ridge, 0) {
		return nil, fmt.Errorf("stein: the ridge is %v; it must be finite and at least 0", ridge)
	}
	first, size := 0, make([]float64, n) // size: K_ij is at most size_i size_j
	for i := range n {
		for j := range i + 1 {
			if v := k.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("stein: K[%d][%d] is %v; it must be finite", i, j, v)
			}
		}
		size[i] = math.Sqrt(math.Max(0, k.At(i, i)+ridge))
		if k.At(i, i) < k.At(first, first) {
			first = i
		}
	}
	at := func(i, j int) float64 {
		if i == j {
			return k.At(i, i) + ridge
		}
		return k.At(i, j)
	}
	w := make([]float64, n)
	w[first] = 1
	in := []int{first}
	refused := make([]bool, n)
	for range 20*n + 20 {
		// The row outside that would lower the objective fastest, if any does.
		level, best, least, sum := 0.0, -1, 0.0, 0.0
		slope := make([]float64, n)
		for i := range n {
			for _, j := range in {
				slope[i] += at(i, j) * w[j]
			}
			level += w[i] * slope[i]
			sum += w[i] * size[i]
		}
		for i := range n {
			// Rounding leaves so much of the row's own size: a few rows far away have scores beyond those of all others.
			if s := slope[i] - level; w[i] == 0 && !refused[i] && s < -1e-13*sum*(size[i]+sum) && s < least {
				best, least = i, s
			}
		}
		if best < 0 {
			return w, nil
		}
		in = append(in, best)
		for len(in) > 0 {
			z, ok := solve(at, in)
			if !ok {
				refused[best] = true // it repeats rows that are in
				in = remove(in, best)
				w[best] = 0
				break
			}
			step, out := 1.0, -1
			for a, i := range in {
				if z[a] <= 0 {
					if s := w[i] / (w[i] - z[a]); s < step || out < 0 {
						step, out = s, i
					}
				}
			}
			if out < 0 {
				for a, i := range in {
					w[i] = z[a]
				}
				clear(refused) // the weights are others now: rows that could not come in may
				break
			}
			for a, i := range in {
				w[i] += step * (z[a] - w[i])
			}
			w[out] = 0
			in = remove(in, out)
			if out == best {
				refused[best] = true
				break
			}
		}
	}
	return nil, fmt.Errorf("stein: no weights found for %d rows: the matrix may not be positive semidefinite", n)
}

func remove(in []int, i int) []int {
	out := in[:0]
	for _, j := range in {
		if j != i {
			out = append(out, j)
		}
	}
	return out
}

// solve minimises over weights of sum 1 of the rows in alone.
func solve(at func(i, j int) float64, in []int) ([]float64, bool) {
	k, one := mat.NewSymDense(len(in), nil), mat.NewVecDense(len(in), nil)
	for a, i := range in {
		one.SetVec(a, 1)
		for b := a; b < len(in); b++ {
			k.SetSym(a, b, at(i, in[b]))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(k) || chol.Cond() > 1e14 {
		return nil, false
	}
	var z mat.VecDense
	if chol.SolveVecTo(&z, one) != nil {
		return nil, false
	}
	sum := mat.Sum(&z)
	if !(sum > 0) {
		return nil, false
	}
	z.ScaleVec(1/sum, &z)
	return z.RawVector().Data, true
}
