package bke

import (
	"math"
	"slices"

	"bayeskernel/kernels"

	"gonum.org/v1/gonum/floats"
)

// smallPivot is the pivot below which double precision gives way to about 32 digits. The rounding
// errors of R are near 1e-16. The log determinant and the traces multiply them by the reciprocal of
// the smallest pivot of R + cI.
const smallPivot = 1e-8

// covariance is the prior covariance of muhat on the pseudo-inputs, A = R + cI with c = tau2/n, in
// the scaled form A = s B, B = a Q + b I. Q is r without its amplitude amp, so that none of its
// elements exceeds 1; s is the larger of amp and c, a = amp/s and b = c/s.
type covariance struct {
	prior *kernels.Prior
	m     int
	dim   int
	z     []float64
	theta []float64 // of Q, a copy
	eta   float64   // of Q
	logS  float64
	invS  float64 // 1/s
	a, b  float64

	logDet float64 // of B
	quad   float64 // muhat' A^-1 muhat
	long   bool    // in 32 digits

	q     []float64   // Q, lower triangle
	dq    [][]float64 // dr/dlog theta over amp, one lower triangle for each lengthscale
	dEta  []float64   // dr/dlog eta over amp, lower triangle
	part  []float64   // of one pair, an element for each lengthscale
	chol  []float64   // B = LL', lower triangle
	cols  []float64   // row j holds column j of L^-1, from j on
	alpha []float64   // B^-1 muhat
	ext   *extended   // workspace for 32 digits, made when first needed
}

// traces holds the terms of A in the gradient: with W = B^-1 - alpha alpha'/s, the sums over j and
// l of W_jl dr_jl/s for each lengthscale and for eta, and the trace of W.
type traces struct {
	theta []float64
	eta   float64
	trace float64
}

func newCovariance(mod *Model) *covariance {
	prior, err := kernels.NewPrior(mod.opts.Kernel, mod.opts.Nu, mod.dim)
	if err != nil {
		panic(err) // NewModel has made one
	}
	prior.Path = mod.path
	m := mod.m
	v := &covariance{
		prior: prior, m: m, dim: mod.dim, z: mod.z, eta: math.NaN(),
		q: make([]float64, m*m), dEta: make([]float64, m*m),
		part: make([]float64, mod.thetas()),
		chol: make([]float64, m*m), cols: make([]float64, m*m), alpha: make([]float64, m),
	}
	for range v.part {
		v.dq = append(v.dq, make([]float64, m*m))
	}
	return v
}

// factor prepares A for the parameters p and c = tau2/n. It reuses Q if only tau2 has changed since
// the last call, as in a search over tau2.
func (v *covariance) factor(p Params, c float64) {
	if !slices.Equal(p.Theta, v.theta) || p.Eta != v.eta {
		v.fill(p)
	}
	logAmp := v.prior.LogAmplitude()
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

// fill computes Q and its derivatives.
func (v *covariance) fill(p Params) {
	v.theta, v.eta = append(v.theta[:0], p.Theta...), p.Eta
	v.prior.Set(p.Theta, p.Eta)
	for j := range v.m {
		x := v.point(j)
		for l := range j + 1 {
			at := j*v.m + l
			v.q[at], v.dEta[at] = v.prior.Pair(v.part, x, v.point(l))
			for a, d := range v.part {
				v.dq[a][at] = d
			}
		}
	}
	if v.ext != nil {
		v.ext.filled = false
	}
}

func (v *covariance) point(l int) []float64 { return v.z[l*v.dim : (l+1)*v.dim] }

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
	clear(t.theta)
	t.eta, t.trace = 0, 0
	if v.long {
		v.tracesExtended(t)
		return
	}
	v.invertFactor()
	m := v.m
	for j := range m {
		for l := range j + 1 {
			at := j*m + l
			w := floats.Dot(v.cols[j*m+j:(j+1)*m], v.cols[l*m+j:(l+1)*m])
			w -= v.alpha[j] * v.alpha[l] * v.invS
			if l == j {
				t.trace += w
			} else {
				w *= 2
			}
			w *= v.a
			for a, dq := range v.dq {
				t.theta[a] += w * dq[at]
			}
			t.eta += w * v.dEta[at]
		}
	}
}

// trace is that of traces, after solve: all that the derivative by tau2 needs, at half the cost.
func (v *covariance) trace() float64 {
	if v.long {
		return v.traceExtended()
	}
	v.invertFactor()
	m, sum := v.m, 0.0
	for j := range m {
		col := v.cols[j*m+j : (j+1)*m]
		w := floats.Dot(col, col)
		w -= v.alpha[j] * v.alpha[j] * v.invS
		sum += w
	}
	return sum
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
