package model

import (
	"math"

	"bayeskernel/engine"
)

// Program is a compiled model. It is safe to share.
type Program struct {
	m        *Model
	free     int // unconstrained coordinates
	density  *engine.Density
	called   []string // what each of its terms is, in messages
	priors   int      // so many of these, the first, are of parameters
	constant float64  // of the log density
	width    int      // recorded values
	// What the draws have, which for programs with other labels is less: names, and the number of
	// values by the name of a parameter or quantity.
	recorded []string
	sizes    map[string]int
	rewrote  []string             // what was rewritten, in words
	off      map[Rewrite]struct{} // rewrites that are not wanted
	held     []int                // observed values that are left out
	blocks   []*block             // of latents
	again    bool                 // it is the model of another program, with other data
	// Parameters whose centring is learned, and how many numbers describe it.
	effects     []*effect
	coordinates int
	not         func() (*Program, error) // with none of these centred
}

func (p *Program) evaluator(o engine.Evaluation) *engine.Evaluator {
	if o.Inputs == nil {
		o.Inputs = p.inputs()
	}
	return engine.NewEvaluator(p.ids(), o)
}

// inputs are the parameters.
func (p *Program) inputs() []*engine.Node {
	var out []*engine.Node
	for _, q := range p.m.parameters {
		out = append(out, q.node)
	}
	return out
}

// ids is the number of nodes.
func (p *Program) ids() int { return len(p.m.graph.Nodes) }

// transform writes the values of the parameters at x and returns log |det J|.
func (p *Program) transform(c *engine.Memory, x []float64) float64 {
	logJ := 0.0
	for _, q := range p.m.parameters {
		logJ += q.transform.Constrain(c.Value[q.node.ID], x[q.x:q.x+q.free])
	}
	return logJ
}

func allFinite(v []float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
