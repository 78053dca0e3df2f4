package embedding

import (
	"fmt"
	"math"

	"bayeskernel/bke"
	"bayeskernel/internal/lowrank"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// clt is the process with noise CLT, observed at the points themselves.
type clt struct {
	*problem
	t          []float64
	q          int
	f          *field
	single     *reader // of each point alone
	mean, vary [][]float64
	own        []float64 // r(t, t)
	h          bke.Params

	// What follows is used once draws are asked for.
	together *reader // of the points of the basis
	basis    *basis
	posts    []conditioned
	cov      []float64 // of the difference, at the points of the basis
	diag     []float64
	factor   lowrank.Cholesky
	centre   []float64 // mean of the difference at the points of the basis
	at       []float64 // a draw there
	prior    []float64
	noise    []float64
	rho      []float64
	y        []float64 // the empirical embedding at the points of the basis
}

// cltPlan is what the workspaces of one evaluation share.
type cltPlan struct {
	*problem
	t                []float64
	single, together *statistics
	plan             *plan
}

// newCLT prepares for the points, with joint for draws too; plain asks for no basis.
func newCLT(p *problem, t []float64, draws []bke.Params, joint, plain bool) *cltPlan {
	c := &cltPlan{problem: p, t: t, single: newStatistics(p, t, false, draws)}
	if !joint {
		return c
	}
	f, least := newField(p.model), math.Inf(1)
	f.set(p.kernelAt(smallest(draws)))
	for _, s := range p.samples {
		least = min(least, s.square)
	}
	c.plan = newPlan(f, t, least, plain)
	c.together = newStatistics(p, c.plan.candidates, true, draws)
	return c
}

// smallest has the smallest of each lengthscale.
func smallest(draws []bke.Params) bke.Params {
	out := draws[0]
	out.Theta = append([]float64(nil), out.Theta...)
	for _, h := range draws {
		for a, v := range h.Theta {
			out.Theta[a] = min(out.Theta[a], v)
		}
	}
	return out
}

// process makes a workspace.
func (c *cltPlan) process() process {
	w := &clt{problem: c.problem, t: c.t, q: len(c.t) / c.dim, f: newField(c.model),
		single: c.single.reader()}
	for range c.samples {
		w.mean = append(w.mean, make([]float64, w.q))
		w.vary = append(w.vary, make([]float64, w.q))
	}
	w.own = make([]float64, w.q)
	if c.together != nil {
		w.together, w.basis = c.together.reader(), c.plan.basis()
		w.posts = make([]conditioned, len(c.samples))
	}
	return w
}

// fit has each point alone: with m the empirical embedding, R = r(t, t) and N the noise there, the
// mean is m R/(R+N) and the variance N R/(R+N).
func (w *clt) fit(h bke.Params) (mean, vary [][]float64, err error) {
	w.h = h
	vector, scale, err := w.single.at(h)
	if err != nil {
		return nil, nil, err
	}
	w.f.set(w.kernelAt(h))
	w.f.diagonal(w.own, w.t)
	for i, s := range w.samples {
		m, v := w.single.of(vector, i)
		for j, r := range w.own {
			if s.signed {
				w.mean[i][j], w.vary[i][j] = m[j], math.NaN()
				continue
			}
			n := scale*max(v[j], 0) + kappa*s.square*s.square
			share := shrinkage(r, n)
			w.mean[i][j], w.vary[i][j] = m[j]*share, n*share
		}
	}
	return w.mean, w.vary, nil
}

// shrinkage is R/(R+N), N positive.
func shrinkage(r, n float64) float64 { return 1 / (1 + n/r) }

// condition computes the posteriors at the points of the basis.
func (w *clt) condition() error {
	w.basis.set(w.f)
	vector, scale, err := w.together.at(w.h)
	if err != nil {
		return err
	}
	r := w.basis.r
	w.prior, w.noise, w.rho = resize(w.prior, r*r), resize(w.noise, r*r), resize(w.rho, r*r)
	w.f.correlation(w.rho, w.basis.p, w.basis.p)
	if amp, ok := w.f.isCorrelation(); ok {
		for i, v := range w.rho {
			w.prior[i] = amp * v
		}
	} else {
		w.f.prior(w.prior, w.basis.p, w.basis.p)
	}
	for i, s := range w.samples {
		mean, cov := w.together.of(vector, i)
		unseen := kappa * s.square * s.square
		w.y = w.y[:0]
		for j, a := range w.basis.pivots {
			w.y = append(w.y, mean[a])
			for l, b := range w.basis.pivots[:j+1] {
				hi, lo := max(a, b), min(a, b)
				v := scale*cov[hi*(hi+1)/2+lo] + unseen*w.rho[j*r+l]
				w.noise[j*r+l], w.noise[l*r+j] = v, v
			}
		}
		if !w.posts[i].fit(w.y, w.noise, w.prior) {
			return fmt.Errorf("embedding: covariance of the empirical embedding is not positive "+
				"definite at theta = %v, tau2 = %v", w.h.Theta, w.h.Tau2)
		}
	}
	return nil
}

func (w *clt) ready() error {
	if err := w.condition(); err != nil {
		return err
	}
	r := w.basis.r
	w.centre = append(w.centre[:0], w.posts[0].mean...)
	w.cov = append(w.cov[:0], w.posts[0].cov...)
	if len(w.posts) == 2 {
		for i, v := range w.posts[1].mean {
			w.centre[i] -= v
		}
		for i, v := range w.posts[1].cov {
			w.cov[i] += v
		}
	}
	w.diag = resize(w.diag, r)
	top := 0.0
	for i := range r {
		w.diag[i] = w.cov[i*r+i]
		top = max(top, w.diag[i])
		for j := range i {
			w.cov[j*r+i] = w.cov[i*r+j]
		}
	}
	w.factor.Factor(w.diag, lacking*top, func(dst []float64, i int) {
		copy(dst, w.cov[i*r:(i+1)*r])
	})
	return nil
}

func (w *clt) draw(dst []float64) {
	w.at = append(w.at[:0], w.centre...)
	lowrank.Combine(w.at, 1, dst[:len(w.factor.Pivots)], w.factor.Columns())
	w.basis.extend(dst, w.at)
	pin(dst, w.mean, w.vary)
}

// pin gives a draw its mean at the points where there is next to no variance.
func pin(dst []float64, mean, vary [][]float64) {
	top := 0.0
	for j := range dst {
		top = max(top, total(vary, j))
	}
	for j := range dst {
		if total(vary, j) <= pinned*top {
			dst[j] = mean[0][j]
			if len(mean) == 2 {
				dst[j] -= mean[1][j]
			}
		}
	}
}

func total(vary [][]float64, j int) float64 {
	sum := 0.0
	for _, v := range vary {
		sum += v[j]
	}
	return sum
}

func (w *clt) posterior() (mean, cov []float64, err error) {
	if err := w.condition(); err != nil {
		return nil, nil, err
	}
	c, r, q := &w.posts[0], w.basis.r, w.q
	full := make([]float64, r*r)
	for i := range r {
		for j := range i + 1 {
			full[i*r+j], full[j*r+i] = c.cov[i*r+j], c.cov[i*r+j]
		}
	}
	if w.basis.plain {
		return append([]float64(nil), c.mean...), full, nil
	}
	mean, cov = make([]float64, q), make([]float64, q*q)
	b := blas64.General{Rows: r, Cols: q, Stride: q, Data: w.basis.transposed()}
	s := blas64.General{Rows: r, Cols: r, Stride: r, Data: full}
	half := blas64.General{Rows: r, Cols: q, Stride: q, Data: make([]float64, r*q)}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, s, b, 0, half)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, b, half, 0,
		blas64.General{Rows: q, Cols: q, Stride: q, Data: cov})
	lowrank.Combine(mean, 1, c.mean, b.Data)
	return mean, cov, nil
}

// conditioned is a Gaussian process observed with noise at the points themselves. With prior R,
// noise N, y what was observed, and E a small diagonal,
//
//	mean y - N inverse(R + N + E) y,   covariance N - N inverse(R + N + E) N,
//
// as if E were part of the prior. Where N is the larger the same is written with R in its place, mean
// R inverse(R + N + E) y and covariance R - R inverse(R + N + E) R, as if E were part of the noise:
// what is subtracted from is always the smaller one, and no digits are lost that matter. E is 1e-10
// of the larger matrix's diagonal, so that a factor exists in spite of rounding, and 1e-12 of the
// smaller one's, for the few points where that is the larger.
type conditioned struct {
	mean, cov []float64 // the lower triangle of cov
	a         []float64 // Cholesky factor L of R + N + E
	v         []float64 // inverse(L) times the smaller matrix
	u         []float64 // inverse(L) y
	noiseLess bool      // the noise is the smaller one
}

const (
	jitterLarge = 1e-10
	jitterSmall = 1e-12
)

// fit reports whether R + N + E is positive definite; the matrices are given in full.
func (c *conditioned) fit(y, noise, prior []float64) bool {
	r := len(y)
	c.noiseLess = trace(noise, r) <= trace(prior, r)
	small, large := noise, prior
	if !c.noiseLess {
		small, large = prior, noise
	}
	c.a = resize(c.a, r*r)
	for i := range r {
		for j := range i + 1 {
			c.a[i*r+j] = small[i*r+j] + large[i*r+j]
		}
		c.a[i*r+i] += jitterLarge*large[i*r+i] + jitterSmall*small[i*r+i]
	}
	if !lowrank.Decompose(c.a, r) {
		return false
	}
	c.v = append(c.v[:0], small...)
	lowrank.SolveLower(c.a, r, c.v, r)
	c.u = append(c.u[:0], y...)
	lowrank.SolveLower(c.a, r, c.u, 1)
	c.mean = resize(c.mean, r)
	clear(c.mean)
	sign := 1.0
	if c.noiseLess {
		copy(c.mean, y)
		sign = -1
	}
	lowrank.Combine(c.mean, sign, c.u, c.v)
	c.cov = append(c.cov[:0], small...)
	for i := range r {
		v := blas64.General{Rows: r, Cols: i + 1, Stride: r, Data: c.v}
		blas64.Gemv(blas.Trans, -1, v, blas64.Vector{N: r, Inc: r, Data: c.v[i:]}, 1,
			vector(c.cov[i*r:i*r+i+1]))
		c.cov[i*r+i] = max(c.cov[i*r+i], 0)
	}
	return true
}

// trace returns that of an n x n matrix.
func trace(a []float64, n int) float64 {
	sum := 0.0
	for i := range n {
		sum += a[i*n+i]
	}
	return sum
}
