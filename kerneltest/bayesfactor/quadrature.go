package bayesfactor

import "math"

// rule is a quadrature rule.
type rule struct{ at, weight []float64 }

// composite is the rule of Gauss and Legendre with count points between each two edges.
func composite(edges []float64, count int) rule {
	x, w := legendre(count)
	var r rule
	for k := 1; k < len(edges); k++ {
		mid, half := (edges[k-1]+edges[k])/2, (edges[k]-edges[k-1])/2
		for i := range x {
			r.at = append(r.at, mid+half*x[i])
			r.weight = append(r.weight, half*w[i])
		}
	}
	return r
}

// legendre returns the points and weights of the rule on [-1, 1], by Newton's method.
func legendre(count int) (x, w []float64) {
	x, w = make([]float64, count), make([]float64, count)
	n := float64(count)
	for i := range x {
		t := -math.Cos(math.Pi * (float64(i) + 0.75) / (n + 0.5))
		slope := 0.0
		for range 8 {
			p, before := 1.0, 0.0
			for k := range count {
				f := float64(k)
				p, before = ((2*f+1)*t*p-f*before)/(f+1), p
			}
			slope = n * (t*p - before) / (t*t - 1)
			t -= p / slope
		}
		x[i], w[i] = t, 2/((1-t*t)*slope*slope)
	}
	return x, w
}

// equal are edges of count intervals of one length.
func equal(from, to float64, count int) []float64 {
	out := make([]float64, count+1)
	for i := range out {
		t := float64(i) / float64(count)
		out[i] = (1-t)*from + t*to
	}
	return out
}

// amplitudeRule is that for s under a half-normal prior of scale 1. The Bayes factor as a function
// of s has poles at ±i/sqrt(a_j), a_1 of the order of N/4, so that intervals are short near 0.
func amplitudeRule() rule {
	edges := []float64{0}
	for e := 1.0 / 128; e <= 0.5; e *= 2 {
		edges = append(edges, e)
	}
	return composite(append(edges, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8), 8)
}

// coarseAmplitudeRule is that of permutations, where many Bayes factors are compared with each
// other.
func coarseAmplitudeRule() rule { return composite([]float64{0, 0.125, 0.5, 1.25, 2.5, 4}, 4) }

// chebyshev returns extreme point k of the Chebyshev polynomial of this degree, on [from, to].
// Those of a degree are every second one of twice the degree, to the last bit.
func chebyshev(k, degree int, from, to float64) float64 {
	c := -math.Cos(math.Pi * float64(k) / float64(degree))
	if 2*k == degree {
		c = 0
	}
	return (from+to)/2 + (to-from)/2*c
}

// barycentric returns the coefficients with which values at the extreme points make the value of
// their interpolating polynomial at u (Berrut and Trefethen, 2004).
func barycentric(dst []float64, u, from, to float64) {
	degree := len(dst) - 1
	sum := 0.0
	for k := range dst {
		d := u - chebyshev(k, degree, from, to)
		if d == 0 {
			clear(dst)
			dst[k] = 1
			return
		}
		w := 1 / d
		if k == 0 || k == degree {
			w /= 2
		}
		if k%2 == 1 {
			w = -w
		}
		dst[k] = w
		sum += w
	}
	for k := range dst {
		dst[k] /= sum
	}
}

// clenshawCurtis returns the weights of the extreme points for integrals over [from, to]; they are
// positive.
func clenshawCurtis(degree int, from, to float64) []float64 {
	out := make([]float64, degree+1)
	for k := range out {
		s := 1.0
		for j := 1; j <= degree/2; j++ {
			b := 2.0
			if 2*j == degree {
				b = 1
			}
			s -= b / float64(4*j*j-1) * math.Cos(2*math.Pi*float64(j*k)/float64(degree))
		}
		c := 2.0
		if k == 0 || k == degree {
			c = 1
		}
		out[k] = c * s / float64(degree) * (to - from) / 2
	}
	return out
}

// logSumExp is log sum exp(x).
func logSumExp(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	if math.IsInf(top, -1) {
		return top
	}
	s := 0.0
	for _, v := range x {
		s += math.Exp(v - top)
	}
	return top + math.Log(s)
}
