package statistic

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Imhof returns the probability that the sum of weights[i] Z_i², where the Z_i are independent
// standard normal, is more than x, and a bound of its numerical error. Weights are not negative;
// zeros count for nothing.
//
// The integral is that of Imhof (1961) on a path through the saddlepoint (Rice, 1980; Helstrom,
// 1983), so that the smaller of the two tails has a relative error near 1e-13, be it 1e-300:
// section 5 of kerneltest/DERIVATION.md. More than 4096 weights are first merged, which preserves the first
// four cumulants of every fortieth part of an octave.
func Imhof(weights []float64, x float64) (p, bound float64, err error) {
	if math.IsNaN(x) {
		return 0, 0, errors.New("statistic: statistic is NaN, want a number")
	}
	top := 0.0
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return 0, 0, fmt.Errorf("statistic: weight %d is %v, want at least 0 and finite",
				i+1, w)
		}
		top = max(top, w)
	}
	if top == 0 {
		if x > 0 {
			return 0, 0, nil
		}
		return 1, 0, nil
	}
	q := newQuadratic(weights, top)
	x /= top
	switch {
	case x < 1e-40: // the lower tail is at most sqrt(2x/pi), that of one weight
		return 1, 1e-20, nil
	case x > 3000 && x > 8*q.mean():
		// The Chernoff bound at s = 3/8, where K(s) is at most mean log 2, is below exp(-860).
		return 0, 0, nil
	}
	upper := x >= q.mean()
	tail, bound := q.tail(x, upper)
	if !upper {
		tail = 1 - tail
	}
	return min(max(tail, 0), 1), bound, nil
}

// quadratic is a sum of nu[i] chi-squares of weight lambda[i]; the largest weight is 1.
type quadratic struct {
	lambda, nu []float64
}

const (
	maxWeights = 4096
	binRatio   = 1.0175 // 2^(1/40)
)

func newQuadratic(weights []float64, top float64) *quadratic {
	q := &quadratic{lambda: make([]float64, 0, len(weights))}
	for _, w := range weights {
		if w /= top; w > 0 {
			q.lambda = append(q.lambda, w)
		}
	}
	slices.Sort(q.lambda)
	if len(q.lambda) > maxWeights {
		q.merge()
		return q
	}
	q.nu = make([]float64, len(q.lambda))
	for i := range q.nu {
		q.nu[i] = 1
	}
	return q
}

// merge replaces the weights of a narrow bin by the two points of the Gauss rule for the measure
// that has mass lambda at lambda: sums of lambda to the powers 1 to 4 are kept, and with them the
// cumulants.
func (q *quadratic) merge() {
	var lambda, nu []float64
	for all := q.lambda; len(all) > 0; {
		n := 1
		for n < len(all) && all[n] <= binRatio*all[0] {
			n++
		}
		bin := all[:n]
		all = all[n:]
		if n <= 2 {
			for _, v := range bin {
				lambda, nu = append(lambda, v), append(nu, 1)
			}
			continue
		}
		a, b, share := twoPoints(bin)
		mass := 0.0
		for _, v := range bin {
			mass += v
		}
		lambda, nu = append(lambda, a, b), append(nu, share*mass/a, (1-share)*mass/b)
	}
	q.lambda, q.nu = lambda, nu
}

// twoPoints returns the nodes of the rule, and the share of the mass that the first has.
func twoPoints(bin []float64) (a, b, share float64) {
	var mass, mean, m2, m3 float64
	for _, v := range bin {
		mass += v
		mean += v * v
	}
	mean /= mass
	for _, v := range bin {
		d := v - mean
		m2 += v * d * d / mass
		m3 += v * d * d * d / mass
	}
	sd := math.Sqrt(m2)
	if sd < 1e-9*mean {
		return mean, mean, 0.5
	}
	skew := m3 / (m2 * sd)
	root := math.Sqrt(skew*skew + 4)
	below, above := sd*(skew-root)/2, sd*(skew+root)/2
	return mean + below, mean + above, above / (above - below)
}

func (q *quadratic) mean() float64 {
	s := 0.0
	for i, v := range q.lambda {
		s += q.nu[i] * v
	}
	return s
}

// slopes returns the first two derivatives of the cumulant generating function K at c < 1/2.
func (q *quadratic) slopes(c float64) (k1, k2 float64) {
	for i, v := range q.lambda {
		r := v / (1 - 2*v*c)
		k1 += q.nu[i] * r
		k2 += 2 * q.nu[i] * r * r
	}
	return k1, k2
}

// saddle returns a point c near where the integrand exp(K(s) - s x)/s is stationary on the real
// axis, above 0 for the upper tail and below for the lower, and the width of the saddle.
func (q *quadratic) saddle(x float64, upper bool) (c, width float64) {
	at := func(v float64) float64 { return -math.Exp(v) }
	lo, hi := -40.0, 110.0 // as x > 1e-40, c > -(nu/2+1) 1e40
	if upper {
		at = func(v float64) float64 { return 0.5 / (1 + math.Exp(-v)) }
		lo, hi = -40, 34
	}
	for range 40 {
		v := (lo + hi) / 2
		c = at(v)
		k1, _ := q.slopes(c)
		// The derivative of the exponent grows with c, and so with v if upper.
		if (k1-x-1/c > 0) == upper {
			hi = v
		} else {
			lo = v
		}
	}
	_, k2 := q.slopes(c)
	return c, 1 / math.Sqrt(k2+1/(c*c))
}

// exponent returns the real and the imaginary part of K(s) - s x - log(s/c), for s = re + i im.
func (q *quadratic) exponent(re, im, x, c float64) (mod, arg float64) {
	square := re*re + im*im
	for i, v := range q.lambda {
		a := 2 * v
		mod -= q.nu[i] * math.Log1p(a*(a*square-2*re))
		arg += q.nu[i] * math.Atan2(a*im, 1-a*re)
	}
	mod = mod/4 - re*x - math.Log(math.Hypot(re, im)/math.Abs(c))
	arg = arg/2 - im*x - math.Atan2(math.Copysign(im, c*im), re*math.Copysign(1, c))
	return mod, arg
}

const asymptote = math.Pi / 6 // how far the branches of the path lean from the vertical

// tail integrates along a hyperbola with its vertex at the saddlepoint, by the trapezoidal rule
// with a step that is halved until two sums agree.
func (q *quadratic) tail(x float64, upper bool) (p, bound float64) {
	c, width := q.saddle(x, upper)
	peak, _ := q.exponent(c, 0, x, c)
	scale := math.Exp(peak) * width / math.Abs(c) / math.Pi
	if scale == 0 {
		return 0, 0 // of the order of 1e-320 or less
	}
	sin, cos := math.Sincos(asymptote)
	term := func(u float64) (f, size float64) {
		sh, ch := math.Sinh(u), math.Cosh(u)
		half := math.Sinh(u / 2)
		re, im := c+width*sin*2*half*half, width*cos*sh
		mod, arg := q.exponent(re, im, x, c)
		size = math.Exp(mod - peak)
		s, t := math.Sincos(arg)
		// The imaginary part of the integrand times ds/du.
		return size * (s*sin*sh + t*cos*ch), size * ch
	}
	sum := func(from, step float64) float64 {
		s := 0.0
		for u := from; u < 100; u += step {
			f, size := term(u)
			s += f
			if size < 1e-18 {
				break
			}
		}
		return s
	}
	first, _ := term(0)
	step := 0.25
	total := first/2 + sum(step, step)
	last, diff := total*step, math.Inf(1)
	for range 7 {
		total += sum(step/2, step)
		step /= 2
		diff = math.Abs(total*step - last)
		last = total * step
		if diff <= 1e-13*math.Abs(last) {
			break
		}
	}
	round := 4e-16 * (8 + math.Abs(x*c) + x*width)
	return scale * last, scale * (diff + round*math.Abs(last))
}
