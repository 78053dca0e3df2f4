package model

import (
	"fmt"

	"bayeskernel/engine"
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
	if err := o.dist.ForValues(&engine.Node{N: n, Fixed: true}, name); err != nil {
		m.failAt(where, "%v", err)
		return Expr{m.brokenNode(where)}
	}
	o.drawn = m.add(&engine.Node{N: n},
		declaration{predicted: o, what: "prediction " + name, where: where})
	m.predictions = append(m.predictions, o)
	return Expr{o.drawn}
}

// predictedBy has, for each node, a prediction that it depends on, nil where there is none.
func (m *Model) predictedBy() []*observation {
	from := make([]*observation, len(m.graph.Nodes))
	for _, n := range m.graph.Nodes {
		from[n.ID] = about(n).predicted
		for _, a := range n.Args {
			if from[n.ID] == nil && about(a).m == m {
				from[n.ID] = from[a.ID]
			}
		}
	}
	return from
}

// usedTooEarly says what depends on predictions, which exist only once there are draws.
func (m *Model) usedTooEarly() []string {
	from := m.predictedBy()
	var wrong []string
	look := func(where, what string, nodes ...*engine.Node) {
		for _, n := range nodes {
			if n != nil && about(n).m == m && from[n.ID] != nil {
				wrong = append(wrong, fmt.Sprintf("%s: %s depends on the prediction %s: only what Predict "+
					"declares can", where, what, from[n.ID].name))
				return
			}
		}
	}
	for _, q := range m.parameters {
		nodes := []*engine.Node{q.shift, q.scale}
		if q.prior != nil {
			nodes = append(nodes, q.prior.Arguments()...)
		}
		look(q.where, "parameter "+q.name, nodes...)
	}
	for _, o := range m.observations {
		look(o.where, o.name, append([]*engine.Node{o.y}, o.dist.Arguments()...)...)
	}
	for _, o := range m.factored {
		look(o.where, o.name, append([]*engine.Node{o.y}, o.dist.Arguments()...)...)
	}
	for _, e := range m.densities {
		look(about(e).where, "the log density", e)
	}
	return wrong
}
