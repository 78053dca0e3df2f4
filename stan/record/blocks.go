package record

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// sum adds up.
type sum struct{}

func (sum) Forward(in, out []float64) bool {
	s := 0.0
	for _, v := range in {
		s += v
	}
	out[0] = s
	return true
}

func (sum) Backward(_, _, dout, din []float64) {
	for i := range din {
		din[i] += dout[0]
	}
}

// dot is the sum of the products of the first half of its arguments and the second.
type dot struct{}

func (dot) Forward(in, out []float64) bool {
	n, s := len(in)/2, 0.0
	for i, v := range in[:n] {
		s += v * in[n+i]
	}
	out[0] = s
	return true
}

func (dot) Backward(in, _, dout, din []float64) {
	n, d := len(in)/2, dout[0]
	for i := range n {
		din[i] += d * in[n+i]
		din[n+i] += d * in[i]
	}
}

// softmaxSum is log sum exp.
type softmaxSum struct{}

func (softmaxSum) Forward(in, out []float64) bool {
	top := math.Inf(-1)
	for _, v := range in {
		top = math.Max(top, v)
	}
	if math.IsInf(top, 0) || math.IsNaN(top) {
		out[0] = top
		return true
	}
	s := 0.0
	for _, v := range in {
		s += math.Exp(v - top)
	}
	out[0] = top + math.Log(s)
	return true
}

func (softmaxSum) Backward(in, out, dout, din []float64) {
	for i, v := range in {
		if e := math.Exp(v - out[0]); e > 0 {
			din[i] += dout[0] * e
		}
	}
}

// product is the product of an r by k matrix and a k by c matrix, column by column.
type product struct{ r, k, c int }

func (p product) Forward(in, out []float64) bool {
	a, b := in[:p.r*p.k], in[p.r*p.k:]
	clear(out)
	for j := range p.c {
		col := out[j*p.r : (j+1)*p.r]
		for l := range p.k {
			v := b[j*p.k+l]
			if v == 0 {
				continue
			}
			for i, x := range a[l*p.r : (l+1)*p.r] {
				col[i] += x * v
			}
		}
	}
	return true
}

func (p product) Backward(in, _, dout, din []float64) {
	a, b := in[:p.r*p.k], in[p.r*p.k:]
	da, db := din[:p.r*p.k], din[p.r*p.k:]
	for j := range p.c {
		d := dout[j*p.r : (j+1)*p.r]
		for l := range p.k {
			v, s := b[j*p.k+l], 0.0
			col, dcol := a[l*p.r:(l+1)*p.r], da[l*p.r:(l+1)*p.r]
			for i, x := range d {
				dcol[i] += x * v
				s += x * col[i]
			}
			db[j*p.k+l] += s
		}
	}
}

// cholesky is the lower factor of a symmetric matrix, of which it reads the lower triangle.
type cholesky struct{ n int }

func (c cholesky) Forward(in, out []float64) bool {
	n := c.n
	clear(out)
	for j := range n {
		s := in[j*n+j]
		for k := range j {
			s -= out[k*n+j] * out[k*n+j]
		}
		if !(s > 0) {
			return false
		}
		d := math.Sqrt(s)
		out[j*n+j] = d
		for i := j + 1; i < n; i++ {
			s := in[j*n+i]
			for k := range j {
				s -= out[k*n+i] * out[k*n+j]
			}
			out[j*n+i] = s / d
		}
	}
	return true
}

func (c cholesky) Backward(_, l, dout, din []float64) {
	n := c.n
	d := append([]float64(nil), dout...)
	for j := n - 1; j >= 0; j-- {
		diag := l[j*n+j]
		for i := n - 1; i > j; i-- {
			v := d[j*n+i] / diag
			d[j*n+j] -= d[j*n+i] * l[j*n+i] / diag
			din[j*n+i] += v
			for k := range j {
				d[k*n+i] -= v * l[k*n+j]
				d[k*n+j] -= v * l[k*n+i]
			}
		}
		v := d[j*n+j] / (2 * diag)
		din[j*n+j] += v
		for k := range j {
			d[k*n+j] -= 2 * v * l[k*n+j]
		}
	}
}

// lowerSolve is L⁻¹ B for a lower triangular L of n rows and B of c columns.
type lowerSolve struct{ n, c int }

func (s lowerSolve) Forward(in, out []float64) bool {
	n := s.n
	l, b := in[:n*n], in[n*n:]
	for j := range s.c {
		for i := range n {
			v := b[j*n+i]
			for k := range i {
				v -= l[k*n+i] * out[j*n+k]
			}
			out[j*n+i] = v / l[i*n+i]
		}
	}
	return true
}

func (s lowerSolve) Backward(in, out, dout, din []float64) {
	n := s.n
	l, dl, db := in[:n*n], din[:n*n], din[n*n:]
	for j := range s.c {
		g := append([]float64(nil), dout[j*n:(j+1)*n]...)
		for i := n - 1; i >= 0; i-- {
			g[i] /= l[i*n+i]
			for k := range i {
				g[k] -= l[k*n+i] * g[i]
			}
		}
		for i := range n {
			db[j*n+i] += g[i]
			for k := 0; k <= i; k++ {
				dl[k*n+i] -= g[i] * out[j*n+k]
			}
		}
	}
}

// solve is A⁻¹ B.
type solve struct{ n, c int }

func dense(r, c int, byColumn []float64) *mat.Dense {
	m := mat.NewDense(r, c, nil)
	for j := range c {
		for i := range r {
			m.Set(i, j, byColumn[j*r+i])
		}
	}
	return m
}

func (s solve) Forward(in, out []float64) bool {
	var lu mat.LU
	lu.Factorize(dense(s.n, s.n, in[:s.n*s.n]))
	var x mat.Dense
	if err := lu.SolveTo(&x, false, dense(s.n, s.c, in[s.n*s.n:])); err != nil {
		if _, ill := err.(mat.Condition); !ill || math.IsInf(lu.Cond(), 1) {
			return false
		}
	}
	for j := range s.c {
		for i := range s.n {
			out[j*s.n+i] = x.At(i, j)
		}
	}
	return true
}

func (s solve) Backward(in, out, dout, din []float64) {
	var lu mat.LU
	lu.Factorize(dense(s.n, s.n, in[:s.n*s.n]))
	var g mat.Dense
	_ = lu.SolveTo(&g, true, dense(s.n, s.c, dout))
	for j := range s.c {
		for i := range s.n {
			v := g.At(i, j)
			din[s.n*s.n+j*s.n+i] += v
			for k := range s.n {
				din[k*s.n+i] -= v * out[j*s.n+k]
			}
		}
	}
}

// logDeterminant is the log of the absolute value.
type logDeterminant struct{ n int }

func (d logDeterminant) Forward(in, out []float64) bool {
	var lu mat.LU
	lu.Factorize(dense(d.n, d.n, in))
	out[0], _ = lu.LogDet()
	return true
}

func (d logDeterminant) Backward(in, _, dout, din []float64) {
	var inv mat.Dense
	_ = inv.Inverse(dense(d.n, d.n, in))
	for j := range d.n {
		for i := range d.n {
			din[j*d.n+i] += dout[0] * inv.At(j, i)
		}
	}
}

// eigenSym has the eigenvalues, rising, and then the eigenvectors of a symmetric matrix. The derivative
// of the vectors is that of distinct eigenvalues; between those that are equal to ten digits it is taken as
// 0, which is right for all that does not depend on the basis that was chosen.
type eigenSym struct{ n int }

func (e eigenSym) Forward(in, out []float64) bool {
	n := e.n
	s := mat.NewSymDense(n, nil)
	for j := range n {
		for i := range j + 1 {
			s.SetSym(i, j, (in[j*n+i]+in[i*n+j])/2)
		}
	}
	var f mat.EigenSym
	if !f.Factorize(s, true) {
		return false
	}
	f.Values(out[:n])
	var v mat.Dense
	f.VectorsTo(&v)
	for j := range n {
		flip := 1.0
		for i := range n { // a sign that does not depend on how it was computed
			if x := v.At(i, j); math.Abs(x) > 1e-8 {
				flip = sign(x)
				break
			}
		}
		for i := range n {
			out[n+j*n+i] = flip * v.At(i, j)
		}
	}
	return true
}

func (e eigenSym) Backward(_, out, dout, din []float64) {
	n := e.n
	values, vectors := out[:n], dense(n, n, out[n:])
	var m, t mat.Dense
	m.Mul(vectors.T(), dense(n, n, dout[n:]))
	inner := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			if i == j {
				inner.Set(i, j, dout[i])
			} else if d := values[j] - values[i]; math.Abs(d) > 1e-10*math.Abs(values[n-1]) {
				inner.Set(i, j, m.At(i, j)/d)
			}
		}
	}
	t.Mul(vectors, inner)
	m.Mul(&t, vectors.T())
	for i := range n {
		for j := range n {
			din[j*n+i] += (m.At(i, j) + m.At(j, i)) / 2
		}
	}
}
