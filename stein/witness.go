package stein

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Witness returns g(z) = mean_i [u_i k(x_i, z) + grad_1 k(x_i, z)], a vector for each row of z: the Stein
// operator applied to the kernel. Its norm in the kernel's space is the discrepancy.
func (k *Kernel) Witness(x, u, z mat.Matrix) (*mat.Dense, error) {
	p, err := k.read(x, u)
	if err != nil {
		return nil, err
	}
	m, d := z.Dims()
	if d != k.dim {
		return nil, fmt.Errorf("stein: witness points have %d columns; A has %d", d, k.dim)
	}
	out := mat.NewDense(max(m, 1), d, nil)
	r, ar := make([]float64, d), make([]float64, d)
	for l := range m {
		g := out.RawRowView(l)
		for i := range p.n {
			q := 0.0
			for a := range d {
				r[a] = p.x[i*d+a] - (z.At(l, a) - p.centre[a])
			}
			for a := range d {
				ar[a] = 0
				for b := range d {
					ar[a] += k.a.At(a, b) * r[b]
				}
				q += r[a] * ar[a]
			}
			phi, logKappa, _ := k.radial.Profile(max(q, 0))
			kappa := math.Exp(logKappa)
			for a := range d { // grad_1 k = 2 phi' A r = -kappa A r
				g[a] += (p.u[i*d+a]*phi - kappa*ar[a]) / float64(p.n)
			}
		}
	}
	return out, nil
}

// Excess returns f(z) = mean_i k_p(z, x_i), for rows z with scores v: positive where the rows x are more
// than the density says, negative where they are fewer. It takes O(n m D).
func (k *Kernel) Excess(x, u, z, v mat.Matrix) ([]float64, error) {
	p, err := k.read(x, u)
	if err != nil {
		return nil, err
	}
	at, err := k.read(z, v)
	if err != nil {
		return nil, err
	}
	for i := range at.x {
		at.x[i] += at.centre[i%k.dim] - p.centre[i%k.dim]
	}
	k.complete(at)
	out := make([]float64, at.n)
	w := k.newRow(p)
	for l := range out {
		w.against(at.x[l*k.dim:(l+1)*k.dim], at.u[l*k.dim:(l+1)*k.dim])
		for _, v := range w.value {
			out[l] += v
		}
		out[l] /= float64(p.n)
	}
	return out, nil
}
