package engine

import (
	"math"
	"slices"
)

// Density is a log density, a sum of terms. Rewrites compute some of them in another way than declared.
type Density struct {
	Terms   []Part
	Subst   map[*Node]*Node // what rewrites put in the place of nodes
	Rewrote []Rewritten

	graph *Graph
	off   map[Rewrite]struct{} // rewrites that are not wanted
	uses  map[*Node]int        // by how many nodes each is needed
	tried map[*Node]bool       // whether it is a sum
}

// NewDensity returns a density of nodes of g without terms yet. Some rewrites may be off.
func NewDensity(g *Graph, off map[Rewrite]struct{}) *Density {
	return &Density{graph: g, off: off, Subst: map[*Node]*Node{}, tried: map[*Node]bool{}}
}

// Part is a term of the log density before it is bound to the memory of a chain.
type Part interface {
	Nodes() []*Node // that it needs
	Root(c *Memory) Root
}

// Distributed is the log density of values Y, as declared.
type Distributed struct {
	Dist Distribution
	Y    *Node
}

func (d Distributed) Nodes() []*Node      { return append([]*Node{d.Y}, d.Dist.Arguments()...) }
func (d Distributed) Root(c *Memory) Root { return d.Dist.Bind(c, d.Y) }

// Added is a term that adds up the values of a node.
type Added struct{ E *Node }

func (a Added) Nodes() []*Node      { return []*Node{a.E} }
func (a Added) Root(c *Memory) Root { return &addedRoot{c.Value[a.E.ID], c.Adjoint[a.E.ID]} }

type addedRoot struct{ value, adjoint []float64 }

func (a *addedRoot) Add() float64 {
	lp := 0.0
	for i, v := range a.value {
		lp += v
		if a.adjoint != nil {
			a.adjoint[i]++
		}
	}
	return lp
}

// Bound is a log density in the memory of one chain.
type Bound struct {
	Evaluator
	roots []Root
}

// Bind gives terms of the density the memory of one chain, which computes them from inputs.
func (d *Density) Bind(terms []Part, inputs []*Node) *Bound {
	var wanted []*Node
	terms = slices.Clone(terms)
	for k, t := range terms {
		if s := d.sharded(t); s != nil {
			terms[k] = s
		}
		wanted = append(wanted, terms[k].Nodes()...)
	}
	b := &Bound{Evaluator: *NewEvaluator(len(d.graph.Nodes), Evaluation{Wanted: wanted, Inputs: inputs,
		Subst: d.Subst, Gradient: true})}
	for _, t := range terms {
		b.roots = append(b.roots, t.Root(&b.Memory))
	}
	return b
}

// Gradient returns the sum of lp and the terms at the values of the inputs, and leaves its
// derivatives in the adjoints of the inputs. Outside the support it returns -Inf.
func (b *Bound) Gradient(lp float64) float64 {
	b.Forward()
	clear(b.Adjoints)
	for _, r := range b.roots {
		l := r.Add()
		if math.IsInf(l, -1) || math.IsNaN(l) {
			return math.Inf(-1)
		}
		lp += l
	}
	b.Backward()
	return lp
}

// Fault finds out why there is no density at the values of the inputs: an operation that failed, or
// the first term that is -Inf or not a number.
func (b *Bound) Fault() (term int, value float64, err error) {
	b.Forward()
	for _, s := range b.Steps {
		if f, ok := s.(interface{ Failure() error }); ok && f.Failure() != nil {
			return 0, 0, f.Failure()
		}
	}
	for k, r := range b.roots {
		if l := r.Add(); math.IsInf(l, -1) || math.IsNaN(l) {
			return k, l, nil
		}
	}
	return 0, 0, nil
}
