package stein

import (
	"bayeskernel/internal/fused"
	"bayeskernel/internal/product"
	"bayeskernel/kernels"
)

// row computes k_p of all points and one more, many times.
type row struct {
	*Kernel
	p              *points
	path           kernels.Path
	work           product.Work
	value          []float64
	x, u, ab       []float64 // rows, scores and rows times A, a stretch after the other, each by columns
	q, square      []float64
	of, kappa, rho []float64
	b              []float64 // of the one point: b and v, then v and b, as rows
	xs, us, bs     []float64 // products of x and of u with both, and of ab
}

// stretch is the number of points whose parts stay in the cache together.
const stretch = 512

func (k *Kernel) newRow(p *points) *row {
	part := func() []float64 { return make([]float64, stretch) }
	w := &row{Kernel: k, p: p, path: fused.Best(), value: make([]float64, p.n), q: part(), square: part(),
		of: part(), kappa: part(), rho: part(), b: make([]float64, 4*k.dim), xs: make([]float64, 2*stretch),
		us: make([]float64, 2*stretch)}
	w.x, w.u = byColumns(p.x, p.n, k.dim), byColumns(p.u, p.n, k.dim)
	if !w.same {
		w.ab, w.bs = byColumns(p.b, p.n, k.dim), make([]float64, 2*stretch)
	}
	return w
}

// byColumns lays out n rows of d columns a stretch after the other, each column by column.
func byColumns(rows []float64, n, d int) []float64 {
	out := make([]float64, n*d)
	for from := 0; from < n; from += stretch {
		size := min(stretch, n-from)
		for i := range size {
			for j, v := range rows[(from+i)*d : (from+i+1)*d] {
				out[from*d+j*size+i] = v
			}
		}
	}
	return out
}

// against sets value to k_p(x_i, y), y having the score v.
func (w *row) against(y, v []float64) {
	d := w.dim
	b := w.b[:d]
	yb, vb, bb := 0.0, 0.0, 0.0
	for a := range d {
		b[a] = 0
		for c := range d {
			b[a] += w.a.At(a, c) * y[c]
		}
		yb += y[a] * b[a]
		vb += v[a] * b[a]
		bb += b[a] * b[a]
	}
	copy(w.b[d:], v)
	copy(w.b[2*d:], v)
	copy(w.b[3*d:], b)
	for from := 0; from < w.p.n; from += stretch {
		n := min(stretch, w.p.n-from)
		multiply := func(dst, pair, by []float64) {
			w.work.Multiply(w.path, dst[:2*n], 2, n, d, product.Rows(pair, d), product.Columns(by[from*d:(from+n)*d], n),
				product.All)
		}
		multiply(w.xs, w.b[:2*d], w.x) // x b and x v
		multiply(w.us, w.b[2*d:], w.u) // u v and u b
		if !w.same {
			multiply(w.bs, w.b[:2*d], w.ab) // A x b and A x v
		}
		w.finish(from, n, y, yb, vb, bb)
	}
}

// finish puts a stretch of n points together from their products.
func (w *row) finish(from, n int, y []float64, yb, vb, bb float64) {
	xb, ub, value := w.p.xb[from:from+n], w.p.ub[from:from+n], w.value[from:from+n]
	toB, toV, uv, ofB := w.xs[:n], w.xs[n:2*n], w.us[:n], w.us[n:2*n]
	q, square, of, kappa, rho := w.q[:n], w.square[:n], w.of[:n], w.kappa[:n], w.rho[:n]
	for i, x := range xb {
		q[i] = x + yb - 2*toB[i]
		square[i] = w.scale * q[i]
		if !w.same {
			square[i] = w.p.bb[from+i] + bb - 2*w.bs[i]
		}
		if q[i] <= near*(x+yb) {
			q[i], square[i] = w.exact(w.p.x[(from+i)*w.dim:(from+i+1)*w.dim], y)
		}
	}
	scale := w.scale
	if !w.same {
		toV, scale = w.bs[n:2*n], 1
	}
	kernels.Profiles(w.radial, w.path, of, kappa, nil, rho, q)
	for i := range value {
		bend := 0.0
		if square[i] > 0 {
			bend = rho[i] * square[i]
		}
		value[i] = of[i]*uv[i] + kappa[i]*(w.trace+ub[i]+vb-ofB[i]-scale*toV[i]-bend)
	}
}
