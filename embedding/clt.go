package embedding

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/internal/lowrank"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
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
	prior    []float64 // R
	rho      []float64

	rootPrior       []float64
	f0, e, u, total []float64
}

// cltPlan is what the workspaces of one evaluation share.
type cltPlan struct {
	*problem
	t                []float64
	single, together *statistics
	plan             *plan
}

// newCLT prepares for the points, with joint for draws too; plain asks for no basis.
func newCLT(ctx context.Context, p *problem, t []float64, draws []bke.Params, joint,
	plain bool) *cltPlan {
	c := &cltPlan{problem: p, t: t, single: newStatistics(ctx, p, t, false, draws)}
	if !joint {
		return c
	}
	f, noise := newField(p.model), math.Inf(1)
	lo, hi := p.ranges(draws)
	f.set(p.kernelAt(lo))
	for _, s := range p.samples {
		noise = min(noise, kappa*s.square*s.square)
	}
	if !p.opts.AtTest {
		noise /= max(1, hi.Tau2/min(f.level(lo), f.level(hi)))
	}
	c.plan = newPlan(f, t, noise, plain)
	c.together = newStatistics(ctx, p, c.plan.candidates, true, draws)
	return c
}

// ranges returns the smallest and the largest values of the hyperparameters.
func (p *problem) ranges(draws []bke.Params) (lo, hi bke.Params) {
	lo, hi = draws[0], draws[0]
	lo.Theta, hi.Theta = slices.Clone(lo.Theta), slices.Clone(hi.Theta)
	for _, h := range draws {
		lo.Tau2, hi.Tau2 = min(lo.Tau2, h.Tau2), max(hi.Tau2, h.Tau2)
		for a, v := range h.Theta {
			lo.Theta[a], hi.Theta[a] = min(lo.Theta[a], v), max(hi.Theta[a], v)
		}
	}
	return lo, hi
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

// condition sets prior, noise and what was observed at the points of the basis.
func (w *clt) condition() error {
	w.basis.set(w.f)
	vector, scale, err := w.together.at(w.h)
	if err != nil {
		return err
	}
	r := w.basis.r
	w.prior, w.rho = resize(w.prior, r*r), resize(w.rho, r*r)
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
		c := &w.posts[i]
		c.y, c.noise = c.y[:0], resize(c.noise, r*r)
		for j, a := range w.basis.pivots {
			c.y = append(c.y, mean[a])
			for l, b := range w.basis.pivots[:j+1] {
				hi, lo := max(a, b), min(a, b)
				v := scale*cov[hi*(hi+1)/2+lo] + unseen*w.rho[j*r+l]
				c.noise[j*r+l], c.noise[l*r+j] = v, v
			}
		}
		c.set(w.prior)
	}
	return nil
}

// factorize factors the sum of prior and noise of each sample.
func (w *clt) factorize(jitter float64) error {
	for i := range w.posts {
		good := w.posts[i].factorize(jitter)
		for j := 100 * jitter; !good && j <= jitterLarge; j *= 100 {
			good = w.posts[i].factorize(j)
		}
		if !good {
			return fmt.Errorf("embedding: covariance of the empirical embedding is not positive "+
				"definite at theta = %v, tau2 = %v", w.h.Theta, w.h.Tau2)
		}
	}
	return nil
}

// draw goes by Matheron's rule: with f0 a draw of the prior and e one of the noise,
//
//	m - e - N inverse(A) (m - f0 - e),   A = R + N + E,
//
// is a draw of the posterior, and so is f0 + R inverse(A) (m - f0 - e), which is used where N is
// the larger. The factors of A, N and R are a third of the work of the posterior covariance and its
// root.
func (w *clt) draw(dst []float64, src *rand.Rand) {
	clear(w.total)
	for i := range w.posts {
		c := &w.posts[i]
		w.normal(w.f0, w.rootPrior, src)
		w.normal(w.e, c.rootNoise, src)
		for j, y := range c.y {
			w.u[j] = y - w.f0[j] - w.e[j]
		}
		c.solve(w.u)
		if c.noiseLess {
			copy(w.f0, c.y)
			floats.Sub(w.f0, w.e)
			blas64.Gemv(blas.NoTrans, -1, general(c.noise, len(c.y)), vector(w.u), 1, vector(w.f0))
		} else {
			blas64.Gemv(blas.NoTrans, 1, general(w.prior, len(c.y)), vector(w.u), 1, vector(w.f0))
		}
		floats.AddScaled(w.total, float64(1-2*i), w.f0)
	}
	w.basis.extend(dst, w.total)
	pin(dst, w.mean, w.vary)
}

// normal writes a draw of N(0, L L').
func (w *clt) normal(dst, l []float64, src *rand.Rand) {
	fillNormal(dst, src)
	n := len(dst)
	blas64.Trmv(blas.NoTrans, lower(l, n), vector(dst))
}

func (w *clt) ready() error {
	if err := w.condition(); err != nil {
		return err
	}
	r := w.basis.r
	w.f0, w.e, w.u, w.total = resize(w.f0, r), resize(w.e, r), resize(w.u, r), resize(w.total, r)
	var jitter float64
	w.rootPrior, jitter = root(w.rootPrior, w.prior, r, w.jitter())
	for i := range w.posts {
		c := &w.posts[i]
		c.rootNoise, c.jitter = root(c.rootNoise, c.noise, r, c.jitter)
	}
	return w.factorize(jitter)
}

// jitter is the share of the diagonal of R in E: a thousandth of the noise at most, which with 1e7 rows
// and more is below jitterLarge, and no less than rounding needs.
func (w *clt) jitter() float64 {
	out, r := jitterLarge, len(w.basis.pivots)
	for i := range w.posts {
		out = min(out, 1e-3*trace(w.posts[i].noise, r)/trace(w.prior, r))
	}
	return max(out, jitterSmallest)
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
	if err := w.factorize(w.jitter()); err != nil {
		return nil, nil, err
	}
	r, q := w.basis.r, w.q
	centre, spread := w.posts[0].moments()
	if w.basis.plain {
		return centre, spread, nil
	}
	mean, cov = make([]float64, q), make([]float64, q*q)
	b := blas64.General{Rows: r, Cols: q, Stride: q, Data: w.basis.transposed()}
	half := blas64.General{Rows: r, Cols: q, Stride: q, Data: make([]float64, r*q)}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(spread, r), b, 0, half)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, b, half, 0, general(cov, q))
	lowrank.Combine(mean, 1, centre, b.Data)
	return mean, cov, nil
}
