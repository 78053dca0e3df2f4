package engine

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/density"
	"bayeskernel/priors"
)

// Wishart is the distribution of covariance matrices of Dim rows: that of sums of DF squares of normal
// vectors with covariance Scale or, with Inverse, of their inverses, for normal vectors with covariance
// Scale⁻¹.
type Wishart struct {
	DF, Scale *Node
	Dim       int
	Inverse   bool
}

func (d *Wishart) Name() string {
	if d.Inverse {
		return "inv_wishart"
	}
	return "wishart"
}

func (d *Wishart) Arguments() []*Node { return []*Node{d.DF, d.Scale} }

func (d *Wishart) Mapped(to func(*Node) *Node) Distribution {
	return &Wishart{to(d.DF), to(d.Scale), d.Dim, d.Inverse}
}

// Densities is the number of matrices among n values.
func (d *Wishart) Densities(n int) int { return n / (d.Dim * d.Dim) }

func (d *Wishart) ForParameter(p Place) error {
	if _, ok := p.Transform.(priors.Covariance); !ok {
		return fmt.Errorf("%s is the distribution of a Covariance", d.Name())
	}
	if p.N != d.Dim*d.Dim {
		return fmt.Errorf("the scale of %s has %s and the parameter %v values", d.Name(),
			plural(d.Dim, "row"), p.N)
	}
	return nil
}

func (d *Wishart) ForValues(y *Node, name string) error {
	k := d.Dim * d.Dim
	if y.N%k != 0 {
		return fmt.Errorf("%s has %s, want matrices of %d for %s", name, plural(y.N, "value"), k, d.Name())
	}
	if !y.Fixed || y.Value == nil {
		return nil
	}
	f := newFactored(d.Dim)
	for at := 0; at < y.N; at += k {
		v := y.Value[at : at+k]
		for i := range v {
			if j := i%d.Dim*d.Dim + i/d.Dim; !(math.Abs(v[i]-v[j]) <= 1e-8*math.Abs(v[i])) {
				return fmt.Errorf("%s: matrix %d is not symmetric: %v and %v", name, at/k+1, v[i], v[j])
			}
		}
		if !f.of(v) {
			return fmt.Errorf("%s: matrix %d is not positive definite", name, at/k+1)
		}
	}
	return nil
}

func (d *Wishart) Bind(c *Memory, y *Node) Term {
	t := &wishartTerm{n: d.Dim, inverse: d.Inverse, df: c.Value[d.DF.ID], dDF: c.Adjoint[d.DF.ID],
		s: c.Value[d.Scale.ID], ds: c.Adjoint[d.Scale.ID], scale: newFactored(d.Dim)}
	if y != nil {
		t.y, t.dy = c.Value[y.ID], c.Adjoint[y.ID]
		t.of = newFactored(d.Dim)
		t.product, t.work = make([]float64, d.Dim*d.Dim), make([]float64, d.Dim)
	}
	return t
}

// wishartTerm is the density of matrices W of n rows. With nu degrees of freedom, S the scale and
// G the log of the multivariate gamma function at nu/2, that of the Wishart distribution is
//
//	(nu-n-1)/2 log |W| - tr(S⁻¹W)/2 - nu/2 log |S| - nu n/2 log 2 - G,
//
// with derivatives (nu-n-1)/2 W⁻¹ - S⁻¹/2 in W and (S⁻¹WS⁻¹ - nu S⁻¹)/2 in S; that of its inverse is
//
//	nu/2 log |S| - (nu+n+1)/2 log |W| - tr(SW⁻¹)/2 - nu n/2 log 2 - G,
//
// with derivatives (W⁻¹SW⁻¹ - (nu+n+1) W⁻¹)/2 in W and (nu S⁻¹ - W⁻¹)/2 in S. G is n (n-1)/4 log pi and
// the sum of log Gamma((nu-i)/2) over i < n (Gelman et al., Bayesian Data Analysis, appendix A).
type wishartTerm struct {
	n             int
	inverse       bool
	y, dy         []float64
	df, dDF       []float64
	s, ds         []float64
	scale, of     *factored
	product, work []float64
}

// norm is the part of the log density without W, and its derivative in the degrees of freedom but for
// what the scale adds; ok is false outside the support.
func (t *wishartTerm) norm() (lp, slope float64, ok bool) {
	nu, n := t.df[0], float64(t.n)
	if !(nu > n-1) || !t.scale.of(t.s) {
		return 0, 0, false
	}
	lp = -nu*n/2*math.Ln2 - n*(n-1)/4*math.Log(math.Pi)
	slope = -n / 2 * math.Ln2
	for i := range t.n {
		a := (nu - float64(i)) / 2
		g, _ := math.Lgamma(a)
		lp -= g
		slope -= density.Digamma(a) / 2
	}
	sign := -0.5
	if t.inverse {
		sign = 0.5
	}
	return lp + sign*nu*t.scale.logDet, slope + sign*t.scale.logDet, true
}

// kernel is the part with W, whose inverse and that of the scale are at hand, and its derivative in
// the degrees of freedom.
func (t *wishartTerm) kernel(w []float64) (lp, slope float64) {
	nu, n := t.df[0], float64(t.n)
	if t.inverse {
		return -(nu+n+1)/2*t.of.logDet - trace(t.s, t.of.inv)/2, -t.of.logDet / 2
	}
	return (nu-n-1)/2*t.of.logDet - trace(t.scale.inv, w)/2, t.of.logDet / 2
}

func (t *wishartTerm) Add() float64 {
	norm, slope, ok := t.norm()
	if !ok {
		return math.Inf(-1)
	}
	t.scale.invert()
	lp, nu, k := 0.0, t.df[0], t.n*t.n
	for at := 0; at < len(t.y); at += k {
		w := t.y[at : at+k]
		if !t.of.of(w) {
			return math.Inf(-1)
		}
		t.of.invert()
		l, rise := t.kernel(w)
		lp += norm + l
		if t.dDF != nil {
			t.dDF[0] += slope + rise
		}
		if t.dy != nil {
			dy := t.dy[at : at+k]
			if t.inverse {
				sandwich(t.product, t.of.inv, t.s, t.work, t.n)
			}
			for i, v := range t.of.inv {
				if t.inverse {
					dy[i] += (t.product[i] - (nu+float64(t.n)+1)*v) / 2
				} else {
					dy[i] += ((nu-float64(t.n)-1)*v - t.scale.inv[i]) / 2
				}
			}
		}
		if t.ds != nil {
			if !t.inverse {
				sandwich(t.product, t.scale.inv, w, t.work, t.n)
			}
			for i, v := range t.scale.inv {
				if t.inverse {
					t.ds[i] += (nu*v - t.of.inv[i]) / 2
				} else {
					t.ds[i] += (t.product[i] - nu*v) / 2
				}
			}
		}
	}
	return lp
}

func (t *wishartTerm) Pointwise(out []float64) int {
	norm, _, ok := t.norm()
	if ok {
		t.scale.invert()
	}
	k := t.n * t.n
	rows := len(t.y) / k
	for r := range rows {
		out[r] = math.Inf(-1)
		if w := t.y[r*k : (r+1)*k]; ok && t.of.of(w) {
			t.of.invert()
			l, _ := t.kernel(w)
			out[r] = norm + l
		}
	}
	return rows
}

// Draw follows Bartlett: A lower triangular with normal values below a diagonal of square roots of
// chi-square values with nu, nu-1, ... degrees of freedom has A A' ~ wishart(nu, I). With S = L L', L A
// is a root of the draw, and L A'⁻¹ one of the inverse distribution.
func (t *wishartTerm) Draw(r *rand.Rand, out []float64) {
	n, f := t.n, density.ChiSquare()
	if !t.scale.of(t.s) {
		fill(out, math.NaN())
		return
	}
	a, root, l := make([]float64, n*n), make([]float64, n*n), t.scale.l
	for ; len(out) >= n*n; out = out[n*n:] {
		for i := range n {
			for j := range i {
				a[i*n+j] = r.NormFloat64()
			}
			a[i*n+i] = math.Sqrt(f.Rand(r, &density.Params{t.df[0] - float64(i)}))
		}
		if t.inverse {
			for i := range n {
				row := make([]float64, n)
				copy(row, l[i*n:i*n+i+1])
				forwardSolve(root[i*n:(i+1)*n], a, row)
			}
		} else {
			for i := range n {
				for j := range n {
					root[i*n+j] = 0
					for k := j; k <= i; k++ {
						root[i*n+j] += l[i*n+k] * a[k*n+j]
					}
				}
			}
		}
		square(out[:n*n], root, n)
	}
}

// square writes a a' into dst.
func square(dst, a []float64, n int) {
	for i := range n {
		for j := range n {
			t := 0.0
			for k, v := range a[i*n : (i+1)*n] {
				t += v * a[j*n+k]
			}
			dst[i*n+j] = t
		}
	}
}
