package embedding

import (
	"math/big"

	"bayeskernel/bke"
)

// The oracle is textbook Gaussian conditioning: 600 bits, no low rank, nothing shared, elimination
// in place of a factorisation.

const oracleBits = 600

func bigF(x float64) *big.Float { return new(big.Float).SetPrec(oracleBits).SetFloat64(x) }
func bigNew() *big.Float        { return new(big.Float).SetPrec(oracleBits) }

// bigExp is e^x for x <= 0.
func bigExp(x *big.Float) *big.Float {
	if f, _ := x.Float64(); f < -1e7 {
		return bigNew()
	}
	const halvings = 60
	y := bigNew().SetMantExp(x, -halvings)
	sum, term := bigF(1), bigF(1)
	for k := 1.0; k <= 20; k++ {
		term = bigNew().Quo(bigNew().Mul(term, y), bigF(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum = bigNew().Mul(sum, sum)
	}
	return sum
}

func thetaOf(p bke.Params, a int) float64 {
	if len(p.Theta) == 1 {
		return p.Theta[0]
	}
	return p.Theta[a]
}

// oracleKernel is k(x, y) or, with prior, r(x, y), from the definitions.
func oracleKernel(nu bke.Nu, x, y []float64, p bke.Params, prior bool) *big.Float {
	exponent, amp := bigNew(), bigF(1)
	pi, _, _ := big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494459"+
		"2307816406286208998628034825342117067982148086513282306647093844609550582231725", 10,
		oracleBits, big.ToNearestEven)
	for a := range x {
		t := bigF(thetaOf(p, a))
		t2 := bigNew().Mul(t, t)
		d := bigNew().Sub(bigF(x[a]), bigF(y[a]))
		d.Mul(d, d).Quo(d, t2)
		if !prior {
			exponent.Sub(exponent, d.Quo(d, bigF(2)))
			continue
		}
		exponent.Sub(exponent, d.Quo(d, bigF(4)))
		switch nu {
		case bke.Lebesgue:
			amp.Mul(amp, bigNew().Mul(t, bigNew().Sqrt(pi)))
		case bke.Gaussian:
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

// oracleMean returns sum_i w_i k_i for each row k.
func oracleMean(k [][]*big.Float, w []float64) []*big.Float {
	var out []*big.Float
	for _, row := range k {
		s := bigNew()
		for i, v := range row {
			s.Add(s, bigNew().Mul(bigF(w[i]), v))
		}
		out = append(out, s)
	}
	return out
}

func sumOfSquares(w []float64) *big.Float {
	s := bigNew()
	for _, v := range w {
		s.Add(s, bigNew().Mul(bigF(v), bigF(v)))
	}
	return s
}

// oracleCovariance is sum_i w_i² (k_i-m)(k_i-m)'/(1 - sum w²).
func oracleCovariance(k [][]*big.Float, w []float64) [][]*big.Float {
	m := oracleMean(k, w)
	rest := bigNew().Sub(bigF(1), sumOfSquares(w))
	out := make([][]*big.Float, len(k))
	for a := range k {
		for b := range k {
			s := bigNew()
			for i, v := range w {
				d := bigNew().Mul(bigNew().Sub(k[a][i], m[a]), bigNew().Sub(k[b][i], m[b]))
				s.Add(s, d.Mul(d, bigNew().Mul(bigF(v), bigF(v))))
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
	v := bigNew()
	for _, at := range z {
		c := oracleCovariance(oracleGram(bke.Unit, [][]float64{at}, fit, p, false), w)
		v.Add(v, c[0][0]) // Var/n, nearly: equal weights are rounded
	}
	return v.Mul(v, bigF(float64(n))).Quo(v, bigF(float64(len(z))))
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
		s = bigNew().Quo(bigF(o.p.Tau2), oracleLevel(o.fit, o.z, o.p))
	}
	n := oracleCovariance(oracleGram(o.nu, at, o.sample, o.p, false), o.w)
	rho := oracleGram(bke.Unit, at, at, o.p, true)
	unseen := sumOfSquares(o.w)
	unseen.Mul(unseen, unseen).Mul(unseen, bigF(0.5))
	for i := range n {
		for j := range n {
			n[i][j] = bigNew().Mul(s, n[i][j])
			n[i][j].Add(n[i][j], bigNew().Mul(unseen, rho[i][j]))
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
	traces := bigNew()
	for i := range at {
		traces.Add(traces, bigNew().Sub(r[i][i], n[i][i]))
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
		a[i][i].Add(a[i][i], bigNew().Mul(bigF(1e-10*jitter), r[i][i]))
		a[i][i].Add(a[i][i], bigNew().Mul(bigF(share*jitter), n[i][i]))
	}
	oracleSolve(a, b)
	for i := range at {
		row := make([]float64, len(at)+1)
		for j := range row {
			s := bigNew()
			for l := range at {
				s.Add(s, bigNew().Mul(small[i][l], b[l][j]))
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
	c := bigNew().Mul(bigF(o.p.Tau2), sumOfSquares(o.w))
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
			v := bigNew()
			if j > 0 {
				v = oracleKernel(o.nu, at[s], at[j-1], o.p, true)
			}
			for l := range a {
				d := bigNew().Mul(cross[l][s], b[l][j])
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
