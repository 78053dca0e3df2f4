package gp

import (
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/kernels"
)

// Gradient writes the derivatives of the log likelihood in log Signal, log Noise and the logarithms
// of Theta into dst.
func (r *Regression) Gradient(dst []float64) error {
	m, p := r.m, r.Params
	if len(dst) != 2+len(p.Theta) {
		panic("gp: Gradient: the length of dst is not the number of hyperparameters")
	}
	inverse, err := r.inverse()
	if err != nil {
		return err
	}
	clear(dst)
	square, noise := p.Signal*p.Signal, p.Noise*p.Noise
	q, k, kappa := make([]float64, m.n), make([]float64, m.n), make([]float64, m.n)
	parts := make([]float64, len(p.Theta)*m.n) // q_a
	for i := range m.n {
		m.squares(q[:i+1], parts, i, p.Theta)
		kernels.Profiles(m.o.Kernel, fused.Best(), k[:i+1], kappa[:i+1], nil, nil, q[:i+1])
		for j := range i + 1 {
			// Both triangles, but the diagonal once. 1/2 tr(W dS) with W = alpha alpha' - S^-1.
			w := r.alpha[i]*r.alpha[j] - inverse.At(i, j)
			if i == j {
				dst[1] += w * noise
				w /= 2
			}
			dst[0] += 2 * w * square * k[j]
			if i != j { // where q = 0, kappa may be infinite
				for a := range p.Theta {
					if part := parts[a*m.n+j]; part > 0 {
						dst[2+a] += w * square * kappa[j] * part
					}
				}
			}
		}
	}
	return nil
}

// squares writes the squared distances of row i to the rows up to it, in units of theta, into q,
// and those of each lengthscale's columns into parts.
func (m *Model) squares(q, parts []float64, i int, theta []float64) {
	xi := m.x[i*m.dim : (i+1)*m.dim]
	for j := range q {
		xj := m.x[j*m.dim : (j+1)*m.dim]
		q[j] = 0
		for a := range theta {
			parts[a*m.n+j] = 0
		}
		for c, v := range xi {
			a := min(c, len(theta)-1)
			u := (v - xj[c]) / theta[a]
			parts[a*m.n+j] += u * u
			q[j] += u * u
		}
	}
}

// params are the hyperparameters of these logarithms.
func params(u []float64) Params {
	p := Params{Signal: math.Exp(u[0]), Noise: math.Exp(u[1])}
	for _, v := range u[2:] {
		p.Theta = append(p.Theta, math.Exp(v))
	}
	return p
}
