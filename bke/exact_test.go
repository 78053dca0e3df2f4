package bke

import (
	"math"
	"math/big"
)

// exactDeterminant is 1/2 logdet sum_l k_l² v_l v_l' and the leverages, with no rounding in the vectors:
// they are turned into whole numbers and eliminated without division (Bareiss), so that every
// number on the way is a minor of theirs. The weights are as large as they may be: the rows and
// columns of the minors are chosen by complete pivoting, and L, from ratios of minors and of weights, is the
// first thing that is rounded. The vectors are given by columns.
func exactDeterminant(cols [][]float64, logK, scale []float64) (logDet float64, lev []float64) {
	d, m := len(cols), len(logK)
	minors := make([][]*big.Int, d)
	unit := make([]float64, d) // log of what a unit of each column is, in units of theta
	for a, c := range cols {
		var low int
		minors[a], low = wholes(c)
		unit[a] = float64(low)*math.Ln2 + math.Log(scale[a])
		logDet -= math.Log(scale[a])
	}
	left := make([]bool, m)
	for l := range left {
		left[l] = true
	}
	var lower [][]float64
	last := big.NewInt(1)
	for s := range d {
		best, row, col := math.Inf(-1), -1, -1
		for j := s; j < d; j++ {
			for l, v := range minors[j] {
				if !left[l] || v.Sign() == 0 {
					continue
				}
				if t := logOf(v) + unit[j] + logK[l]; t > best {
					best, row, col = t, l, j
				}
			}
		}
		if row < 0 {
			return math.Inf(-1), nil
		}
		minors[s], minors[col] = minors[col], minors[s]
		unit[s], unit[col] = unit[col], unit[s]
		c, p := minors[s], minors[s][row]
		logDet += logOf(p) - logOf(last) + unit[s] + logK[row]
		lower = append(lower, make([]float64, m))
		for l, v := range c {
			if !left[l] || v.Sign() == 0 {
				continue
			}
			t := new(big.Float).SetPrec(100).SetInt(v)
			t.Quo(t, new(big.Float).SetPrec(100).SetInt(p))
			e := t.MantExp(t)
			f, _ := t.Float64()
			lower[s][l] = f * math.Exp(float64(e)*math.Ln2+(logK[l]-logK[row]))
		}
		left[row] = false
		for j := s + 1; j < d; j++ {
			pj := new(big.Int).Set(minors[j][row])
			for l := range m {
				if !left[l] {
					continue
				}
				v := minors[j][l]
				v.Mul(v, p).Sub(v, new(big.Int).Mul(c[l], pj))
				v.Quo(v, last)
			}
		}
		last = new(big.Int).Set(p)
	}
	// Gram-Schmidt, twice: the sum of the squares of L's orthonormal columns.
	lev = make([]float64, m)
	for s, c := range lower {
		for range 2 {
			for j := range s {
				f := 0.0
				for l := range m {
					f += c[l] * lower[j][l]
				}
				for l := range m {
					c[l] -= f * lower[j][l]
				}
			}
		}
		norm := 0.0
		for _, v := range c {
			norm += v * v
		}
		logDet += math.Log(norm) / 2
		for l := range c {
			c[l] /= math.Sqrt(norm)
			lev[l] += c[l] * c[l]
		}
	}
	return logDet, lev
}

// exactJacobian returns the derivatives of the sum of log gamma, and what the rounding of the
// logarithms of the weights does to them: of a few units in the last place each, and as much of the
// leverages.
func exactJacobian(mod *Model, p Params, unit []float64) (dlog, slack []float64) {
	d, m, thetas := mod.dim, mod.m, mod.thetas()
	dlog, slack = make([]float64, thetas), make([]float64, thetas)
	scale := make([]float64, d)
	for a := range scale {
		scale[a] = 1 / p.theta(a)
		if unit != nil {
			scale[a] *= unit[a]
		}
	}
	for i := range mod.n {
		cols, logK, q := make([][]float64, d), make([]float64, m), make([][]float64, thetas)
		for a := range d {
			k := min(a, thetas-1)
			q[k] = append(q[k], make([]float64, m-len(q[k]))...)
			for l := range m {
				v := mod.x[i*d+a] - mod.z[l*d+a]
				u := v / p.theta(a)
				cols[a] = append(cols[a], inUnit(v, unit, a))
				logK[l] -= u * u / 2
				q[k][l] += u * u
			}
			dlog[k] -= 2
		}
		_, lev := exactDeterminant(cols, logK, scale)
		for k := range dlog {
			for l, h := range lev {
				if h > 0 {
					dlog[k] += h * q[k][l]
					slack[k] += 0x1p-50 * h * q[k][l] * (1 - 2*logK[l])
				}
			}
		}
	}
	return dlog, slack
}

// wholes returns whole numbers n_l and a power of two such that c_l = n_l 2^low.
func wholes(c []float64) (n []*big.Int, low int) {
	low = math.MaxInt
	for _, v := range c {
		if v != 0 {
			_, e := math.Frexp(v)
			low = min(low, e-53)
		}
	}
	for _, v := range c {
		f, e := math.Frexp(v)
		w := big.NewInt(int64(math.Ldexp(f, 53)))
		if v != 0 {
			w.Lsh(w, uint(e-53-low))
		}
		n = append(n, w)
	}
	return n, low
}

// logOf is log |v|.
func logOf(v *big.Int) float64 {
	mant := new(big.Float)
	e := new(big.Float).SetInt(v).MantExp(mant)
	f, _ := mant.Float64()
	return math.Log(math.Abs(f)) + float64(e)*math.Ln2
}
