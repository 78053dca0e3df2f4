package model

import (
	"fmt"
	"math"
	"math/rand/v2"

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
	if about(n).broken {
		return nil
	}
	if n.Fixed {
		for _, v := range n.Value {
			if !density.Positive.Contains(v) {
				m.failAt(where, "%s: the alpha of dirichlet is %v, want %v", of, v, density.Positive)
				return nil
			}
		}
	}
	return &dirichletOf{n}
}

// dirichletOf is the distribution in a model.
type dirichletOf struct{ alpha *Node }

func (d *dirichletOf) name() string       { return "dirichlet" }
func (d *dirichletOf) arguments() []*Node { return []*Node{d.alpha} }

func (d *dirichletOf) mapped(to func(*Node) *Node) distribution { return &dirichletOf{to(d.alpha)} }

// dim is the number of values of a vector among n.
func (d *dirichletOf) dim(n int) int {
	if d.alpha.Scalar {
		return n
	}
	return d.alpha.N
}

// densities is the number of vectors among n values.
func (d *dirichletOf) densities(n int) int { return n / d.dim(n) }

func (d *dirichletOf) forParameter(p Place) error {
	if _, ok := p.Transform.(priors.Simplex); !ok {
		return fmt.Errorf("dirichlet is the distribution of a Simplex")
	}
	if k := d.dim(p.N); k != p.N {
		return fmt.Errorf("the alpha of dirichlet has %s and the parameter %s", plural(k, "value"),
			plural(p.N, "value"))
	}
	return nil
}

func (d *dirichletOf) forValues(y *Node, name string) error {
	k := d.dim(y.N)
	if k < 2 || y.N%k != 0 {
		return fmt.Errorf("%s has %s, want vectors of %d, at least 2, for dirichlet", name,
			plural(y.N, "value"), k)
	}
	if !y.Fixed || y.Value == nil {
		return nil
	}
	for start := 0; start < y.N; start += k {
		if err := probabilities(y.Value[start:start+k], k); err != nil {
			return fmt.Errorf("%s: row %d: %v", name, start/k+1, err)
		}
	}
	return nil
}

func (d *dirichletOf) bind(c *memory, y *Node) term {
	t := &dirichletTerm{alpha: c.value[d.alpha.ID], dAlpha: c.adjoint[d.alpha.ID], dim: d.alpha.N}
	if d.alpha.Scalar {
		t.dim = 0
	}
	if y != nil {
		t.y, t.dy = c.value[y.ID], c.adjoint[y.ID]
	}
	return t
}

// dirichletTerm is the density of vectors, one after the other.
type dirichletTerm struct {
	y, dy         []float64
	alpha, dAlpha []float64
	dim           int // 0 where alpha is one number
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
	norm := density.DirichletNorm(t.alpha, k)
	if math.IsInf(norm, -1) {
		return norm
	}
	lp := 0.0
	for start := 0; start < len(t.y); start += k {
		var dy []float64
		if t.dy != nil {
			dy = t.dy[start : start+k]
		}
		lp += norm + density.DirichletKernel(t.y[start:start+k], t.alpha, dy, t.dAlpha)
	}
	if t.dAlpha != nil {
		density.DirichletNormGrad(t.dAlpha, t.alpha, k, float64(len(t.y)/k))
	}
	return lp
}

func (t *dirichletTerm) pointwise(out []float64) int {
	k := t.size(len(t.y))
	norm, rows := density.DirichletNorm(t.alpha, k), len(t.y)/k
	for r := range rows {
		out[r] = norm + density.DirichletKernel(t.y[r*k:(r+1)*k], t.alpha, nil, nil)
	}
	return rows
}

func (t *dirichletTerm) draw(r *rand.Rand, out []float64) {
	k := t.size(len(out))
	for ; len(out) >= k; out = out[k:] {
		density.DirichletRand(r, out[:k], t.alpha)
	}
}
