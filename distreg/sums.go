package distreg

import (
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/product"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// sums are what a model keeps of a bag's rows at one theta: the mean of the features k(x, z_l), their
// scatter about it, and the derivatives of both in log theta where they are wanted.
type sums struct {
	n                 float64
	mean, dMean       []float64
	scatter, dScatter *mat.Dense // m x m, symmetric; nil where n < 2
}

// features fills k and, if dk is not nil, its derivative k q in log theta, row by row.
func (m *Model) features(k, dk []float64, x *mat.Dense, theta float64) {
	inverse := 1 / theta
	n, _ := x.Dims()
	q := k[:n*m.m]
	z := m.z.RawMatrix().Data
	for r := range n {
		row, to := x.RawRowView(r), q[r*m.m:(r+1)*m.m]
		for l := range to {
			sum := 0.0
			for a, v := range row {
				d := (v - z[l*m.dim+a]) * inverse
				sum += d * d
			}
			to[l] = sum
		}
	}
	if dk != nil {
		copy(dk, q)
	}
	kernels.Profiles(gaussian, fused.Best(), q, nil, nil, nil, q)
	if dk != nil {
		for i, v := range q {
			if v == 0 {
				dk[i] = 0 // where k underflows
			} else {
				dk[i] *= v
			}
		}
	}
}

var gaussian = kernels.SquaredExponential(1).Radial

// chunk is how many rows have their features in memory at once.
const chunk = 4096

// sum reads the rows of a bag twice: once for the mean, once for the scatter about it.
func (m *Model) sum(x *mat.Dense, theta float64, derivative bool) *sums {
	out := &sums{n: count(x), mean: make([]float64, m.m)}
	if derivative {
		out.dMean = make([]float64, m.m)
	}
	if x == nil {
		return out
	}
	n, _ := x.Dims()
	size := min(n, chunk)
	k := make([]float64, size*m.m)
	var dk []float64
	if derivative {
		dk = make([]float64, size*m.m)
	}
	once := n <= chunk
	each := func(f func(k, dk []float64, rows int)) {
		for from := 0; from < n; from += chunk {
			to := min(n, from+chunk)
			if !once || from == 0 {
				m.features(k, dk, x.Slice(from, to, 0, m.dim).(*mat.Dense), theta)
			}
			f(k, dk, to-from)
		}
	}
	each(func(k, dk []float64, rows int) {
		for r := range rows {
			floats.Add(out.mean, k[r*m.m:(r+1)*m.m])
			if derivative {
				floats.Add(out.dMean, dk[r*m.m:(r+1)*m.m])
			}
		}
	})
	floats.Scale(1/out.n, out.mean)
	if derivative {
		floats.Scale(1/out.n, out.dMean)
	}
	if n == 1 {
		return out
	}
	again := each
	if once { // the features are still there
		again = func(f func(k, dk []float64, rows int)) { f(k, dk, n) }
	}
	q, part := make([]float64, m.m*m.m), make([]float64, m.m*m.m)
	var dq []float64
	if derivative {
		dq = make([]float64, m.m*m.m)
	}
	again(func(k, dk []float64, rows int) {
		for r := range rows {
			floats.Sub(k[r*m.m:(r+1)*m.m], out.mean)
			if derivative {
				floats.Sub(dk[r*m.m:(r+1)*m.m], out.dMean)
			}
		}
		centred := product.Columns(k, m.m)
		product.Multiply(part, m.m, m.m, rows, centred, centred, product.Lower)
		floats.Add(q, part)
		if derivative {
			product.Multiply(part, m.m, m.m, rows, centred, product.Columns(dk, m.m), product.All)
			floats.Add(dq, part)
		}
	})
	out.scatter = mat.NewDense(m.m, m.m, q)
	for i := range m.m {
		for j := range i {
			q[j*m.m+i] = q[i*m.m+j]
		}
	}
	if derivative {
		out.dScatter = mat.NewDense(m.m, m.m, dq)
		for i := range m.m {
			for j := range i + 1 {
				both := dq[i*m.m+j] + dq[j*m.m+i]
				dq[i*m.m+j], dq[j*m.m+i] = both, both
			}
		}
	}
	return out
}

// grams are the Gram matrix of the landmarks and the kernel's own r, exp(-|z-z'|²/4 theta²), with
// their derivatives in log theta.
func (m *Model) grams(theta float64) (k, dk, rho, drho *mat.Dense) {
	k, dk = mat.NewDense(m.m, m.m, nil), mat.NewDense(m.m, m.m, nil)
	rho, drho = mat.NewDense(m.m, m.m, nil), mat.NewDense(m.m, m.m, nil)
	for i := range m.m {
		for j := range m.m {
			q := 0.0
			for a, z := range m.z.RawRowView(i) {
				d := (z - m.z.At(j, a)) / theta
				q += d * d
			}
			v, r := math.Exp(-q/2), math.Exp(-q/4)
			k.Set(i, j, v)
			rho.Set(i, j, r)
			if r > 0 {
				dk.Set(i, j, v*q)
				drho.Set(i, j, r*q/2)
			}
		}
	}
	return k, dk, rho, drho
}
