package embedding

import (
	"math/big"

	"bayeskernel/bke"
	"bayeskernel/internal/bigfloat"
)

// The oracle is textbook Gaussian conditioning: 600 bits, no low rank, nothing shared, elimination
// in place of a factorisation.

func thetaOf(p bke.Params, a int) float64 {
	if len(p.Theta) == 1 {
		return p.Theta[0]
	}
	return p.Theta[a]
}

// oracleKernel is k(x, y) or, with prior, r(x, y), from the definitions.
func oracleKernel(nu bke.Nu, x, y []float64, p bke.Params, prior bool) *big.Float {
	exponent, amp := bigfloat.New(), bigfloat.Of(1)
	pi, _, _ := big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494459"+
		"2307816406286208998628034825342117067982148086513282306647093844609550582231725", 10,
		bigfloat.Bits, big.ToNearestEven)
	for a := range x {
		t := bigfloat.Of(thetaOf(p, a))
		t2 := bigfloat.New().Mul(t, t)
		d := bigfloat.New().Sub(bigfloat.Of(x[a]), bigfloat.Of(y[a]))
		d.Mul(d, d).Quo(d, t2)
		if !prior {
			exponent.Sub(exponent, d.Quo(d, bigfloat.Of(2)))
			continue
		}
		exponent.Sub(exponent, d.Quo(d, bigfloat.Of(4)))
		switch nu {
		case bke.Lebesgue:
			amp.Mul(amp, bigfloat.New().Mul(t, bigfloat.New().Sqrt(pi)))
		case bke.Gaussian:
			e2 := bigfloat.New().Mul(bigfloat.Of(p.Eta), bigfloat.Of(p.Eta))
			e2.Mul(e2, bigfloat.Of(2))
			c := bigfloat.New().Add(bigfloat.Of(x[a]), bigfloat.Of(y[a]))
			c.Quo(c, bigfloat.Of(2))
			c.Mul(c, c).Quo(c, bigfloat.New().Add(t2, e2))
			exponent.Sub(exponent, c)
			s := bigfloat.New().Add(bigfloat.Of(1), bigfloat.New().Quo(e2, t2))
			amp.Quo(amp, s.Sqrt(s))
		}
	}
	return amp.Mul(amp, bigfloat.Exp(exponent))
}

func oracleGram(nu bke.Nu, x, y [][]float64, p bke.Params, prior bool) [][]*big.Float {
	out := make([][]*big.Float, len(x))
	for i := range x {
		for j := range y {
			out[i] = append(out[i], oracleKernel(nu, x[i], y[j], p, prior))
		}
	}
	return out
}

// oracleSolve replaces the columns of b by those of inverse(a) b, by elimination without pivoting,
// which is stable for a positive definite a.
func oracleSolve(a, b [][]*big.Float) {
	n := len(a)
	for k := range n {
		for i := range n {
			if i == k {
				continue
			}
			f := bigfloat.New().Quo(a[i][k], a[k][k])
			for j := k; j < n; j++ {
				a[i][j] = bigfloat.New().Sub(a[i][j], bigfloat.New().Mul(f, a[k][j]))
			}
			for j := range b[i] {
				b[i][j] = bigfloat.New().Sub(b[i][j], bigfloat.New().Mul(f, b[k][j]))
			}
		}
	}
	for k := range n {
		for j := range b[k] {
			b[k][j] = bigfloat.New().Quo(b[k][j], a[k][k])
		}
	}
}

// oracleMean returns sum_i w_i k_i for each row k.
func oracleMean(k [][]*big.Float, w []float64) []*big.Float {
	var out []*big.Float
	for _, row := range k {
		s := bigfloat.New()
		for i, v := range row {
			s.Add(s, bigfloat.New().Mul(bigfloat.Of(w[i]), v))
		}
		out = append(out, s)
	}
	return out
}

func sumOfSquares(w []float64) *big.Float {
	s := bigfloat.New()
	for _, v := range w {
		s.Add(s, bigfloat.New().Mul(bigfloat.Of(v), bigfloat.Of(v)))
	}
	return s
}

// oracleCovariance is sum_i w_i² (k_i-m)(k_i-m)'/(1 - sum w²).
func oracleCovariance(k [][]*big.Float, w []float64) [][]*big.Float {
	m := oracleMean(k, w)
	rest := bigfloat.New().Sub(bigfloat.Of(1), sumOfSquares(w))
	out := make([][]*big.Float, len(k))
	for a := range k {
		for b := range k {
			s := bigfloat.New()
			for i, v := range w {
				d := bigfloat.New().Mul(bigfloat.New().Sub(k[a][i], m[a]), bigfloat.New().Sub(k[b][i], m[b]))
				s.Add(s, d.Mul(d, bigfloat.New().Mul(bigfloat.Of(v), bigfloat.Of(v))))
			}
			out[a] = append(out[a], s.Quo(s, rest))
		}
	}
	return out
}

// oracleLevel is v = mean_l Var k(X, z_l), divisor n-1.
func oracleLevel(fit, z [][]float64, p bke.Params) *big.Float {
	n := len(fit)
	w := equal(n)
	v := bigfloat.New()
	for _, at := range z {
		c := oracleCovariance(oracleGram(bke.Unit, [][]float64{at}, fit, p, false), w)
		v.Add(v, c[0][0]) // Var/n, nearly: equal weights are rounded
	}
	return v.Mul(v, bigfloat.Of(float64(n))).Quo(v, bigfloat.Of(float64(len(z))))
}

func equal(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1 / float64(n)
	}
	return w
}

// oracleProblem is one sample with the data of the fit.
type oracleProblem struct {
	nu             bke.Nu
	fit, z, sample [][]float64
	w              []float64
	p              bke.Params
	noiseScale     *big.Float // nil: tau2/v
}

// noise is s C + kappa rho (sum w²)² at the points, kappa = 1/2.
func (o oracleProblem) noise(at [][]float64) [][]*big.Float {
	s := o.noiseScale
	if s == nil {
		s = bigfloat.New().Quo(bigfloat.Of(o.p.Tau2), oracleLevel(o.fit, o.z, o.p))
	}
	n := oracleCovariance(oracleGram(o.nu, at, o.sample, o.p, false), o.w)
	rho := oracleGram(bke.Unit, at, at, o.p, true)
	unseen := sumOfSquares(o.w)
	unseen.Mul(unseen, unseen).Mul(unseen, bigfloat.Of(0.5))
	for i := range n {
		for j := range n {
			n[i][j] = bigfloat.New().Mul(s, n[i][j])
			n[i][j].Add(n[i][j], bigfloat.New().Mul(unseen, rho[i][j]))
		}
	}
	return n
}

// clt is the posterior at the points, observed there: m - N inverse(R+N+E) m and N - N
// inverse(R+N+E) N, or R inverse(R+N+E) m and R - R inverse(R+N+E) R where the trace of N is the
// larger. E is 1e-10 of the diagonal of R, and 1e-12 of that of N, 1e-10 if it is the larger, times
// jitter.
func (o oracleProblem) clt(at [][]float64, jitter float64) (mean []float64, cov [][]float64) {
	m := oracleMean(oracleGram(o.nu, at, o.sample, o.p, false), o.w)
	n, r, a := o.noise(at), oracleGram(o.nu, at, at, o.p, true), oracleGram(o.nu, at, at, o.p, true)
	traces := bigfloat.New()
	for i := range at {
		traces.Add(traces, bigfloat.New().Sub(r[i][i], n[i][i]))
	}
	small, share := n, 1e-12
	if traces.Sign() < 0 {
		small, share = r, 1e-10
	}
	b := make([][]*big.Float, len(at))
	for i := range at {
		b[i] = append([]*big.Float{m[i]}, small[i]...)
		for j := range at {
			a[i][j].Add(a[i][j], n[i][j])
		}
		a[i][i].Add(a[i][i], bigfloat.New().Mul(bigfloat.Of(1e-10*jitter), r[i][i]))
		a[i][i].Add(a[i][i], bigfloat.New().Mul(bigfloat.Of(share*jitter), n[i][i]))
	}
	oracleSolve(a, b)
	for i := range at {
		row := make([]float64, len(at)+1)
		for j := range row {
			s := bigfloat.New()
			for l := range at {
				s.Add(s, bigfloat.New().Mul(small[i][l], b[l][j]))
			}
			if j > 0 || traces.Sign() >= 0 {
				s.Sub(append([]*big.Float{m[i]}, small[i]...)[j], s)
			}
			row[j], _ = s.Float64()
		}
		mean, cov = append(mean, row[0]), append(cov, row[1:])
	}
	return mean, cov
}

// iid is eq. (7): observed at the rows with the noise tau2 (sum w²) I.
func (o oracleProblem) iid(at [][]float64) (mean []float64, cov [][]float64) {
	y := oracleMean(oracleGram(o.nu, o.sample, o.sample, o.p, false), o.w)
	a := oracleGram(o.nu, o.sample, o.sample, o.p, true)
	c := bigfloat.New().Mul(bigfloat.Of(o.p.Tau2), sumOfSquares(o.w))
	cross := oracleGram(o.nu, o.sample, at, o.p, true)
	b := make([][]*big.Float, len(a))
	for i := range a {
		a[i][i].Add(a[i][i], c)
		b[i] = append([]*big.Float{y[i]}, cross[i]...)
	}
	oracleSolve(a, b)
	for s := range at {
		row := make([]float64, len(at)+1)
		for j := range row {
			v := bigfloat.New()
			if j > 0 {
				v = oracleKernel(o.nu, at[s], at[j-1], o.p, true)
			}
			for l := range a {
				d := bigfloat.New().Mul(cross[l][s], b[l][j])
				if j == 0 {
					v.Add(v, d)
				} else {
					v.Sub(v, d)
				}
			}
			row[j], _ = v.Float64()
		}
		mean, cov = append(mean, row[0]), append(cov, row[1:])
	}
	return mean, cov
}
