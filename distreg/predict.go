package distreg

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Predict returns the mean and the variance of new labels, sigma² included. A bag may have no rows,
// and be nil: all that is known of it then is how bags differ. The uncertainty of its embedding counts
// by the posterior of the weights, b'Sigma b + tr(Sigma S_b).
func (m *Model) Predict(p Params, bags []mat.Matrix) (mean, variance []float64, err error) {
	if err := p.check(); err != nil {
		return nil, nil, err
	}
	at, err := m.prepare(p.Theta, false)
	if err != nil {
		return nil, nil, err
	}
	g := m.regress(m.inferAll(at, p, 0), p)
	if g == nil {
		return nil, nil, fmt.Errorf("distreg: the weights have no posterior at %+v", p)
	}
	f := at.frame
	weights := m.moment(g, f, p)
	post := newPosterior(m.m, 0)
	for i, b := range bags {
		x, err := rows(fmt.Sprintf("bag %v", i+1), b, m.dim)
		if err != nil {
			return nil, nil, err
		}
		e := f.embed(m.sum(x, p.Theta, false))
		m.infer(post, f, e, p, 0)
		y, v := m.label(g, f, post, p)
		mean, variance = append(mean, y), append(variance, v+inner(weights, m.covariance(f, e, p)))
	}
	return mean, variance, nil
}

// label is the mean and the variance of the label of a bag, the uncertainty of its embedding left out.
func (m *Model) label(g *regression, f *frame, post *posterior, p Params) (mean, variance float64) {
	phi := make([]float64, m.m+1)
	phi[0] = m.form.AlphaSD
	copy(phi[1:], times(f.z, post.mean))
	floats.Scale(p.Kappa, phi[1:])
	var u mat.VecDense
	_ = g.chol.SolveVecTo(&u, mat.NewVecDense(m.m+1, phi))
	return m.form.AlphaMean + floats.Dot(phi, g.mean), p.Sigma*p.Sigma + floats.Dot(phi, u.RawVector().Data)
}

// covariance is Sigma of a bag, in the frame.
func (m *Model) covariance(f *frame, b *embedded, p Params) *mat.Dense {
	out := mat.NewDense(m.m, m.m, nil)
	switch {
	case b.n == 0:
		for l, r := range f.r {
			out.Set(l, l, p.Eta*r)
		}
	case m.form.Noise == "own":
		noise := f.ownNoise(b, p)
		gain, _ := f.gains(noise, new(mat.SymDense), p)
		out.Mul(gain, noise)
	default:
		noise := p.S / b.n
		share := noise / (b.n - 1 + ownDegrees)
		gain := func(l int) float64 { return p.Eta * f.r[l] / (p.Eta*f.r[l] + noise) }
		for l, r := range f.r {
			a := gain(l)
			if m.form.Noise == "pooled" {
				out.Set(l, l, a*noise)
				continue
			}
			if b.scatter != nil {
				for k := range m.m {
					out.Set(l, k, share*a*gain(k)*b.scatter.At(l, k))
				}
			}
			out.Set(l, l, out.At(l, l)+share*a*a*ownDegrees+(1-a)*(1-a)*p.Eta*r)
		}
	}
	return out
}
