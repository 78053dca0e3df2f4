package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/density"
	"bayeskernel/priors"
)

// Dirichlet is the distribution of positive numbers with sum 1: of a Simplex, or of data in rows.
// Alpha has a positive number for each, or is one number for all.
func Dirichlet[A Arg](alpha A) Dist { return Dist{dirichlet{argumentOf(alpha)}} }

type dirichlet struct{ alpha argument }

func (dirichlet) name() string { return "dirichlet" }

func (d dirichlet) in(m *Model, of, where string) distribution {
	n := d.alpha.in(m, where)
	if n.broken {
		return nil
	}
	if n.fixed {
		for _, v := range n.value {
			if !density.Positive.Contains(v) {
				m.failAt(where, "%s: the alpha of dirichlet is %v, want %v", of, v, density.Positive)
				return nil
			}
		}
	}
	return &dirichletOf{n}
}

// dirichletOf is the distribution in a model.
type dirichletOf struct{ alpha *node }

func (d *dirichletOf) name() string       { return "dirichlet" }
func (d *dirichletOf) arguments() []*node { return []*node{d.alpha} }

func (d *dirichletOf) mapped(to func(*node) *node) distribution { return &dirichletOf{to(d.alpha)} }

// dim is the number of values of a vector among n.
func (d *dirichletOf) dim(n int) int {
	if d.alpha.scalar {
		return n
	}
	return d.alpha.n
}

// densities is the number of vectors among n values.
func (d *dirichletOf) densities(n int) int { return n / d.dim(n) }

func (d *dirichletOf) forParameter(p *parameter) error {
	if _, ok := p.transform.(priors.Simplex); !ok {
		return fmt.Errorf("dirichlet is the distribution of a Simplex")
	}
	if k := d.dim(p.node.n); k != p.node.n {
		return fmt.Errorf("the alpha of dirichlet has %s and the parameter %s", plural(k, "value"),
			plural(p.node.n, "value"))
	}
	return nil
}

func (d *dirichletOf) forValues(y *node, name string) error {
	k := d.dim(y.n)
	if k < 2 || y.n%k != 0 {
		return fmt.Errorf("%s has %s, want vectors of %d, at least 2, for dirichlet", name,
			plural(y.n, "value"), k)
	}
	if !y.fixed || y.value == nil {
		return nil
	}
	for start := 0; start < y.n; start += k {
		if err := probabilities(y.value[start:start+k], k); err != nil {
			return fmt.Errorf("%s: row %d: %v", name, start/k+1, err)
		}
	}
	return nil
}

func (d *dirichletOf) bind(c *memory, y *node) term {
	t := &dirichletTerm{alpha: c.value[d.alpha.id], dAlpha: c.adjoint[d.alpha.id], dim: d.alpha.n}
	if d.alpha.scalar {
		t.dim = 0
	} else {
		t.mask = -1
	}
	if y != nil {
		t.y, t.dy = c.value[y.id], c.adjoint[y.id]
	}
	return t
}

// dirichletTerm is, with a the sum of alpha,
//
//	log Gamma(a) - sum of log Gamma(alpha_k) + sum of (alpha_k - 1) log y_k,
//
// with derivative digamma(a) - digamma(alpha_k) + log y_k in alpha_k.
type dirichletTerm struct {
	y, dy         []float64
	alpha, dAlpha []float64
	dim, mask     int // dim is 0 where alpha is one number
}

func (t *dirichletTerm) norm(k int) float64 {
	sum, logs := 0.0, 0.0
	for i := range k {
		a := t.alpha[i&t.mask]
		if !(a > 0) {
			return math.Inf(-1)
		}
		lg, _ := math.Lgamma(a)
		sum += a
		logs += lg
	}
	lg, _ := math.Lgamma(sum)
	return lg - logs
}

// size is the number of values of a vector among n.
func (t *dirichletTerm) size(n int) int {
	if t.dim == 0 {
		return n
	}
	return t.dim
}

func (t *dirichletTerm) add() float64 {
	k := t.size(len(t.y))
	norm := t.norm(k)
	if math.IsInf(norm, -1) {
		return norm
	}
	rows := float64(len(t.y) / k)
	lp := rows * norm
	for i, v := range t.y {
		at := i % k & t.mask
		l, e := math.Log(v), t.alpha[at]-1
		if e != 0 {
			if lp += e * l; math.IsInf(lp, 1) {
				return math.Inf(-1) // an infinite density counts as outside the support
			}
			if t.dy != nil {
				t.dy[i] += e / v
			}
		}
		if t.dAlpha != nil {
			t.dAlpha[at] += l
		}
	}
	if t.dAlpha == nil {
		return lp
	}
	sum := 0.0
	for i := range k {
		sum += t.alpha[i&t.mask]
	}
	both := density.Digamma(sum)
	for i := range k {
		t.dAlpha[i&t.mask] += rows * (both - density.Digamma(t.alpha[i&t.mask]))
	}
	return lp
}

func (t *dirichletTerm) pointwise(out []float64) int {
	k := t.size(len(t.y))
	norm, rows := t.norm(k), len(t.y)/k
	for r := range rows {
		out[r] = norm
		for i, v := range t.y[r*k : (r+1)*k] {
			if e := t.alpha[i&t.mask] - 1; e != 0 {
				out[r] += e * math.Log(v)
			}
		}
	}
	return rows
}

// draw divides gammas by their sum, in logs for the sake of small alpha.
func (t *dirichletTerm) draw(r *rand.Rand, out []float64) {
	k := t.size(len(out))
	for ; len(out) >= k; out = out[k:] {
		v := out[:k]
		for i := range v {
			v[i] = density.LogGamma(r, t.alpha[i&t.mask])
		}
		top, sum := slices.Max(v), 0.0
		for i := range v {
			v[i] = math.Exp(v[i] - top)
			sum += v[i]
		}
		for i := range v {
			v[i] /= sum
		}
	}
}
