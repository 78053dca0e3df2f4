package embedding

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/internal/lowrank"

	"gonum.org/v1/gonum/floats"
)

const (
	// rankTol stops the pivoted Cholesky of r, in units of its largest diagonal element, where
	// rounding begins. Far from the data an error of the posterior is up to the geometric mean of
	// this and tau2/n, so that no digit can be spared. In units of the trace it is the least that
	// must be on the diagonal of a matrix for its Cholesky factor to exist in spite of rounding; it
	// counts only where tau2/n and the amplitude of r are that far apart.
	rankTol = 0x1p-50
	// coarsestRank bounds the tolerance however large tau2/n is beside r.
	coarsestRank = 1e-10
	// noiseRank is the tolerance in units of tau2/n where there are many draws. Against dense
	// matrices it leaves errors below 1e-10 (400 + 400 rows).
	noiseRank = 1e-8
	// vanishing is a prior variance so small that a square of a covariance with it underflows.
	vanishing = 1e-300
)

// iid is the process with noise IID, observed at each sample's own rows. Up to rounding r over all
// rows and the points t together has a pivoted Cholesky factor of few columns, F in the rows of a
// sample and G in those of t, and a regression on these columns has the posterior of eq. (7). With
// c = tau2/n, y the empirical embedding at the rows, L the Cholesky factor of F'F + c I and
// V = inverse(L) G',
//
//	mean V' inverse(L) F' y,    covariance c V' V.
//
// If pivots were taken from the rows alone, r(x, t) would be off by up to the square root of what
// is left of r(x, x); taken together, by no more than that itself. What is left of r(t, t), which
// may be all of it where nu has next to no mass, is added to the variance.
type iid struct {
	*problem
	t   []float64
	q   int
	tol float64 // of the factor, in units of tau2/n
	f   *field
	all []float64 // the rows of all samples, then t

	h          bke.Params
	factor     lowrank.Cholesky
	diag       []float64
	buf        []float64
	shared     []float64 // G'
	own        []float64 // what G G' lacks of r(t, t)
	parts      []regression
	mean, vary [][]float64
	root       lowrank.Cholesky
	centre     []float64
}

// regression is the part of one sample.
type regression struct {
	y   []float64 // the empirical embedding at the rows
	tri []float64 // L
	u   []float64 // inverse(L) F' y
	v   []float64 // V
	c   float64   // tau2/n
}

func newIID(p *problem, t []float64, tol float64) *iid {
	w := &iid{problem: p, t: t, q: len(t) / p.dim, tol: tol, f: newField(p.model),
		parts: make([]regression, len(p.samples))}
	for _, s := range p.samples {
		w.all = append(w.all, s.x...)
		w.mean = append(w.mean, make([]float64, w.q))
		w.vary = append(w.vary, make([]float64, w.q))
	}
	w.all = append(w.all, t...)
	return w
}

// level is the tau2 of the kernel in use.
func (w *iid) level(h bke.Params) (float64, error) {
	if !w.opts.AtTest && w.opts.Rung == 1 {
		return h.Tau2, nil
	}
	scale, err := w.noiseScale(h, w.f.level(h))
	return scale * w.f.level(w.kernelAt(h)), err
}

func (w *iid) fit(h bke.Params) (mean, vary [][]float64, err error) {
	w.h = h
	tau2, err := w.level(h)
	if err != nil {
		return nil, nil, err
	}
	w.f.set(w.kernelAt(h))
	w.factorize(tau2)
	w.residue()
	rank, stride := len(w.factor.Pivots), len(w.all)/w.dim
	f := w.factor.Columns()
	for i, s := range w.samples {
		p := &w.parts[i]
		w.empirical(p, s)
		p.c = tau2 * s.square
		p.tri, p.u = resize(p.tri, rank*rank), resize(p.u, rank)
		lowrank.Gram(p.tri, f, rank, s.n, stride)
		p.c = max(p.c, rankTol*trace(p.tri, rank))
		for k := range rank {
			p.tri[k*rank+k] += p.c
		}
		lowrank.Products(p.u, p.y, f, stride)
		if !lowrank.Decompose(p.tri, rank) {
			return nil, nil, fmt.Errorf("embedding: covariance of the empirical embedding is not "+
				"positive definite at theta = %v, tau2 = %v", h.Theta, h.Tau2)
		}
		lowrank.SolveLower(p.tri, rank, p.u, 1)
		p.v = append(p.v[:0], w.shared...)
		lowrank.SolveLower(p.tri, rank, p.v, w.q)
		w.moments(i)
		if rank > 0 {
			f = f[s.n:] // the rows of the next sample
		}
	}
	return w.mean, w.vary, nil
}

// factorize factors r over the rows and the points, and sets shared to G'.
func (w *iid) factorize(tau2 float64) {
	stride := len(w.all) / w.dim
	w.diag = resize(w.diag, stride)
	w.f.diagonal(w.diag, w.all)
	tol := w.tol * tau2
	for _, s := range w.samples {
		tol = min(tol, w.tol*tau2*s.square)
	}
	top := slices.Max(w.diag)
	tol = max(min(tol, coarsestRank*top), rankTol*top)
	w.factor.Factor(w.diag, tol, func(dst []float64, i int) {
		w.f.prior(dst, w.all[i*w.dim:(i+1)*w.dim], w.all)
	})
	f := w.factor.Columns()
	w.shared = w.shared[:0]
	for k := range w.factor.Pivots {
		w.shared = append(w.shared, f[(k+1)*stride-w.q:(k+1)*stride]...)
	}
}

// residue sets own. Where the prior variance vanishes mu is zero: what underflow has left of its
// mean would be many standard deviations from that.
func (w *iid) residue() {
	w.own = resize(w.own, w.q)
	w.f.diagonal(w.own, w.t)
	for i, v := range w.own {
		e := w.factor.Residual[len(w.factor.Residual)-w.q+i]
		switch {
		case v < vanishing:
			w.own[i] = 0
			for k := i; k < len(w.shared); k += w.q {
				w.shared[k] = 0
			}
		case e < coarsestRank*v: // mostly rounding
			w.own[i] = 0
		default:
			w.own[i] = e
		}
	}
}

// empirical sets y. Every pair of rows is looked at once.
func (w *iid) empirical(p *regression, s *sample) {
	p.y, w.buf = resize(p.y, s.n), resize(w.buf, s.n)
	copy(p.y, s.w) // k(x_i, x_i) = 1
	for i := range s.n - 1 {
		row := w.buf[:s.n-1-i]
		w.f.kernel(row, s.x[i*w.dim:(i+1)*w.dim], s.x[(i+1)*w.dim:])
		p.y[i] += floats.Dot(row, s.w[i+1:])
		floats.AddScaled(p.y[i+1:], s.w[i], row)
	}
}

// moments sets the means and the variances of a sample.
func (w *iid) moments(i int) {
	p, mean, vary := &w.parts[i], w.mean[i], w.vary[i]
	clear(mean)
	lowrank.Combine(mean, 1, p.u, p.v)
	copy(vary, w.own)
	for rest := p.v; len(rest) > 0; rest = rest[w.q:] {
		for j, v := range rest[:w.q] {
			vary[j] += p.c * v * v
		}
	}
}

// column writes the posterior covariances, summed over some samples, of point i with all.
func (w *iid) column(dst []float64, i int, parts []regression) {
	clear(dst)
	for _, p := range parts {
		w.buf = w.buf[:0]
		for k := i; k < len(p.v); k += w.q {
			w.buf = append(w.buf, p.v[k])
		}
		lowrank.Combine(dst, p.c, w.buf, p.v)
		dst[i] += w.own[i]
	}
}

func (w *iid) ready() error {
	w.diag, w.centre = resize(w.diag, w.q), append(w.centre[:0], w.mean[0]...)
	top := 0.0
	for j := range w.diag {
		w.diag[j] = total(w.vary, j)
		top = max(top, w.diag[j])
		if len(w.mean) == 2 {
			w.centre[j] -= w.mean[1][j]
		}
	}
	w.root.Factor(w.diag, lacking*top, func(dst []float64, i int) { w.column(dst, i, w.parts) })
	return nil
}

func (w *iid) draw(dst []float64, src *rand.Rand) {
	w.buf = resize(w.buf, len(w.root.Pivots))
	fillNormal(w.buf, src)
	copy(dst, w.centre)
	lowrank.Combine(dst, 1, w.buf, w.root.Columns())
	pin(dst, w.mean, w.vary)
}

func (w *iid) posterior() (mean, cov []float64, err error) {
	cov = make([]float64, w.q*w.q)
	for i := range w.q {
		w.column(cov[i*w.q:(i+1)*w.q], i, w.parts[:1])
	}
	return slices.Clone(w.mean[0]), cov, nil
}
