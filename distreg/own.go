package distreg

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// dense is the posterior with the bag's own covariance for the gain as well, which no frame makes
// diagonal:
//
//	N = s C_i/n + rho/2n²,   S = inv(R + N),   A = RS,   G = NS,   Sigma = AN
//	dm = dm0 + A (dmean - dm0) + (G dR - A dN) S (mean - m0),   dSigma = A dN A' + G dR G'
func (f *frame) dense(out *posterior, b *embedded, p Params, derivatives int) {
	m := len(f.r)
	noise, dNoise := f.ownNoise(b, p), [byAll]*mat.Dense{}
	var s mat.SymDense
	gain, rest := f.gains(noise, &s, p)
	off := make([]float64, m)
	floats.SubTo(off, b.mean, f.m0)
	floats.AddTo(out.mean, f.m0, times(gain, off))
	var sigma mat.Dense
	sigma.Mul(gain, noise)
	out.t, out.dt = inner(f.pi, &sigma), [byAll]float64{}
	if derivatives == 0 {
		return
	}
	inverse := times(&s, off)
	dR := [byAll]*mat.Dense{byEta: mat.NewDense(m, m, nil)}
	for l, r := range f.r {
		dR[byEta].Set(l, l, p.Eta*r)
	}
	dNoise[byS] = mat.NewDense(m, m, nil)
	if b.scatter != nil {
		dNoise[byS].Scale(p.S/(b.n*(b.n-1)), b.scatter)
	}
	if derivatives > byTheta {
		dR[byTheta] = mat.NewDense(m, m, nil)
		dR[byTheta].Scale(p.Eta, f.dr)
		dNoise[byTheta] = mat.NewDense(m, m, nil)
		dNoise[byTheta].Scale(1/(2*b.n*b.n), f.drho)
		if b.scatter != nil {
			var d mat.Dense
			d.Scale(p.S/(b.n*(b.n-1)), b.dScatter)
			dNoise[byTheta].Add(dNoise[byTheta], &d)
		}
	}
	for d := range derivatives {
		clear(out.dMean[d])
		if dR[d] != nil {
			floats.Add(out.dMean[d], times(rest, times(dR[d], inverse)))
			out.dt[d] += inner(f.pi, congruent(rest, dR[d]))
		}
		if dNoise[d] != nil {
			floats.Sub(out.dMean[d], times(gain, times(dNoise[d], inverse)))
			out.dt[d] += inner(f.pi, congruent(gain, dNoise[d]))
		}
	}
	if derivatives > byTheta {
		moved := make([]float64, m)
		floats.SubTo(moved, b.dMean, f.dm0)
		floats.Add(out.dMean[byTheta], f.dm0)
		floats.Add(out.dMean[byTheta], times(gain, moved))
		out.dt[byTheta] += f.priorChange(sigma.At)
	}
}

// ownNoise is N of a bag with its own covariance. One row has none: rho/2 is left.
func (f *frame) ownNoise(b *embedded, p Params) *mat.Dense {
	m := len(f.r)
	out := mat.NewDense(m, m, nil)
	out.Scale(1/(2*b.n*b.n), f.rho)
	if b.scatter != nil {
		var own mat.Dense
		own.Scale(p.S/(b.n*(b.n-1)), b.scatter)
		out.Add(out, &own)
	}
	return out
}

// gains are A = RS and G = NS, with S = inv(R+N). They are NaN where R+N is singular.
func (f *frame) gains(noise *mat.Dense, s *mat.SymDense, p Params) (gain, rest *mat.Dense) {
	m := len(f.r)
	sum := symmetric(noise)
	for l, r := range f.r {
		sum.SetSym(l, l, sum.At(l, l)+p.Eta*r)
	}
	gain, rest = mat.NewDense(m, m, nil), mat.NewDense(m, m, nil)
	var chol mat.Cholesky
	if !chol.Factorize(sum) {
		gain.Apply(func(int, int, float64) float64 { return math.NaN() }, gain)
		*s = *mat.NewSymDense(m, nil)
		rest.Copy(gain)
		return gain, rest
	}
	// A condition error is a warning: the factor exists.
	_ = chol.InverseTo(s)
	rest.Mul(noise, s)
	for l, r := range f.r {
		for k := range m {
			gain.Set(l, k, p.Eta*r*s.At(l, k))
		}
	}
	return gain, rest
}
