package bke

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// smallPivot is where double precision gives way to about 32 digits. The rounding errors of R are
// near 1e-16, and one over the smallest pivot of R + cI is what multiplies them in the log
// determinant and in the traces.
const smallPivot = 1e-8

// covariance is the prior covariance of muhat on the pseudo-inputs, A = R + cI with c = tau2/n, in
// the scaled form A = s B, B = a Q + b I. Q holds r(z_j, z_l) without its amplitude amp, so that
// none of its elements exceeds 1; s is the larger of amp and c, a = amp/s and b = c/s.
type covariance struct {
	nu   Nu
	m    int
	dim  int
	z    []float64
	p    Params // its Theta is a copy
	logS float64
	invS float64 // 1/s
	a, b float64

	logDet float64 // of B
	quad   float64 // muhat' A^-1 muhat
	long   bool    // in 32 digits

	inv   []float64 // 1/theta_a
	width []float64 // 1/sqrt(theta_a²+2 eta²), Gaussian only
	near  []float64 // exponents of Q, lower triangle: sum of d_a/4
	far   []float64 // and of c_a²/(theta_a²+2 eta²), Gaussian only
	q     []float64 // Q, lower triangle
	chol  []float64 // B = LL', lower triangle
	cols  []float64 // row j holds column j of L^-1, from j on
	alpha []float64 // B^-1 muhat
	ext   *extended // workspace for 32 digits, made when first needed
}

// traces are what the gradient needs of A: with W = B^-1 - alpha alpha'/s and P_jl = a W_jl Q_jl,
// the sums over j and l of P, of P times the parts of the exponents of r, and the trace of W.
type traces struct {
	near  []float64 // of P d_a/4, for each lengthscale; d_a = (z_ja-z_la)²/theta_a²
	far   []float64 // of P c_a²/(theta_a²+2 eta²), Gaussian only
	total float64   // of P
	trace float64   // of W
}

func newCovariance(nu Nu, z []float64, dim int) *covariance {
	m := len(z) / dim
	return &covariance{
		nu: nu, m: m, dim: dim, z: z, p: Params{Eta: math.NaN()},
		inv: make([]float64, dim), width: make([]float64, dim),
		near: make([]float64, m*m), far: make([]float64, m*m),
		q: make([]float64, m*m), chol: make([]float64, m*m), cols: make([]float64, m*m),
		alpha: make([]float64, m),
	}
}

// factor prepares A for the parameters p and c = tau2/n. Q is that of the last call where only tau2
// is another, as in a search over tau2.
func (v *covariance) factor(p Params, c float64) {
	if !slices.Equal(p.Theta, v.p.Theta) || p.Eta != v.p.Eta {
		v.fill(p)
	}
	logAmp := v.nu.logAmplitude(p, v.dim)
	amp := math.Exp(logAmp)
	if amp >= c {
		v.logS, v.invS, v.a, v.b = logAmp, 1/amp, 1, c/amp
	} else {
		v.logS, v.invS, v.a, v.b = math.Log(c), 1/c, amp/c, 1
	}
	v.long = !v.cholesky()
	if v.long {
		v.factorExtended()
	}
}

// fill computes Q.
func (v *covariance) fill(p Params) {
	v.p = Params{Theta: append(v.p.Theta[:0], p.Theta...), Eta: p.Eta}
	for a := range v.inv {
		v.inv[a] = 1 / p.theta(a)
		if v.nu == Gaussian {
			v.width[a] = 1 / math.Hypot(p.theta(a), math.Sqrt2*p.Eta)
		}
	}
	for j := range v.m {
		for l := range j + 1 {
			v.q[j*v.m+l] = math.Exp(-v.exponents(j, l))
		}
	}
	if v.ext != nil {
		v.ext.filled = false
	}
}

// cholesky fills L and the log determinant. It fails where a pivot is too small.
func (v *covariance) cholesky() bool {
	m := v.m
	v.logDet = 0
	for j := range m {
		row := v.chol[j*m : j*m+j+1]
		for l := range j + 1 {
			s := v.a * v.q[j*m+l]
			if l < j {
				row[l] = (s - floats.Dot(row[:l], v.chol[l*m:l*m+l])) / v.chol[l*m+l]
				continue
			}
			s += v.b - floats.Dot(row[:j], row[:j])
			if !(s >= smallPivot) {
				return false
			}
			row[j] = math.Sqrt(s)
			v.logDet += math.Log(s)
		}
	}
	return true
}

// exponents fills near and far and returns their sum.
func (v *covariance) exponents(j, l int) float64 {
	d := v.dim
	x, y := v.z[j*d:(j+1)*d], v.z[l*d:(l+1)*d]
	near, far := 0.0, 0.0
	for a, xa := range x {
		u := (xa - y[a]) * v.inv[a]
		near += u * u
		if v.nu == Gaussian {
			c := (xa/2 + y[a]/2) * v.width[a]
			far += c * c
		}
	}
	near /= 4
	v.near[j*v.m+l], v.far[j*v.m+l] = near, far
	return near + far
}

// solve computes alpha and the quadratic form.
func (v *covariance) solve(muhat []float64) {
	if v.long {
		v.solveExtended(muhat)
		return
	}
	m, al := v.m, v.alpha
	for j := range m {
		al[j] = (muhat[j] - floats.Dot(v.chol[j*m:j*m+j], al[:j])) / v.chol[j*m+j]
	}
	v.quad = floats.Dot(al, al) * v.invS
	for j := m - 1; j >= 0; j-- {
		al[j] /= v.chol[j*m+j]
		floats.AddScaled(al[:j], -al[j], v.chol[j*m:j*m+j])
	}
}

// traces fills t, after solve.
func (v *covariance) traces(t *traces) {
	clear(t.near)
	clear(t.far)
	t.total, t.trace = 0, 0
	if v.long {
		v.tracesExtended(t)
		return
	}
	v.invertFactor()
	m := v.m
	for j := range m {
		for l := range j + 1 {
			w := floats.Dot(v.cols[j*m+j:(j+1)*m], v.cols[l*m+j:(l+1)*m])
			w -= v.alpha[j] * v.alpha[l] * v.invS
			if l == j {
				t.trace += w
				v.addTraces(t, j, l, v.a*w*v.q[j*m+l])
			} else {
				v.addTraces(t, j, l, 2*v.a*w*v.q[j*m+l])
			}
		}
	}
}

// invertFactor computes the columns of L^-1.
func (v *covariance) invertFactor() {
	m := v.m
	for j := range m {
		col := v.cols[j*m : (j+1)*m]
		col[j] = 1 / v.chol[j*m+j]
		for i := j + 1; i < m; i++ {
			col[i] = -floats.Dot(v.chol[i*m+j:i*m+i], col[j:i]) / v.chol[i*m+i]
		}
	}
}

// addTraces adds the pair (j, l), whose P is w.
func (v *covariance) addTraces(t *traces, j, l int, w float64) {
	t.total += w
	if len(t.near) == 1 {
		t.near[0] += w * v.near[j*v.m+l]
		t.far[0] += w * v.far[j*v.m+l]
		return
	}
	d := v.dim
	x, y := v.z[j*d:(j+1)*d], v.z[l*d:(l+1)*d]
	for a, xa := range x {
		u := (xa - y[a]) * v.inv[a]
		t.near[a] += w * (u * u / 4)
		if v.nu == Gaussian {
			c := (xa/2 + y[a]/2) * v.width[a]
			t.far[a] += w * (c * c)
		}
	}
}
