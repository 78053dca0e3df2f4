package engine

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"

	"bayeskernel/internal/density"
	"bayeskernel/priors"
)

// LKJ is the distribution of correlation matrices, or of their Cholesky factors.
type LKJ struct {
	Eta *Node
	// Whole says that the values are those of the matrix: of a parameter, its transform says so.
	Whole bool
}

func (d *LKJ) Name() string {
	if d.Whole {
		return "lkj_corr"
	}
	return "lkj_corr_cholesky"
}

func (d *LKJ) Arguments() []*Node                       { return []*Node{d.Eta} }
func (d *LKJ) Mapped(to func(*Node) *Node) Distribution { return &LKJ{to(d.Eta), d.Whole} }

// Densities is 1: the matrix has one density.
func (d *LKJ) Densities(int) int { return 1 }

func (d *LKJ) ForParameter(p Place) error {
	switch p.Transform.(type) {
	case priors.CorrCholesky:
	case priors.Correlation:
		d.Whole = true
	default:
		return fmt.Errorf("lkj_corr is the distribution of a Correlation or a CorrCholesky")
	}
	return nil
}

func (d *LKJ) ForValues(*Node, string) error {
	return fmt.Errorf("lkj_corr_cholesky is the distribution of parameters, not of data")
}

func (d *LKJ) Bind(c *Memory, y *Node) Term {
	t := &lkjTerm{eta: c.Value[d.Eta.ID], dEta: c.Adjoint[d.Eta.ID], at: math.NaN()}
	if y != nil {
		t.l, t.dl = c.Value[y.ID], c.Adjoint[y.ID]
		t.n = int(math.Sqrt(float64(len(t.l))) + 0.5)
	}
	if d.Whole {
		w := &wholeLKJ{lkjTerm: t, r: t.l, dr: t.dl}
		if y != nil {
			w.of = newFactored(t.n)
		}
		return w
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

func (t *lkjTerm) Add() float64 {
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

func (t *lkjTerm) Pointwise(out []float64) int {
	out[0] = t.Add()
	return 1
}

// Draw draws the partial correlations.
func (t *lkjTerm) Draw(r *rand.Rand, out []float64) {
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

// wholeLKJ is the density of the values below the diagonal of R = L L': eta - 1 times log |R|, with the
// derivative R⁻¹, and the same constant, which is that of the partial correlations.
type wholeLKJ struct {
	*lkjTerm
	r, dr []float64
	of    *factored
}

func (t *wholeLKJ) Add() float64 {
	eta := t.eta[0]
	if !(eta > 0) || !t.of.of(t.r) {
		return math.Inf(-1)
	}
	t.normalise(eta)
	if t.dEta != nil {
		t.dEta[0] += t.of.logDet + t.dNorm
	}
	if t.dr != nil && eta != 1 {
		t.of.invert()
		for i, v := range t.of.inv {
			t.dr[i] += (eta - 1) * v
		}
	}
	return t.norm + (eta-1)*t.of.logDet
}

func (t *wholeLKJ) Pointwise(out []float64) int {
	out[0] = t.Add()
	return 1
}

func (t *wholeLKJ) Draw(r *rand.Rand, out []float64) {
	n := int(math.Sqrt(float64(len(out))) + 0.5)
	l := make([]float64, len(out))
	t.lkjTerm.Draw(r, l)
	square(out, l, n)
	for i := range n {
		out[i*n+i] = 1
	}
}
