package model

import (
	"fmt"
	"math/rand/v2"
)

// Predict declares n values with distribution d that were not observed: Program.Predictive draws
// them. The distributions of other predictions may depend on what it returns.
func (m *Model) Predict(name string, n int, d Dist) Expr {
	where := caller()
	m.declareName(name, where)
	if !m.someValues(name, n, where) {
		return Expr{m.brokenNode(where)}
	}
	o := &observation{name: name, n: n, where: where, dist: d.in(m, name, where)}
	if o.dist == nil {
		return Expr{m.brokenNode(where)}
	}
	if err := o.dist.forValues(&node{n: n, what: name}, name); err != nil {
		m.failAt(where, "%v", err)
		return Expr{m.brokenNode(where)}
	}
	o.drawn = m.add(&node{n: n, predicted: o, what: "prediction " + name, where: where})
	m.predictions = append(m.predictions, o)
	return Expr{o.drawn}
}

// predictedBy has, for each node, a prediction that it depends on, nil where there is none.
func (m *Model) predictedBy() []*observation {
	from := make([]*observation, len(m.nodes))
	for _, n := range m.nodes {
		from[n.id] = n.predicted
		for _, a := range n.args {
			if from[n.id] == nil && a.m == m {
				from[n.id] = from[a.id]
			}
		}
	}
	return from
}

// usedTooEarly says what depends on predictions, which exist only once there are draws.
func (m *Model) usedTooEarly() []string {
	from := m.predictedBy()
	var wrong []string
	look := func(where, what string, nodes ...*node) {
		for _, n := range nodes {
			if n != nil && n.m == m && from[n.id] != nil {
				wrong = append(wrong, fmt.Sprintf("%s: %s depends on the prediction %s: only what Predict "+
					"declares can", where, what, from[n.id].name))
				return
			}
		}
	}
	for _, q := range m.parameters {
		nodes := []*node{q.shift, q.scale}
		if q.prior != nil {
			nodes = append(nodes, q.prior.arguments()...)
		}
		look(q.where, "parameter "+q.name, nodes...)
	}
	for _, o := range m.observations {
		look(o.where, o.name, append([]*node{o.y}, o.dist.arguments()...)...)
	}
	for _, e := range m.densities {
		look(e.where, "the log density", e)
	}
	return wrong
}

// exactly is the distribution of a quantity that depends on predictions: that value, and no other.
type exactly struct{ e *node }

func (d *exactly) name() string                             { return "exactly" }
func (d *exactly) arguments() []*node                       { return []*node{d.e} }
func (d *exactly) forParameter(*parameter) error            { panic("model: unreachable") }
func (d *exactly) forValues(*node, string) error            { return nil }
func (d *exactly) bind(c *memory, _ *node) term             { return exactTerm{c.value[d.e.id]} }
func (d *exactly) mapped(to func(*node) *node) distribution { return &exactly{to(d.e)} }

type exactTerm struct{ value []float64 }

func (t exactTerm) add() float64                     { panic("model: unreachable") }
func (t exactTerm) pointwise([]float64) int          { panic("model: unreachable") }
func (t exactTerm) draw(_ *rand.Rand, out []float64) { copy(out, t.value) }
