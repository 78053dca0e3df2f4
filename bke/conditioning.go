package bke

import (
	"context"
	"fmt"
	"slices"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/floats"
)

const (
	// jitter is added to the diagonal of R_p with noise CLT, in units of its mean.
	jitter = 1e-9
	// rankTol stops the pivoted Cholesky of R_p with noise IID, in units of its largest diagonal
	// element, where rounding begins. Far from the data an error of the posterior is up to the
	// geometric mean of this and tau2/n, so that no digit can be spared. In units of the trace it is
	// the least that must be on the diagonal of a matrix for its Cholesky factor to exist in spite
	// of rounding; it counts only where tau2/n and the amplitude of r are that far apart.
	rankTol = 0x1p-50
	// coarsest bounds that tolerance, however large tau2/n is beside r.
	coarsest = 1e-10
	// vanishing is a prior variance so small that a square of a covariance with it underflows.
	vanishing = 1e-300
)

// conditioning computes the posteriors of the embeddings of a few samples, independent given the
// hyperparameters, which they share. It is a workspace, for one goroutine: fit and then at may be
// called again and again.
//
// With noise CLT, A = R_p + N, N the noise plus the jitter, has the Cholesky factor L; with y the
// empirical embedding at p and V = inverse(L) r(p, t), the posterior at points t has
//
//	mean V' inverse(L) y,    covariance r(t, t) - V' V.
//
// With noise IID, r over p and t together has, up to rounding, a pivoted Cholesky factor of few
// columns, F in the rows of p and G in those of t, and a regression on these columns has the same
// posterior. With c = tau2/n, L the Cholesky factor of F'F + c I and V = inverse(L) G':
//
//	mean V' inverse(L) F' y,    covariance c V' V.
//
// If pivots were taken from p alone, r(p, t) would be off by up to the square root of what is left
// of r(p, p); taken together, by no more than that itself. What is left of r(t, t), which may be
// all of it where nu has next to no mass, is added to the variance.
type conditioning struct {
	model   *Model
	noise   Noise
	points  []float64 // observation points; nil if they are each sample's own
	samples []*conditioned
	base    []float64 // observation points of all samples: points, or their rows
	tol     float64   // of the pivoted Cholesky, in units of tau2/n

	p      Params
	g      pairs
	factor lowrank.Cholesky
	all    []float64 // base, then the points of at
	diag   []float64
	buf    []float64
	coef   []float64
	shared []float64 // r(p, t) or G'
	own    []float64 // what the variance at t has besides: r(t, t), or what G G' lacks of it
}

// conditioned is the part of one sample.
type conditioned struct {
	x    []float64
	n    int
	k    []float64 // k(p_l, x_i), l by l, centred
	y    []float64 // the empirical embedding at p
	tri  []float64 // L
	u    []float64 // inverse(L) y or inverse(L) F' y
	c    float64   // tau2/n
	v    []float64 // V
	mean []float64 // at t
	vary []float64 // variance at t

	table *meanTable // of y, if there is one
}

// conditioning makes a workspace; points nil means the default.
func (m *Model) conditioning(noise Noise, points []float64, samples ...[]float64) *conditioning {
	w := &conditioning{model: m, noise: noise, points: points}
	w.g.kind, _ = fused.Parse(m.opts.Path) // the model has checked the name
	for _, x := range samples {
		w.samples = append(w.samples, &conditioned{x: x, n: len(x) / m.dim})
		if points == nil {
			w.base = append(w.base, x...)
		}
	}
	if points != nil {
		w.base = points
	}
	return w
}

// observationPoints returns the default observation points of noise CLT: min(n, 40) quantiles of
// the n rows of the fit in one dimension, min(n, 200) centres otherwise.
func (m *Model) observationPoints() ([]float64, error) {
	if m.dim == 1 {
		return observationQuantiles(m.x, min(m.n, 40)), nil
	}
	return rows.KMeans(context.Background(), m.x, m.dim, min(m.n, 200), 0)
}

// fit conditions on the samples at hyperparameters that were resolved.
func (w *conditioning) fit(p Params) error {
	w.p = p
	w.g.set(w.model.opts.Nu, w.model.dim, p)
	if w.noise == CLT {
		return w.fitCLT()
	}
	return nil // the factor depends on t
}

// level returns mean_l Var k(X, z_l) over the data of the fit.
func (w *conditioning) level() float64 {
	m := w.model
	w.buf = resize(w.buf, m.n)
	sum := 0.0
	for l := range m.m {
		w.g.kernel(w.buf, m.z[l*m.dim:(l+1)*m.dim], m.x)
		centre(w.buf)
		sum += floats.Dot(w.buf, w.buf)
	}
	return sum / float64(m.m) / float64(m.n-1)
}

func (w *conditioning) fitCLT() error {
	v := w.level()
	if !(v > 0) {
		return fmt.Errorf("bke: mean variance of k(X, z) over the data is %v at theta = %v, "+
			"want it positive for noise clt", v, w.p.Theta)
	}
	q := len(w.points) / w.model.dim
	r := resize(w.buf, q*q)
	w.buf = r
	w.g.prior(r, w.points, w.points)
	added := jitter * trace(r, q) / float64(q)
	for _, s := range w.samples {
		s.k = resize(s.k, q*s.n)
		s.y = resize(s.y, q)
		w.g.kernel(s.k, w.points, s.x)
		for l := range q {
			s.y[l] = centre(s.k[l*s.n : (l+1)*s.n])
		}
		s.tri = resize(s.tri, q*q)
		lowrank.Gram(s.tri, s.k, q, s.n, s.n)
		scale := w.p.Tau2 / v / float64(s.n) / float64(s.n-1)
		least := rankTol * scale * trace(s.tri, q)
		for i := range q {
			row := s.tri[i*q : i*q+i+1]
			for j := range row {
				row[j] = row[j]*scale + r[i*q+j]
			}
			row[i] += max(added, least)
		}
		if err := w.solve(s, q, s.y); err != nil {
			return err
		}
	}
	return nil
}

// fitIID conditions on the samples and sets shared to G'.
func (w *conditioning) fitIID(points []float64) error {
	dim, total := w.model.dim, len(w.base)/w.model.dim
	g := len(points) / dim
	w.all = append(append(w.all[:0], w.base...), points...)
	stride := total + g
	w.diag = resize(w.diag, stride)
	w.g.diagonal(w.diag, w.all)
	tol := w.tol * w.p.Tau2
	for _, s := range w.samples {
		s.c = w.p.Tau2 / float64(s.n)
		tol = min(tol, w.tol*s.c)
	}
	top := slices.Max(w.diag)
	tol = max(min(tol, coarsest*top), rankTol*top)
	w.factor.Factor(w.diag, tol, func(dst []float64, i int) {
		w.g.prior(dst, w.all[i*dim:(i+1)*dim], w.all)
	})
	rank, f := len(w.factor.Pivots), w.factor.Columns()
	w.shared = w.shared[:0]
	for k := range rank {
		w.shared = append(w.shared, f[k*stride+total:(k+1)*stride]...)
	}
	for _, s := range w.samples {
		q := total
		if w.points == nil {
			q = s.n
		}
		w.empirical(s, q)
		s.tri = resize(s.tri, rank*rank)
		lowrank.Gram(s.tri, f, rank, q, stride)
		s.c = max(s.c, rankTol*trace(s.tri, rank))
		for i := range rank {
			s.tri[i*rank+i] += s.c
		}
		s.u = resize(s.u, rank)
		lowrank.Products(s.u, s.y, f, stride)
		if err := w.solve(s, rank, s.u); err != nil {
			return err
		}
		if w.points == nil && rank > 0 {
			f = f[s.n:] // the rows of the next sample
		}
	}
	return nil
}

// empirical sets y, the empirical embedding at the q observation points of a sample.
func (w *conditioning) empirical(s *conditioned, q int) {
	s.y = resize(s.y, q)
	w.buf = resize(w.buf, s.n)
	switch dim := w.model.dim; {
	case s.table != nil:
		w.coef = resize(w.coef, len(s.table.nodes))
		s.table.at(s.y, w.coef, w.p.Theta[0])
	case w.points == nil:
		w.g.means(s.y, s.x, w.buf)
	default:
		for l := range q {
			w.g.kernel(w.buf, w.points[l*dim:(l+1)*dim], s.x)
			s.y[l] = centre(w.buf)
		}
	}
}

// solve factors the matrix in tri and sets u to inverse(L) b; b may be u.
func (w *conditioning) solve(s *conditioned, n int, b []float64) error {
	if !lowrank.Decompose(s.tri, n) {
		return fmt.Errorf("bke: covariance of the empirical embedding is not positive definite "+
			"at theta = %v, tau2 = %v", w.p.Theta, w.p.Tau2)
	}
	s.u = append(s.u[:0], b...)
	lowrank.SolveLower(s.tri, n, s.u, 1)
	return nil
}

// at sets mean and vary of every sample to the posterior means and variances at the points.
func (w *conditioning) at(points []float64) error {
	g := len(points) / w.model.dim
	if w.noise == IID {
		if err := w.fitIID(points); err != nil {
			return err
		}
	} else {
		w.shared = resize(w.shared, len(w.base)/w.model.dim*g)
		w.g.prior(w.shared, w.base, points)
	}
	w.residue(points)
	for _, s := range w.samples {
		s.v = append(s.v[:0], w.shared...)
		lowrank.SolveLower(s.tri, len(s.u), s.v, g)
		s.mean, s.vary = resize(s.mean, g), append(s.vary[:0], w.own...)
		clear(s.mean)
		lowrank.Combine(s.mean, 1, s.u, s.v)
		addSquares(s.vary, w.sign(s), s.v)
		for i, v := range s.vary {
			s.vary[i] = max(v, 0)
		}
	}
	return nil
}

// residue sets own, after shared. Where the prior variance vanishes mu is zero: what underflow has
// left of its mean would be many standard deviations from that.
func (w *conditioning) residue(points []float64) {
	g := len(points) / w.model.dim
	w.own = resize(w.own, g)
	w.g.diagonal(w.own, points)
	for i, v := range w.own {
		if v < vanishing {
			w.own[i] = 0
			for k := i; k < len(w.shared); k += g {
				w.shared[k] = 0
			}
		} else if w.noise == IID {
			e := w.factor.Residual[len(w.factor.Residual)-g+i]
			if w.own[i] = e; e < coarsest*v { // mostly rounding
				w.own[i] = 0
			}
		}
	}
}

// sign is the factor of V' V in the covariance.
func (w *conditioning) sign(s *conditioned) float64 {
	if w.noise == CLT {
		return -1
	}
	return s.c
}

// column writes the posterior covariances, summed over the samples, of the i-th of the points that
// were given to at with all of them.
func (w *conditioning) column(dst, points []float64, i int) {
	g, dim := len(dst), w.model.dim
	clear(dst)
	if w.noise == CLT {
		w.g.prior(dst, points[i*dim:(i+1)*dim], points)
		for j, v := range w.own {
			if dst[j] *= float64(len(w.samples)); v == 0 {
				dst[j] = 0
			}
		}
	}
	for _, s := range w.samples {
		lowrank.Combine(dst, w.sign(s), w.gather(s.v, i, g), s.v)
	}
}

// gather returns element i of every row of g elements.
func (w *conditioning) gather(a []float64, i, g int) []float64 {
	w.buf = w.buf[:0]
	for ; i < len(a); i += g {
		w.buf = append(w.buf, a[i])
	}
	return w.buf
}

// addSquares adds to dst scale times the squares of the rows of a.
func addSquares(dst []float64, scale float64, a []float64) {
	for len(a) > 0 {
		for i, v := range a[:len(dst)] {
			dst[i] += scale * v * v
		}
		a = a[len(dst):]
	}
}

// trace returns that of an n x n matrix.
func trace(a []float64, n int) float64 {
	sum := 0.0
	for i := range n {
		sum += a[i*n+i]
	}
	return sum
}

// centre subtracts the mean of x from it, and returns it.
func centre(x []float64) float64 {
	mean := 0.0
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for i := range x {
		x[i] -= mean
	}
	return mean
}

// resize returns a slice of n elements, of any values, in the memory of s if there is enough.
func resize(s []float64, n int) []float64 {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]float64, n)
}

// root factors the sum over the samples of the posterior covariances at the points that were given
// to at, which are of low rank.
func (w *conditioning) root(f *lowrank.Cholesky, points []float64) {
	w.diag = resize(w.diag, len(w.samples[0].vary))
	clear(w.diag)
	top := 0.0
	for _, s := range w.samples {
		for i, v := range s.vary {
			w.diag[i] += v
			top = max(top, w.diag[i])
		}
	}
	f.Factor(w.diag, max(rootTol*top, rootFloor*w.g.amp), func(dst []float64, i int) {
		w.column(dst, points, i)
	})
}

// The variance that draws may lack: in units of the largest one, and of that of the prior, whose
// rounding errors would otherwise pass for variance.
const (
	rootTol   = 1e-9
	rootFloor = 1e-13
)

func observationQuantiles(x []float64, m int) []float64 {
	sorted := rows.SortedColumn(x, 1, 0)
	var z []float64
	for l := 1; l <= m; l++ {
		z = append(z, rows.Quantile(sorted, 2*l-1, 2*m))
	}
	return slices.Compact(z)
}
