package stein

import (
	"bayeskernel/internal/fused"
	"bayeskernel/kernels"
)

// row computes k_p of all points and one more, many times.
type row struct {
	*Kernel
	p                    *points
	path                 kernels.Path
	value                []float64
	q, uu, cross, square []float64
	kappa, rho, b        []float64
}

// stretch is the number of points whose parts stay in the cache together.
const stretch = 512

func (k *Kernel) newRow(p *points) *row {
	part := func() []float64 { return make([]float64, stretch) }
	return &row{Kernel: k, p: p, path: fused.Best(), value: make([]float64, p.n), q: part(), uu: part(), cross: part(),
		square: part(), kappa: part(), rho: part(), b: make([]float64, k.dim)}
}

// against sets value to k_p(x_i, y), y having the score v.
func (w *row) against(y, v []float64) {
	d := w.dim
	yb, vb, bb := 0.0, 0.0, 0.0
	for a := range d {
		w.b[a] = 0
		for c := range d {
			w.b[a] += w.a.At(a, c) * y[c]
		}
		yb += y[a] * w.b[a]
		vb += v[a] * w.b[a]
		bb += w.b[a] * w.b[a]
	}
	for from := 0; from < w.p.n; from += stretch {
		to := min(w.p.n, from+stretch)
		for i := from; i < to; i++ {
			x, u := w.p.x[i*d:(i+1)*d], w.p.u[i*d:(i+1)*d]
			xb, uv, ub, bv := 0.0, 0.0, 0.0, 0.0
			at, score := w.b[:len(x)], v[:len(x)]
			u = u[:len(x)]
			for a, c := range x {
				xb += c * at[a]
				uv += u[a] * score[a]
				ub += u[a] * at[a]
				bv += c * score[a]
			}
			if w.same {
				bv *= w.scale
			} else {
				bv = 0
				for a, c := range w.p.b[i*d : (i+1)*d] {
					bv += c * v[a]
				}
			}
			q := w.p.xb[i] + yb - 2*xb
			var square float64
			if w.same {
				square = w.scale * q
			} else {
				s := 0.0
				for a, c := range w.p.b[i*d : (i+1)*d] {
					s += w.b[a] * c
				}
				square = w.p.bb[i] + bb - 2*s
			}
			if q <= near*(w.p.xb[i]+yb) {
				q, square = w.exact(x, y)
			}
			w.q[i-from], w.square[i-from], w.uu[i-from] = q, square, uv
			w.cross[i-from] = w.p.ub[i] + vb - ub - bv
		}
		n := to - from
		kernels.Profiles(w.radial, w.path, w.q[:n], w.kappa[:n], nil, w.rho[:n], w.q[:n])
		for i := range n {
			bend := 0.0
			if w.square[i] > 0 {
				bend = w.rho[i] * w.square[i]
			}
			w.value[from+i] = w.q[i]*w.uu[i] + w.kappa[i]*(w.trace+w.cross[i]-bend)
		}
	}
}
