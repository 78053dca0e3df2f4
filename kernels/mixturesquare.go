package kernels

import (
	"math"

	"bayeskernel/internal/dd"

	"gonum.org/v1/gonum/floats"
)

// mixtureSquare is the square of a mixture, with S = s_i² + s_j²,
//
//	sum_ij w_i w_j (2pi s_i² s_j²/S)^(dim/2) exp(-q/2S),
//
// divided by its value at q = 0.
type mixtureSquare struct {
	notSquared
	mixture Mixture // of the widths S^(1/2)

	// The same in about 32 digits.
	weights, sums []dd.Number
}

func squareMixture(m Mixture, dim int) (psi mixtureSquare, logConst float64) {
	var widths, weights []float64
	for i, a := range m.Widths {
		for j, b := range m.Widths[:i+1] {
			s := a*a + b*b
			l := math.Log(m.Weights[i]) + math.Log(m.Weights[j]) +
				float64(dim)/2*math.Log(2*math.Pi*a*a*(b*b/s))
			if i != j {
				l += math.Ln2
			}
			widths, weights = append(widths, math.Sqrt(s)), append(weights, l)
		}
	}
	logConst = floats.LogSumExp(weights)
	for i, l := range weights {
		weights[i] = math.Exp(l - logConst)
	}
	psi.mixture = Mixture{weights, widths}
	psi.extend(m, dim)
	return psi, logConst
}

// extend fills weights and sums.
func (p *mixtureSquare) extend(m Mixture, dim int) {
	var harmonic []dd.Number
	top := dd.Number{}
	for i, s := range m.Widths {
		for _, r := range m.Widths[:i+1] {
			a, b := dd.TwoProd(s, s), dd.TwoProd(r, r)
			sum := a.Add(b)
			h := a.Mul(b.Div(sum))
			if h.Hi > top.Hi {
				top = h
			}
			p.sums, harmonic = append(p.sums, sum), append(harmonic, h)
		}
	}
	var total dd.Number
	for i := range m.Widths {
		for j := range i + 1 {
			w := dd.TwoProd(m.Weights[i], m.Weights[j])
			if i != j {
				w = w.Ldexp(1)
			}
			w = w.Mul(power(harmonic[len(p.weights)].Div(top), dim).Sqrt())
			p.weights, total = append(p.weights, w), total.Add(w)
		}
	}
	for k, w := range p.weights {
		p.weights[k] = w.Div(total)
	}
}

// power returns a^n.
func power(a dd.Number, n int) dd.Number {
	p := dd.Number{Hi: 1}
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			p = p.Mul(a)
		}
		a = a.Mul(a)
	}
	return p
}

func (p mixtureSquare) Profile(q float64) (k, logKappa, rho float64) { return p.mixture.Profile(q) }

func (p mixtureSquare) Profiles(path Path, k, kappa, logKappa, rho, q []float64) {
	p.mixture.Profiles(path, k, kappa, logKappa, rho, q)
}

func (p mixtureSquare) String() string { return p.mixture.String() }

func (p mixtureSquare) pair(q float64) (k, kappa float64) {
	for j, w := range p.mixture.Weights {
		s2 := p.mixture.Widths[j] * p.mixture.Widths[j]
		e := w * math.Exp(-q/(2*s2))
		k += e
		kappa += e / s2
	}
	return k, kappa
}

func (p mixtureSquare) pairExtended(q dd.Number) (k, kappa dd.Number) {
	for j, w := range p.weights {
		h := q.Div(p.sums[j]).Ldexp(-1)
		e := dd.Number{Hi: -h.Hi, Lo: -h.Lo}.Exp().Mul(w)
		k = k.Add(e)
		kappa = kappa.Add(e.Div(p.sums[j]))
	}
	return k, kappa
}

func (mixtureSquare) exact() bool { return true }
