package distreg

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ownDegrees is nu: a bag's own scatter counts beside so many rows of the pooled one.
const ownDegrees = 5

// The hyperparameters of a bag's posterior, in the order of derivatives.
const (
	byEta = iota
	byS
	byTheta
	byAll
)

// posterior is what a bag's rows say of its embedding: the mean m_i, and t_i = tr(inv(P) Sigma_i), the
// variance that they leave to a label for a unit of kappa². All in a frame.
type posterior struct {
	mean  []float64
	t     float64
	dMean [byAll][]float64
	dt    [byAll]float64
}

// newPosterior has room for the derivatives wanted.
func newPosterior(m, derivatives int) *posterior {
	out := &posterior{mean: make([]float64, m)}
	for d := range derivatives {
		out.dMean[d] = make([]float64, m)
	}
	return out
}

// infer computes the posterior of a bag, with the first of the derivatives.
func (m *Model) infer(out *posterior, f *frame, b *embedded, p Params, derivatives int) {
	switch {
	case b.n == 0:
		f.unseen(out, p, derivatives)
	case m.form.Noise == "own":
		f.dense(out, b, p, derivatives)
	default:
		f.diagonal(out, b, p, derivatives, m.form.Noise == "joseph")
	}
}

// unseen is the posterior of a bag without rows: the mean of all, and R.
func (f *frame) unseen(out *posterior, p Params, derivatives int) {
	copy(out.mean, f.m0)
	out.t, out.dt = 0, [byAll]float64{}
	for l, r := range f.r {
		out.t += f.pi.At(l, l) * p.Eta * r
	}
	for d := range derivatives {
		clear(out.dMean[d])
	}
	if derivatives > byEta {
		out.dt[byEta] = out.t
	}
	if derivatives > byTheta {
		copy(out.dMean[byTheta], f.dm0)
		out.dt[byTheta] = p.Eta*inner(f.pi, f.dr) + f.priorChange(func(l, k int) float64 {
			if l != k {
				return 0
			}
			return p.Eta * f.r[l]
		})
	}
}

// diagonal is the posterior with the pooled covariance for the gain. In the frame all matrices but the
// bag's scatter are diagonal:
//
//	a = r/(r + s/n),   g = 1 - a,   m = m0 + a (mean - m0)
//	Sigma = diag(a s/n)                                  pooled
//	Sigma = diag(g² r) + a a' * (Q + nu) s/((n-1+nu) n)   the bag's own, element by element
func (f *frame) diagonal(out *posterior, b *embedded, p Params, derivatives int, own bool) {
	m := len(f.r)
	noise := p.S / b.n
	share := noise / (b.n - 1 + ownDegrees) // of the bag's own covariance
	out.t, out.dt = 0, [byAll]float64{}
	a, g := make([]float64, m), make([]float64, m)
	off := make([]float64, m) // mean - m0
	floats.SubTo(off, b.mean, f.m0)
	for l := range m {
		r := p.Eta * f.r[l]
		g[l] = noise / (r + noise)
		a[l] = r / (r + noise)
		out.mean[l] = f.m0[l] + a[l]*off[l]
	}
	// own covariance times a, weighted by pi
	qa := make([]float64, m)
	if own {
		if b.overlap != nil {
			mat.NewVecDense(m, qa).MulVec(b.overlap, mat.NewVecDense(m, a))
		}
		for l := range m {
			qa[l] += ownDegrees * f.pi.At(l, l) * a[l]
		}
	}
	for l := range m {
		pi, r := f.pi.At(l, l), p.Eta*f.r[l]
		if own {
			out.t += pi*g[l]*g[l]*r + share*a[l]*qa[l]
		} else {
			out.t += pi * a[l] * noise
		}
	}
	for d := byEta; d < min(derivatives, byTheta); d++ {
		for l := range m {
			pi, r := f.pi.At(l, l), p.Eta*f.r[l]
			da := g[l] * a[l] // by eta: G dR S = G A
			if d == byS {
				da = -da // -A dN S = -A G
			}
			out.dMean[d][l] = da * off[l]
			if !own {
				out.dt[d] += pi * da * noise
				if d == byS {
					out.dt[d] += pi * a[l] * noise
				}
				continue
			}
			out.dt[d] += -2*pi*g[l]*da*r + 2*share*da*qa[l]
			if d == byEta {
				out.dt[d] += pi * g[l] * g[l] * r
			} else {
				out.dt[d] += share * a[l] * qa[l]
			}
		}
	}
	if derivatives <= byTheta {
		return
	}
	// dA = G dR S - A dN S with S = g n/s, dR = eta dr, dN = s/n dC
	da := mat.NewDense(m, m, nil)
	for l := range m {
		for k := range m {
			da.Set(l, k, (g[l]*p.Eta*f.dr.At(l, k)-a[l]*noise*f.dc.At(l, k))*g[k]/noise)
		}
	}
	dMean := out.dMean[byTheta]
	copy(dMean, times(da, off))
	for l := range m {
		dMean[l] += f.dm0[l] + a[l]*(b.dMean[l]-f.dm0[l])
	}
	dt := 0.0
	if !own {
		// dSigma = A dN A + G dR G
		for l := range m {
			for k := range m {
				dt += f.pi.At(l, k) * (a[l]*a[k]*noise*f.dc.At(l, k) + g[l]*g[k]*p.Eta*f.dr.At(l, k))
			}
		}
		sigma := func(l, k int) float64 {
			if l != k {
				return 0
			}
			return a[l] * noise
		}
		out.dt[byTheta] = dt + f.priorChange(sigma)
		return
	}
	// dSigma = G dR G' + A dNo A' + X + X',  X = dA (No A' - R G')
	inside := mat.NewDense(m, m, nil) // No A' - R G'
	for l := range m {
		for k := range m {
			no, dno := 0.0, ownDegrees*f.dc.At(l, k)
			if l == k {
				no = ownDegrees
			}
			if b.scatter != nil {
				no += b.scatter.At(l, k)
				dno += b.dScatter.At(l, k)
			}
			no, dno = no*share, dno*share
			dt += f.pi.At(l, k) * (a[l]*a[k]*dno + g[l]*g[k]*p.Eta*f.dr.At(l, k))
			inside.Set(l, k, no*a[k])
		}
		inside.Set(l, l, inside.At(l, l)-p.Eta*f.r[l]*g[l])
	}
	var x mat.Dense
	x.Mul(da, inside)
	dt += 2 * inner(f.pi, &x)
	sigma := func(l, k int) float64 {
		v := 0.0
		if b.scatter != nil {
			v = share * a[l] * a[k] * b.scatter.At(l, k)
		}
		if l == k {
			v += share*a[l]*a[l]*ownDegrees + g[l]*g[l]*p.Eta*f.r[l]
		}
		return v
	}
	out.dt[byTheta] = dt + f.priorChange(sigma)
}

// priorChange is tr(dpi Sigma): what P's derivative in log theta adds to that of t.
func (f *frame) priorChange(sigma func(l, k int) float64) float64 {
	if f.dp == nil {
		return 0
	}
	m := len(f.r)
	s := mat.NewDense(m, m, nil)
	for l := range m {
		for k := range m {
			s.Set(l, k, sigma(l, k))
		}
	}
	return -inner(f.dp, congruent(f.z, s))
}

// inner is tr(a'b).
func inner(a, b *mat.Dense) float64 {
	return floats.Dot(a.RawMatrix().Data, b.RawMatrix().Data)
}
