package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/density"
	"bayeskernel/priors"

	"gonum.org/v1/gonum/mathext"
)

// CorrCholesky declares the Cholesky factor of a correlation matrix of n rows: lower triangular, with
// rows of length 1. D is LKJ or Flat. Its n² values are recorded by rows.
func (m *Model) CorrCholesky(name string, n int, d Dist) Mat {
	where := caller()
	if n < 2 || n > 1000 {
		m.declareName(name, where)
		m.failAt(where, "%s: a correlation matrix of %s, want 2 to 1000", name, plural(n, "row"))
		return brokenMat(m, max(n, 1), max(n, 1), where)
	}
	e := m.block(name, n*n, false, nil, priors.CorrCholesky{}, -1, 1, d, where)
	e.about().cols = n
	return Mat{e, n, n}
}

// LKJ is the distribution of correlation matrices with density proportional to their determinant to
// the power eta - 1, for their Cholesky factor: with eta = 1 all matrices are equally probable, and
// the larger eta the smaller the correlations.
func LKJ[A Arg](eta A) Dist { return Dist{lkj{argumentOf(eta)}} }

type lkj struct{ eta argument }

func (lkj) name() string { return "lkj_corr_cholesky" }

func (d lkj) in(m *Model, of, where string) distribution {
	n := d.eta.in(m, where)
	switch {
	case about(n).broken:
		return nil
	case !n.Scalar:
		m.failAt(where, "%s: the eta of lkj_corr_cholesky has %s, want a number", of, sizeOf(n))
		return nil
	case n.Fixed && !density.Positive.Contains(n.Value[0]):
		m.failAt(where, "%s: the eta of lkj_corr_cholesky is %v, want %v", of, n.Value[0],
			density.Positive)
		return nil
	}
	return &lkjOf{n}
}

// lkjOf is the distribution in a model.
type lkjOf struct{ eta *Node }

func (d *lkjOf) name() string       { return "lkj_corr_cholesky" }
func (d *lkjOf) arguments() []*Node { return []*Node{d.eta} }

func (d *lkjOf) mapped(to func(*Node) *Node) distribution { return &lkjOf{to(d.eta)} }

// densities is 1: the matrix has one density.
func (d *lkjOf) densities(int) int { return 1 }

func (d *lkjOf) forParameter(p Place) error {
	if _, ok := p.Transform.(priors.CorrCholesky); !ok {
		return fmt.Errorf("lkj_corr_cholesky is the distribution of a CorrCholesky")
	}
	return nil
}

func (d *lkjOf) forValues(*Node, string) error {
	return fmt.Errorf("lkj_corr_cholesky is the distribution of parameters, not of data")
}

func (d *lkjOf) bind(c *memory, y *Node) term {
	t := &lkjTerm{eta: c.value[d.eta.ID], dEta: c.adjoint[d.eta.ID], at: math.NaN()}
	if y != nil {
		t.l, t.dl = c.value[y.ID], c.adjoint[y.ID]
		t.n = int(math.Sqrt(float64(len(t.l))) + 0.5)
	}
	return t
}

// lkjTerm is the density of the values below the diagonal of L, n x n. With rows and columns counted
// from 1 the partial correlations t_ij of column j are independent, (1 + t_ij)/2 having the
// distribution beta(a_j, a_j) with a_j = eta + (n-1-j)/2 (Lewandowski, Kurowicka and Joe 2009). In
// terms of L, whose entries have dL_ij/dt_ij = sqrt of the product of 1-t_ik² over k < j,
//
//	sum over i > 1 of (n - i + 2 eta - 2) log L_ii
//	- sum over j < n of (n-j) ((2 a_j - 1) log 2 + log B(a_j, a_j)).
//
// The derivative of log B(a, a) in a is 2 (digamma(a) - digamma(2a)).
type lkjTerm struct {
	n                int
	l, dl, eta, dEta []float64
	at, norm, dNorm  float64 // the second sum at eta = at
}

func (t *lkjTerm) normalise(eta float64) {
	if eta == t.at {
		return
	}
	t.at, t.norm, t.dNorm = eta, 0, 0
	for j := 1; j < t.n; j++ {
		a, c := eta+float64(t.n-1-j)/2, float64(t.n-j)
		t.norm -= c * ((2*a-1)*math.Ln2 + mathext.Lbeta(a, a))
		t.dNorm -= 2 * c * (math.Ln2 + density.Digamma(a) - density.Digamma(2*a))
	}
}

func (t *lkjTerm) add() float64 {
	eta := t.eta[0]
	if !(eta > 0) {
		return math.Inf(-1)
	}
	t.normalise(eta)
	lp, logs := t.norm, 0.0
	for i := 1; i < t.n; i++ {
		v, c := t.l[i*t.n+i], float64(t.n-1-i)+2*eta-2
		l := math.Log(v)
		if c != 0 {
			lp += c * l
			if t.dl != nil {
				t.dl[i*t.n+i] += c / v
			}
		}
		logs += l
	}
	if math.IsInf(lp, 1) {
		return math.Inf(-1) // an infinite density counts as outside the support
	}
	if t.dEta != nil {
		t.dEta[0] += 2*logs + t.dNorm
	}
	return lp
}

func (t *lkjTerm) pointwise(out []float64) int {
	out[0] = t.add()
	return 1
}

// draw draws the partial correlations.
func (t *lkjTerm) draw(r *rand.Rand, out []float64) {
	n := int(math.Sqrt(float64(len(out))) + 0.5)
	f := density.Beta()
	for i := range n {
		row, w := out[i*n:(i+1)*n], 1.0
		for j := range i {
			a := t.eta[0] + float64(n-2-j)/2
			p := f.Rand(r, &density.Params{a, a})
			row[j] = (2*p - 1) * w
			w *= 2 * math.Sqrt(p*(1-p))
		}
		row[i] = w
		clear(row[i+1:])
	}
}

// Effects declares correlated effects, such as an intercept and a slope, for each label: vectors with
// mean 0, standard deviations sd and the correlations of the Cholesky factor l. It returns one
// expression over the labels for each, the parameters name_1, name_2, ..., which are non-centred
// unless the option Centred is given.
//
// Each is declared given those before it: with z the standardised ones, L the rows of l,
//
//	b_i | b_1, ..., b_{i-1} ~ normal(sd_i (L_i1 z_1 + ... + L_i,i-1 z_{i-1}), sd_i L_ii).
func (f *Factor) Effects(name string, sd Expr, l Mat, o ...Option) []Expr {
	where, m := caller(), f.m
	broken := func(k int) []Expr {
		out := make([]Expr, max(k, 1))
		for i := range out {
			out[i] = Expr{m.brokenNode(where)}
		}
		return out
	}
	switch {
	case sd.node == nil || l.e.node == nil:
		m.failAt(where, "%s: an argument is an Expr that no model made", name)
		return broken(l.rows)
	case sd.about().broken || l.e.about().broken:
		return broken(l.rows)
	case l.rows != l.cols || sd.node.N != l.rows || sd.node.Scalar:
		m.failAt(where, "%s: %s for standard deviations and a Cholesky factor of %d rows of %d", name,
			sizeOf(sd.node), l.rows, l.cols)
		return broken(l.rows)
	}
	if slices.Contains(o, Centred) {
		o = nil
	} else {
		o = []Option{NonCentred}
	}
	var out, z []Expr
	for i := range l.rows {
		scale := sd.El(i).Mul(l.El(i, i))
		called := fmt.Sprintf("%s_%d", name, i+1)
		if i == 0 {
			out = append(out, f.Reals(called, Normal(0, scale), o...))
			z = append(z, out[0].Div(scale))
			continue
		}
		mean := l.El(i, 0).Mul(z[0])
		for j := 1; j < i; j++ {
			mean = mean.Add(l.El(i, j).Mul(z[j]))
		}
		mean = sd.El(i).Mul(mean)
		b := f.Reals(called, Normal(mean, scale), o...)
		out = append(out, b)
		if i+1 < l.rows {
			z = append(z, b.Sub(mean).Div(scale))
		}
	}
	return out
}
