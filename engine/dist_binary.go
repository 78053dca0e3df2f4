package engine

import (
	"math"

	"bayeskernel/internal/density"
)

// probabilityTerm is univariateTerm of counts of successes, data, with a probability for each: the sum of
// the logs of what happened is the log of a product where there is one trial.
type probabilityTerm struct {
	*univariateTerm
	p, dp, trials []float64 // trials is nil where there is one
}

// probability returns the term of bernoulli or binomial values, nil where it is none.
func (t *univariateTerm) probability() Term {
	k := 0
	switch t.f.Name {
	case "bernoulli":
	case "binomial":
		k = 1
	default:
		return nil
	}
	if t.cut != nil || t.y == nil || t.mask[k] == 0 {
		return nil
	}
	out := &probabilityTerm{univariateTerm: t, p: t.a[k], dp: t.da[k]}
	if k == 1 {
		out.trials = t.a[0]
	}
	return out
}

func (t *probabilityTerm) Add() float64 {
	if t.trials != nil {
		return t.addTrials()
	}
	product, logs := 1.0, 0.0
	for i, p := range t.p[:len(t.y)] {
		if !(p >= 0 && p <= 1) {
			return math.Inf(-1)
		}
		u, sign := p, 1.0
		if t.y[i] == 0 {
			u, sign = 1-p, -1
		}
		if u == 0 {
			return math.Inf(-1)
		}
		if q := product * u; q > smallProduct {
			product = q
		} else {
			product, logs = carry(product, u, logs)
		}
		if t.dp != nil {
			t.dp[i] += sign / u
		}
	}
	return logs + math.Log(product)
}

func (t *probabilityTerm) addTrials() float64 {
	lp := t.base
	for i, p := range t.p[:len(t.y)] {
		if !(p >= 0 && p <= 1) {
			return math.Inf(-1)
		}
		r := t.y[i]
		if t.mask[0] == 0 {
			r = t.trials[0] - r
		} else {
			r = t.trials[i] - r
		}
		l, d := 0.0, 0.0
		if y := t.y[i]; y > 0 {
			l += y * math.Log(p)
			d += y / p
		}
		if r > 0 {
			l += r * math.Log(1-p)
			d -= r / (1 - p)
		}
		if math.IsInf(l, -1) {
			return l
		}
		lp += l
		if t.dp != nil {
			t.dp[i] += d
		}
	}
	return lp
}

// probitTerm is univariateTerm of zeros and ones, data, with a normal quantile for each.
type probitTerm struct {
	*univariateTerm
	v []float64 // a block
}

// probit returns the term of bernoulli_probit values, nil where it is none.
func (t *univariateTerm) probit() Term {
	if t.f.Name != "bernoulli_probit" || t.cut != nil || t.y == nil || t.mask[0] == 0 {
		return nil
	}
	return &probitTerm{t, make([]float64, min(block, len(t.y)))}
}

func (t *probitTerm) Add() float64 {
	lp := t.base
	for lo := 0; lo < len(t.y); lo += block {
		hi := min(lo+block, len(t.y))
		v, y := t.v[:hi-lo], t.y[lo:hi]
		for i, x := range t.a[0][lo:hi] {
			v[i] = (1 - 2*y[i]) * x
		}
		l := logAboves(v)
		if math.IsNaN(l) || math.IsInf(l, -1) {
			return math.Inf(-1)
		}
		lp += l
		if t.da[0] == nil {
			continue
		}
		dx := t.da[0][lo:hi]
		for i, r := range v {
			dx[i] -= (1 - 2*y[i]) * r
		}
	}
	return lp
}

// modifiedTerm is univariateTerm of sums of a normal and an exponential value, with numbers for the sd
// and the rate. With z = (y - mean)/sd, s = rate sd and v = s - z the log density is
//
//	log rate + s²/2 - s z + log Q(v),
//
// whose derivatives are s - z - r in s and r - s in z, with r = phi/Q at v.
type modifiedTerm struct {
	*univariateTerm
	z, v []float64
}

// modified returns the term of exp_mod_normal values, nil where it is none.
func (t *univariateTerm) modified() Term {
	if t.f.Name != "exp_mod_normal" || t.cut != nil || t.y == nil || t.mask[1] != 0 || t.mask[2] != 0 {
		return nil
	}
	n := min(block, len(t.y))
	return &modifiedTerm{t, make([]float64, n), make([]float64, n)}
}

func (t *modifiedTerm) Add() float64 {
	p := &t.p
	if !t.params(p, 0) {
		return math.Inf(-1)
	}
	sd, rate := p[1], p[2]
	s, n := rate*sd, float64(len(t.y))
	lp := t.base + n*(math.Log(rate)+s*s/2)
	byS, byMean, bySD := 0.0, 0.0, 0.0
	for lo := 0; lo < len(t.y); lo += block {
		hi := min(lo+block, len(t.y))
		z, v := t.z[:hi-lo], t.v[:hi-lo]
		sum := 0.0
		for i, y := range t.y[lo:hi] {
			z[i] = (y - t.a[0][(lo+i)&t.mask[0]]) / sd
			v[i] = s - z[i]
			sum += z[i]
		}
		l := logAboves(v)
		if math.IsNaN(l) || math.IsInf(l, -1) {
			return math.Inf(-1)
		}
		lp += l - s*sum
		for i, r := range v {
			byS += s - z[i] - r
			d := (r - s) / sd
			bySD -= d * z[i]
			if t.mask[0] == 0 {
				byMean -= d
			} else if t.da[0] != nil {
				t.da[0][lo+i] -= d
			}
			if t.dy != nil {
				t.dy[lo+i] += d
			}
		}
	}
	t.sum = density.Grad{0, byMean, bySD + byS*rate, n/rate + byS*sd}
	t.addSums()
	return lp
}
