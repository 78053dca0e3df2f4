package statistic

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// WithNormal combines the p-value of the form T = q'Mq with that of a standard normal variable u that
// was observed with it, where q and u are jointly normal: for s, the smaller of p/weight and
// pu/(1-weight), it returns the probability that this is at most s. So dependence between the two costs
// nothing. With a = E q u the moments are a'Ma, a'M²a and a'M³a.
//
// Given u, T is a form in normal variables whose covariance is I - aa' and whose mean is a u. Its
// first three cumulants are known, and Pearson's type III has them; the integral over u is numerical.
func (q *QuadraticForm) WithNormal(moments [3]float64, p, pu, weight float64) float64 {
	s, all := min(p/weight, pu/(1-weight)), q.Cumulants()
	if weight*s >= 1 || (1-weight)*s >= 1 || !(all[1] > 0) {
		return 1
	}
	bar := pearsonQuantile(weight*s, all)
	c := math.Sqrt2 * math.Erfcinv((1-weight)*s) // |u| beyond it happens with probability (1-weight) s
	tr := [3]float64{all[0], all[1] / 2, all[2] / 8}
	m1, m2, m3 := moments[0], moments[1], moments[2]
	// Those of M without a, and a'M(I-aa')Ma and so on.
	tr[0] -= m1
	tr[1] += m1*m1 - 2*m2
	tr[2] += 3*m1*m2 - 3*m3 - m1*m1*m1
	second, third := m2-m1*m1, m3-2*m1*m2+m1*m1*m1
	inside := quad.Fixed(func(u float64) float64 {
		k := [3]float64{tr[0] + u*u*m1, 2*tr[1] + 4*u*u*second, 8*tr[2] + 24*u*u*third}
		return math.Exp(-u*u/2) * above(bar, k)
	}, 0, min(c, farthest), 64, nil, 0)
	return min(1, (1-weight)*s+inside*math.Sqrt(2/math.Pi))
}

// farthest is where the normal density no longer counts.
const farthest = 9

// above is Pearson's type III, with its limits where the variance or the skewness vanishes.
func above(x float64, k [3]float64) float64 {
	const nothing = 1e-12
	if k[1] <= nothing*k[0]*k[0] {
		if k[0] > x {
			return 1
		}
		return 0
	}
	if sd := math.Sqrt(k[1]); k[2] < 1e-3*k[1]*sd {
		return math.Erfc((x-k[0])/sd/math.Sqrt2) / 2
	}
	t, err := pearsonTail(x, k)
	if err != nil {
		return 1
	}
	return t.P
}

// pearsonQuantile is the value above which Pearson's type III has probability p.
func pearsonQuantile(p float64, k [3]float64) float64 {
	sd := math.Sqrt(k[1])
	lo, hi := k[0]-sd, k[0]+sd
	for above(lo, k) < p {
		lo -= sd
	}
	for above(hi, k) > p {
		hi += hi - lo
	}
	for hi-lo > 1e-12*sd {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if above(mid, k) > p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
