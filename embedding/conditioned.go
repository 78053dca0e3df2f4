package embedding

import (
	"slices"

	"bayeskernel/internal/lowrank"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// conditioned is a Gaussian process at r points, observed with noise at the points themselves. With
// prior R, noise N, y what was observed, and E a small diagonal, A = R + N + E,
//
//	mean y - N inverse(A) y,   covariance N - N inverse(A) N,
//
// as if E were part of the prior. Where N is the larger the same is written with R in its place,
// mean R inverse(A) y and covariance R - R inverse(A) R, as if E were part of the noise. The
// smaller of the two is always subtracted from, and no digits are lost that matter. E is 1e-10 of
// the diagonal of R, so that a factor exists in spite of rounding, and as much of that of N if it
// is the larger, else 1e-12 of it, for the few points where R is next to nothing.
type conditioned struct {
	y            []float64
	noise, prior []float64
	jitter       float64   // of the noise
	noiseLess    bool      // the noise is the smaller one
	a            []float64 // Cholesky factor of A
	rootNoise    []float64 // of the noise and its part of E
}

const (
	jitterLarge = 1e-10
	jitterSmall = 1e-12
	// jitterSmallest is a few rounding errors of an element.
	jitterSmallest = 1e-14
)

// set takes the prior; y and noise are set. Matrices are given in full.
func (c *conditioned) set(prior []float64) {
	r := len(c.y)
	c.prior, c.jitter = prior, jitterLarge
	if c.noiseLess = trace(c.noise, r) <= trace(prior, r); c.noiseLess {
		c.jitter = jitterSmall
	}
}

// smaller returns the smaller of the two.
func (c *conditioned) smaller() []float64 {
	if c.noiseLess {
		return c.noise
	}
	return c.prior
}

// factorize factors A, given the share of the diagonal of R in E, and reports whether it is
// positive definite.
func (c *conditioned) factorize(jitter float64) bool {
	r := len(c.y)
	c.a = resize(c.a, r*r)
	for i := range r {
		for j := range i + 1 {
			c.a[i*r+j] = c.noise[i*r+j] + c.prior[i*r+j]
		}
		c.a[i*r+i] += jitter*c.prior[i*r+i] + c.jitter*c.noise[i*r+i]
	}
	return lowrank.Decompose(c.a, r)
}

// root writes the Cholesky factor of a covariance with a share of its diagonal added, a hundred
// times as much if need be, and returns it with the share.
func root(dst, a []float64, r int, jitter float64) ([]float64, float64) {
	for {
		dst = append(dst[:0], a...)
		for i := range r {
			dst[i*r+i] *= 1 + jitter
		}
		if jitter > 1 || lowrank.Decompose(dst, r) {
			return dst, jitter
		}
		jitter *= 100
	}
}

// solve replaces x by inverse(A) x.
func (c *conditioned) solve(x []float64) {
	l := lower(c.a, len(x))
	blas64.Trsv(blas.NoTrans, l, vector(x))
	blas64.Trsv(blas.Trans, l, vector(x))
}

// moments returns the posterior mean and covariance.
func (c *conditioned) moments() (mean, cov []float64) {
	r := len(c.y)
	u := slices.Clone(c.y)
	c.solve(u)
	sign := 1.0
	if c.noiseLess {
		mean, sign = slices.Clone(c.y), -1
	} else {
		mean = make([]float64, r)
	}
	lowrank.Combine(mean, sign, u, c.smaller())
	cov = slices.Clone(c.smaller())
	v := c.half()
	blas64.Gemm(blas.Trans, blas.NoTrans, -1, general(v, r), general(v, r), 1, general(cov, r))
	for i := range r {
		cov[i*r+i] = max(cov[i*r+i], 0)
		for j := range i {
			cov[j*r+i] = cov[i*r+j]
		}
	}
	return mean, cov
}

// half returns inverse(L) times the smaller matrix, A = L L'.
func (c *conditioned) half() []float64 {
	r := len(c.y)
	v := slices.Clone(c.smaller())
	lowrank.SolveLower(c.a, r, v, r)
	return v
}

func general(a []float64, n int) blas64.General {
	return blas64.General{Rows: n, Cols: n, Stride: n, Data: a}
}

func lower(a []float64, n int) blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: n, Stride: n, Data: a}
}

// trace returns that of an n x n matrix.
func trace(a []float64, n int) float64 {
	sum := 0.0
	for i := range n {
		sum += a[i*n+i]
	}
	return sum
}
