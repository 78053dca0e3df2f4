package engine

import (
	"math/rand/v2"

	"bayeskernel/priors"
)

// Distribution is a distribution whose arguments are nodes.
type Distribution interface {
	Name() string
	Arguments() []*Node
	// ForParameter and ForValues say why a parameter, or observed values, cannot have it.
	ForParameter(p Place) error
	ForValues(y *Node, name string) error
	// Mapped returns the distribution with other nodes for its arguments.
	Mapped(to func(*Node) *Node) Distribution
	// Bind makes the term of the density of values; with y nil, one that can only draw.
	Bind(c *Memory, y *Node) Term
}

// Place is what a distribution is told of the parameter that has it: its values, the transform that
// makes them of unconstrained coordinates, and their support.
type Place struct {
	N         int
	Transform priors.Transform
	Lo, Hi    float64
	Moved     bool // the values are shift + scale times what the transform makes
	Between   bool // the values lie between two expressions, which are the ends of the distribution
}

// Joint is a distribution of vectors: values that have a density together.
type Joint interface {
	Distribution
	// Densities returns how many of them n values have.
	Densities(n int) int
}

// Term is the log density of values, bound to the memory of one chain.
type Term interface {
	Root
	// Pointwise writes the log density of each value; of values that have no density of their own,
	// that of all into the first, and it returns how many it wrote.
	Pointwise(out []float64) int
	// Draw writes values drawn from the distribution.
	Draw(r *rand.Rand, out []float64)
}

// ImpliedRows is the number of values that the arguments of a distribution of single values are for.
// It is 0 if they are numbers or the distribution is of vectors.
func ImpliedRows(d Distribution) int {
	switch d := d.(type) {
	case *Conditional:
		return d.Op.M
	case *Categorical:
		if d.P.N == d.K {
			return 0
		}
		return d.P.N / d.K
	case *Markov:
		if k2 := d.K * d.K; d.Transition.N > k2 {
			return d.Transition.N / k2
		}
		return 0
	case Joint:
		return 0
	}
	args, ahead := d.Arguments(), 0
	switch d := d.(type) {
	case *Series:
		args, ahead = d.Step.Arguments(), d.Coef.N
	case *Mixture:
		if d.Rows > 0 {
			return d.Rows
		}
		args = args[1:] // the weights are for the parts
	case *Ordinal:
		args = args[:1] // the cutpoints are for the categories
	}
	for _, a := range args {
		if !a.Scalar {
			return ahead + a.N
		}
	}
	return 0
}

// Exactly is the distribution of a quantity that depends on predictions: that value, and no other.
type Exactly struct{ E *Node }

func (d *Exactly) Name() string                             { return "exactly" }
func (d *Exactly) Arguments() []*Node                       { return []*Node{d.E} }
func (d *Exactly) ForParameter(Place) error                 { panic("engine: unreachable") }
func (d *Exactly) ForValues(*Node, string) error            { return nil }
func (d *Exactly) Bind(c *Memory, _ *Node) Term             { return exactTerm{c.Value[d.E.ID]} }
func (d *Exactly) Mapped(to func(*Node) *Node) Distribution { return &Exactly{to(d.E)} }

type exactTerm struct{ value []float64 }

func (t exactTerm) Add() float64                     { panic("engine: unreachable") }
func (t exactTerm) Pointwise([]float64) int          { panic("engine: unreachable") }
func (t exactTerm) Draw(_ *rand.Rand, out []float64) { copy(out, t.value) }
