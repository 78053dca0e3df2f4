package bke

import (
	"math"
	"math/big"
	"testing"
)

// densePosterior is the posterior of one embedding by textbook Gaussian conditioning: 600 bits, no
// low rank, nothing shared, elimination in place of a factorisation.
type densePosterior struct {
	mean []float64
	cov  [][]float64
}

// denseKernel is k(x, y) or, with prior, r(x, y), from the definitions.
func denseKernel(nu Nu, x, y []float64, p Params, prior bool) *big.Float {
	exponent, amp := bigNew(), bigF(1)
	pi, _, _ := big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494459"+
		"2307816406286208998628034825342117067982148086513282306647093844609550582231725", 10,
		oracleBits, big.ToNearestEven)
	for a := range x {
		t := bigF(p.theta(a))
		t2 := bigNew().Mul(t, t)
		d := bigNew().Sub(bigF(x[a]), bigF(y[a]))
		d.Mul(d, d).Quo(d, t2)
		if !prior {
			exponent.Sub(exponent, d.Quo(d, bigF(2)))
			continue
		}
		exponent.Sub(exponent, d.Quo(d, bigF(4)))
		switch nu {
		case Lebesgue:
			amp.Mul(amp, bigNew().Mul(t, bigNew().Sqrt(pi)))
		case Gaussian:
			e2 := bigNew().Mul(bigF(p.Eta), bigF(p.Eta))
			e2.Mul(e2, bigF(2))
			c := bigNew().Add(bigF(x[a]), bigF(y[a]))
			c.Quo(c, bigF(2))
			c.Mul(c, c).Quo(c, bigNew().Add(t2, e2))
			exponent.Sub(exponent, c)
			s := bigNew().Add(bigF(1), bigNew().Quo(e2, t2))
			amp.Quo(amp, s.Sqrt(s))
		}
	}
	return amp.Mul(amp, bigExp(exponent))
}

func denseGram(nu Nu, x, y [][]float64, p Params, prior bool) [][]*big.Float {
	out := make([][]*big.Float, len(x))
	for i := range x {
		for j := range y {
			out[i] = append(out[i], denseKernel(nu, x[i], y[j], p, prior))
		}
	}
	return out
}

// denseSum is the sum of products of two vectors.
func denseSum(a, b []*big.Float) *big.Float {
	s := bigNew()
	for i := range a {
		s.Add(s, bigNew().Mul(a[i], b[i]))
	}
	return s
}

// denseSolve replaces the columns of b by those of inverse(a) b, by elimination without pivoting,
// which is stable for a positive definite a.
func denseSolve(a, b [][]*big.Float) {
	n := len(a)
	for k := range n {
		for i := range n {
			if i == k {
				continue
			}
			f := bigNew().Quo(a[i][k], a[k][k])
			for j := k; j < n; j++ {
				a[i][j] = bigNew().Sub(a[i][j], bigNew().Mul(f, a[k][j]))
			}
			for j := range b[i] {
				b[i][j] = bigNew().Sub(b[i][j], bigNew().Mul(f, b[k][j]))
			}
		}
	}
	for k := range n {
		for j := range b[k] {
			b[k][j] = bigNew().Quo(b[k][j], a[k][k])
		}
	}
}

// denseCentre subtracts the mean of each row, and returns the means.
func denseCentre(k [][]*big.Float) []*big.Float {
	var means []*big.Float
	for _, row := range k {
		s := bigNew()
		for _, v := range row {
			s.Add(s, v)
		}
		s.Quo(s, bigF(float64(len(row))))
		for i, v := range row {
			row[i] = bigNew().Sub(v, s)
		}
		means = append(means, s)
	}
	return means
}

// denseNoise is the covariance of the errors at the observation points. The data of the fit are
// x, the pseudo-inputs z; k is k(p, sample), centred.
func denseNoise(nu Nu, noise Noise, fit, z [][]float64, k, r [][]*big.Float,
	p Params) [][]*big.Float {
	q, n := len(k), float64(len(k[0]))
	out := make([][]*big.Float, q)
	for i := range q {
		for range q {
			out[i] = append(out[i], bigNew())
		}
		if noise == IID {
			out[i][i].Quo(bigF(p.Tau2), bigF(n))
		}
	}
	if noise == IID {
		return out
	}
	kz := denseGram(nu, z, fit, p, false)
	denseCentre(kz)
	v := bigNew()
	for _, row := range kz {
		v.Add(v, denseSum(row, row))
	}
	v.Quo(v, bigF(float64(len(z))*float64(len(fit)-1)))
	scale := bigNew().Quo(bigF(p.Tau2), v)
	scale.Quo(scale, bigF(n*(n-1)))
	trace := bigNew()
	for i := range q {
		trace.Add(trace, r[i][i])
	}
	trace.Mul(trace, bigF(1e-9)).Quo(trace, bigF(float64(q)))
	for i := range q {
		for j := range q {
			out[i][j].Mul(scale, denseSum(k[i], k[j]))
		}
		out[i][i].Add(out[i][i], trace)
	}
	return out
}

// newDensePosterior conditions on the sample, observed at obs, and evaluates at the points.
func newDensePosterior(nu Nu, noise Noise, fit, z, sample, obs, at [][]float64,
	p Params) densePosterior {
	k := denseGram(nu, obs, sample, p, false)
	y := denseCentre(k)
	a := denseGram(nu, obs, obs, p, true)
	e := denseNoise(nu, noise, fit, z, k, a, p)
	for i := range a {
		for j := range a {
			a[i][j].Add(a[i][j], e[i][j])
		}
	}
	cross := denseGram(nu, obs, at, p, true) // obs by at
	b := make([][]*big.Float, len(obs))
	for i := range b {
		b[i] = append([]*big.Float{y[i]}, cross[i]...)
	}
	denseSolve(a, b)
	var out densePosterior
	for s := range at {
		mean, row := bigNew(), make([]float64, len(at))
		for i := range obs {
			mean.Add(mean, bigNew().Mul(cross[i][s], b[i][0]))
		}
		for t := range at {
			c := denseKernel(nu, at[s], at[t], p, true)
			for i := range obs {
				c.Sub(c, bigNew().Mul(cross[i][s], b[i][1+t]))
			}
			row[t], _ = c.Float64()
		}
		m, _ := mean.Float64()
		out.mean = append(out.mean, m)
		out.cov = append(out.cov, row)
	}
	return out
}

// worst returns the largest difference of two vectors.
func worst(a, b []float64) float64 {
	w := 0.0
	for i := range a {
		if d := math.Abs(a[i] - b[i]); !(d <= w) {
			w = d
		}
	}
	return w
}

// near compares two numbers to an absolute tolerance.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.17g, want %.17g: off by %.2g, want %.2g", what, got, want, got-want, tol)
	}
}
