package engine

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/density"
	"bayeskernel/priors"
)

// Dirichlet is the distribution of positive numbers with sum 1.
type Dirichlet struct{ Alpha *Node }

func (d *Dirichlet) Name() string                             { return "dirichlet" }
func (d *Dirichlet) Arguments() []*Node                       { return []*Node{d.Alpha} }
func (d *Dirichlet) Mapped(to func(*Node) *Node) Distribution { return &Dirichlet{to(d.Alpha)} }

// dim is the number of values of a vector among n.
func (d *Dirichlet) dim(n int) int {
	if d.Alpha.Scalar {
		return n
	}
	return d.Alpha.N
}

// Densities is the number of vectors among n values.
func (d *Dirichlet) Densities(n int) int { return n / d.dim(n) }

func (d *Dirichlet) ForParameter(p Place) error {
	if _, ok := p.Transform.(priors.Simplex); !ok {
		return fmt.Errorf("dirichlet is the distribution of a Simplex")
	}
	if k := d.dim(p.N); k != p.N {
		return fmt.Errorf("the alpha of dirichlet has %s and the parameter %s", plural(k, "value"),
			plural(p.N, "value"))
	}
	return nil
}

func (d *Dirichlet) ForValues(y *Node, name string) error {
	k := d.dim(y.N)
	if k < 2 || y.N%k != 0 {
		return fmt.Errorf("%s has %s, want vectors of %d, at least 2, for dirichlet", name,
			plural(y.N, "value"), k)
	}
	if !y.Fixed || y.Value == nil {
		return nil
	}
	for start := 0; start < y.N; start += k {
		if err := CheckProbabilities(y.Value[start:start+k], k); err != nil {
			return fmt.Errorf("%s: row %d: %v", name, start/k+1, err)
		}
	}
	return nil
}

func (d *Dirichlet) Bind(c *Memory, y *Node) Term {
	t := &dirichletTerm{alpha: c.Value[d.Alpha.ID], dAlpha: c.Adjoint[d.Alpha.ID], dim: d.Alpha.N}
	if d.Alpha.Scalar {
		t.dim = 0
	}
	if y != nil {
		t.y, t.dy = c.Value[y.ID], c.Adjoint[y.ID]
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

func (t *dirichletTerm) Add() float64 {
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

func (t *dirichletTerm) Pointwise(out []float64) int {
	k := t.size(len(t.y))
	norm, rows := density.DirichletNorm(t.alpha, k), len(t.y)/k
	for r := range rows {
		out[r] = norm + density.DirichletKernel(t.y[r*k:(r+1)*k], t.alpha, nil, nil)
	}
	return rows
}

func (t *dirichletTerm) Draw(r *rand.Rand, out []float64) {
	k := t.size(len(out))
	for ; len(out) >= k; out = out[k:] {
		density.DirichletRand(r, out[:k], t.alpha)
	}
}
