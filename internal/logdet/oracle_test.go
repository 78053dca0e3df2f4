package logdet

import (
	"math"
	"math/big"

	"bayeskernel/internal/bigfloat"
)

// digits is the precision of the oracle, in bits, and lost is what it takes for zero beside the
// largest number of a row.
const (
	digits = 320
	lost   = -200
)

func bigOf(x float64) *big.Float { return newBig().SetFloat64(x) }

func newBig() *big.Float { return new(big.Float).SetPrec(digits) }

// bigExp is e^x: a Taylor series for x/2^s, squared s times.
func bigExp(x float64) *big.Float {
	const s = 40
	r := bigOf(x)
	r.SetMantExp(r, -s)
	sum, term := bigOf(1), bigOf(1)
	for i := 1; term.Sign() != 0 && term.MantExp(nil) > -digits-s-20; i++ {
		term.Mul(term, r).Quo(term, bigOf(float64(i)))
		sum.Add(sum, term)
	}
	for range s {
		sum.Mul(sum, sum)
	}
	return sum
}

// oracle computes 1/2 logdet sum_l k_l² v_l v_l' and the leverages in 320 bits, by elimination with
// complete pivoting of the matrix with rows k_l v_l, in units of theta. The rows v_l are used up.
// What remains of L, which has no element beyond one, is harmless.
func oracle(v [][]*big.Float, logK, theta []float64) (logDet float64, lev []float64) {
	m, d := len(v), len(theta)
	weight, top := make([]*big.Float, m), make([]int, m)
	for l := range v {
		if math.IsInf(logK[l], -1) {
			weight[l] = newBig()
		} else {
			weight[l] = bigExp(logK[l])
		}
		top[l] = math.MinInt
		for a, t := range theta {
			v[l][a].Quo(v[l][a], bigOf(t))
			if v[l][a].Sign() != 0 {
				top[l] = max(top[l], v[l][a].MantExp(nil))
			}
		}
	}
	axes, det, lower := make([]bool, d), bigOf(1), [][]*big.Float{}
	used := make([]bool, m)
	for range d {
		row, axis, best := -1, -1, newBig()
		for l := range v {
			for a := range d {
				if used[l] || axes[a] {
					continue
				}
				t := newBig().Mul(v[l][a], weight[l])
				if t.Abs(t).Cmp(best) > 0 {
					best, row, axis = t, l, a
				}
			}
		}
		if row < 0 {
			return math.Inf(-1), nil
		}
		det.Mul(det, best)
		column := make([]*big.Float, m)
		for l := range v {
			column[l] = newBig()
			if used[l] || weight[l].Sign() == 0 {
				continue
			}
			f := newBig().Quo(v[l][axis], v[row][axis])
			column[l].Mul(f, weight[l])
			column[l].Quo(column[l], weight[row])
			for a := range d {
				if axes[a] || l == row || f.Sign() == 0 {
					continue
				}
				v[l][a].Sub(v[l][a], newBig().Mul(f, v[row][a]))
				if v[l][a].Sign() != 0 && v[l][a].MantExp(nil) < top[l]+lost {
					v[l][a].SetInt64(0)
				}
			}
		}
		used[row], axes[axis] = true, true
		lower = append(lower, column)
	}
	lev, rest := orthonormal(lower)
	det.Mul(det, rest)
	for _, t := range theta {
		det.Mul(det, bigOf(t))
	}
	return bigfloat.Log(det), lev
}

// orthonormal returns the squared lengths of the rows of Q, and det R, where QR are the columns.
func orthonormal(cols [][]*big.Float) (lev []float64, det *big.Float) {
	m, det := len(cols[0]), bigOf(1)
	sums := make([]*big.Float, m)
	for l := range sums {
		sums[l] = newBig()
	}
	dot := func(x, y []*big.Float) *big.Float {
		s := newBig()
		for l := range x {
			s.Add(s, newBig().Mul(x[l], y[l]))
		}
		return s
	}
	for s, c := range cols {
		for _, q := range cols[:s] {
			f := dot(c, q)
			for l := range c {
				c[l].Sub(c[l], newBig().Mul(f, q[l]))
			}
		}
		norm := dot(c, c)
		norm.Sqrt(norm)
		det.Mul(det, norm)
		for l := range c {
			c[l].Quo(c[l], norm)
			sums[l].Add(sums[l], newBig().Mul(c[l], c[l]))
		}
	}
	for _, s := range sums {
		f, _ := s.Float64()
		lev = append(lev, f)
	}
	return lev, det
}
