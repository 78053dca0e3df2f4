package model

import "bayeskernel/engine"

// Rows is what distributions over K categories take: K values for all observations, or a matrix with
// a row of K for each.
type Rows interface{ []float64 | Expr | Mat }

// rowsArgument is a Rows before it is known to which model it belongs.
type rowsArgument struct {
	argument
	cols int // 0: one row
}

func rowsOf[A Rows](a A) rowsArgument {
	switch v := any(a).(type) {
	case []float64:
		return rowsArgument{argument: argumentOf(v)}
	case Expr:
		return rowsArgument{argument: argumentOf(v)}
	case Mat:
		return rowsArgument{argumentOf(v.e), v.cols}
	}
	panic("model: unreachable")
}

// in returns the node and the number of categories, 0 where something is wrong.
func (a rowsArgument) in(m *Model, of, name, where string) (n *engine.Node, k int) {
	n = a.argument.in(m, where)
	if about(n).broken {
		return n, 0
	}
	if k = a.cols; k == 0 {
		k = n.N
	}
	if k < 2 {
		m.failAt(where, "%s: %s with %s, want at least 2 categories", of, name, plural(k, "value"))
		return n, 0
	}
	return n, k
}

// Categorical is the distribution of one of K categories, coded 1 to K, with these probabilities,
// which must add up to 1.
func Categorical[A Rows](probabilities A) Dist {
	return Dist{categorical{rowsOf(probabilities), false}}
}

// CategoricalLogit has probabilities exp(x) divided by their sum.
func CategoricalLogit[A Rows](logits A) Dist { return Dist{categorical{rowsOf(logits), true}} }

// PartialCredit is the distribution of one of K ordered categories, coded 1 to K, of an answer that earns
// credit step by step: the log odds of category k + 1 against category k are eta - steps[k]. There are K - 1
// steps, the same for all rows. It is the partial credit model of item responses, and with eta the
// product of an ability and a discrimination the generalised one. Unlike the cutpoints of
// OrderedLogistic, steps need not be in order.
func PartialCredit(eta, steps Expr) Dist {
	sums := steps.CumSum()
	columns := []Expr{eta.Scale(0)}
	for k := range steps.Len() {
		columns = append(columns, eta.Scale(float64(k+1)).Sub(sums.El(k)))
	}
	return CategoricalLogit(Columns(columns...))
}

// Values returns the numbers of the labels, from 1, as data: they can be observed, as categories.
func (in *Index) Values() Expr {
	where := caller()
	v := make([]float64, len(in.at))
	for i, k := range in.at {
		v[i] = float64(k + 1)
	}
	if len(v) == 0 {
		return Expr{in.m.brokenNode(where)}
	}
	return Expr{in.m.add(&engine.Node{N: len(v), Value: v, Fixed: true},
		declaration{what: "data " + in.name, where: where})}
}

type categorical struct {
	p     rowsArgument
	logit bool
}

func (d categorical) name() string { return (&engine.Categorical{Logit: d.logit}).Name() }

func (d categorical) in(m *Model, of, where string) engine.Distribution {
	n, k := d.p.in(m, of, d.name(), where)
	if k == 0 {
		return nil
	}
	if n.Fixed && !d.logit {
		if err := engine.CheckProbabilities(n.Value, k); err != nil {
			m.failAt(where, "%s: %s: %v", of, d.name(), err)
			return nil
		}
	}
	return &engine.Categorical{P: n, K: k, Logit: d.logit}
}
