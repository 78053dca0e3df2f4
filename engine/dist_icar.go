package engine

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/priors"
)

// ICAR is the intrinsic conditional autoregression of n values on the nodes of a graph, with a
// sum near 0: with sd .001 n of the sum,
//
//	-(sum of (y_i - y_j)² over edges + (sum of y)²/sd²)/2 - n/2 log(2 pi) + log|P|/2,
//
// where P is the matrix of that quadratic form (Besag, York and Mollié 1991; Morris et al., Bayesian
// hierarchical spatial models, 2019).
type ICAR struct {
	N        int
	From, To []int
	chol     mat.Cholesky // of P
	norm     float64
}

// NewICAR wants a connected graph with edges between nodes that are counted from 0.
func NewICAR(n int, from, to []int) (*ICAR, error) {
	const most = 4000
	if n < 2 || n > most {
		return nil, fmt.Errorf("a graph of %d nodes, want 2 to %d", n, most)
	}
	if len(from) != len(to) {
		return nil, fmt.Errorf("%d nodes where edges begin and %d where they end", len(from), len(to))
	}
	part := make([]int, n) // the smallest known node that each hangs together with
	for i := range part {
		part[i] = i
	}
	root := func(i int) int {
		for part[i] != i {
			part[i] = part[part[i]]
			i = part[i]
		}
		return i
	}
	d := &ICAR{N: n, From: from, To: to}
	w := 1 / (d.sd() * d.sd())
	p := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			p.SetSym(i, j, w)
		}
	}
	for e, i := range from {
		j := to[e]
		if i < 0 || i >= n || j < 0 || j >= n || i == j {
			return nil, fmt.Errorf("edge %d is from %d to %d, want two nodes from 0 to %d", e+1, i, j, n-1)
		}
		p.SetSym(i, i, p.At(i, i)+1)
		p.SetSym(j, j, p.At(j, j)+1)
		p.SetSym(i, j, p.At(i, j)-1)
		part[root(i)] = root(j)
	}
	for i := range n {
		if root(i) != root(0) {
			return nil, fmt.Errorf("nodes 0 and %d are not connected, want one graph: declare each part by "+
				"itself", i)
		}
	}
	if !d.chol.Factorize(p) {
		return nil, fmt.Errorf("the precision matrix of the graph is singular")
	}
	d.norm = d.chol.LogDet()/2 - float64(n)*logSqrt2Pi
	return d, nil
}

func (d *ICAR) sd() float64 { return 0.001 * float64(d.N) }

func (d *ICAR) Name() string                          { return "icar" }
func (d *ICAR) Arguments() []*Node                    { return nil }
func (d *ICAR) Mapped(func(*Node) *Node) Distribution { return d }

// Densities is 1: the values have one density.
func (d *ICAR) Densities(int) int { return 1 }

func (d *ICAR) ForParameter(p Place) error {
	if t, ok := p.Transform.(priors.Interval); !ok || !math.IsInf(t.Lo, -1) || !math.IsInf(t.Hi, 1) {
		return fmt.Errorf("%s is for parameters that may be any number", d.Name())
	}
	return d.size(p.N, "the parameter")
}

func (d *ICAR) ForValues(y *Node, name string) error { return d.size(y.N, name) }

func (d *ICAR) size(n int, name string) error {
	if n != d.N {
		return fmt.Errorf("%s has %s and the graph of %s %s", name, plural(n, "value"), d.Name(),
			plural(d.N, "node"))
	}
	return nil
}

func (d *ICAR) Bind(c *Memory, y *Node) Term {
	t := &icarTerm{ICAR: d}
	if y != nil {
		t.y, t.dy = c.Value[y.ID], c.Adjoint[y.ID]
	}
	return t
}

type icarTerm struct {
	*ICAR
	y, dy []float64
}

func (t *icarTerm) Add() float64 {
	q, sum := 0.0, 0.0
	for e, i := range t.From {
		j := t.To[e]
		d := t.y[i] - t.y[j]
		q += d * d
		if t.dy != nil {
			t.dy[i] -= d
			t.dy[j] += d
		}
	}
	for _, v := range t.y {
		sum += v
	}
	s := sum / (t.sd() * t.sd())
	for i := range t.dy {
		t.dy[i] -= s
	}
	return t.norm - (q+sum*s)/2
}

func (t *icarTerm) Pointwise(out []float64) int {
	out[0] = t.Add()
	return 1
}

// Draw solves R x = z with P = R' R.
func (t *icarTerm) Draw(r *rand.Rand, out []float64) {
	var u mat.TriDense
	t.chol.UTo(&u)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	x := mat.NewVecDense(len(out), out)
	if err := x.SolveVec(&u, x); err != nil {
		fill(out, math.NaN())
	}
}
