package model

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/engine"
)

// latent is a vector of whole numbers that are summed out.
type latent struct {
	name   string
	node   *engine.Node
	dist   engine.Distribution
	lo     int // the first state
	states int
	where  string
	chance []*chance
}

// chance is a node whose values are the posterior probabilities of a state.
type chance struct {
	node  *engine.Node
	state int // counted from 0
}

// Latent declares n whole numbers that nobody observed: the parts of a mixture that values come from,
// the states of a hidden Markov model, a change point. They are not sampled. Compile sums the density
// over all their states, exactly, and Program.Predictive draws them back, given the data.
//
// The distribution has finitely many states: Bernoulli, Binomial, BetaBinomial, Categorical,
// OrderedLogistic and OrderedProbit have; Markov makes chains; Poisson and other counts have once they
// are truncated (Truncate). Its arguments may depend on latents declared before.
//
// A latent goes into distributions of data, of other latents and of parameters, and into AddLogDensity.
// It chooses (Pick), compares (Is, Above, If), or is a number in arithmetic. An expression of
// it that none of these needs, such as their sum, can be recorded (Quantity), and so can probabilities
// (Probability).
//
// Latents that do not depend on each other are summed one by one, chains by the forward algorithm,
// and others by eliminating one after the other. The cost is that of the largest table of the states
// of latents that depend on each other; where it is too large, Compile says how large.
func (m *Model) Latent(name string, n int, d Dist) Expr {
	where := caller()
	m.declareName(name, where)
	if !m.someValues(name, n, where) {
		return Expr{m.brokenNode(where)}
	}
	dist := d.in(m, name, where)
	if dist == nil {
		return Expr{m.brokenNode(where)}
	}
	l := &latent{name: name, dist: dist, where: where}
	err := l.support()
	if err == nil {
		err = dist.ForValues(&engine.Node{N: n, Fixed: true}, name)
	}
	if err != nil {
		m.failAt(where, "%s: %v", name, err)
		return Expr{m.brokenNode(where)}
	}
	l.node = m.add(&engine.Node{N: n}, declaration{latent: l, summed: true, states: true,
		what: "latent " + name, where: where})
	m.latents = append(m.latents, l)
	return Expr{l.node}
}

// support finds the states.
func (l *latent) support() error {
	lo, hi := 1, 0
	switch d := l.dist.(type) {
	case *engine.Categorical:
		hi = d.K
	case *engine.Markov:
		hi = d.K
	case *engine.Ordinal:
		hi = d.Cuts.N + 1
	case *engine.Univariate:
		a, b := d.FiniteSupport()
		if !d.Family.Discrete || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsNaN(b) {
			return fmt.Errorf("%s has infinitely many states, want finitely many: whole numbers, and those "+
				"without end cut off by Truncate", d.Name())
		}
		if b-a >= engine.MostTable {
			return fmt.Errorf("%s has %v states, want at most %d", d.Name(), b-a+1, engine.MostTable)
		}
		lo, hi = int(a), int(b)
	default:
		return fmt.Errorf("a latent cannot have the distribution %s", d.Name())
	}
	if l.lo, l.states = lo, hi-lo+1; l.states < 1 {
		return fmt.Errorf("%s has no states", l.dist.Name())
	}
	return nil
}

// latentOf finds the latent whose values, or some of them, a node has.
func latentOf(n *engine.Node) *latent {
	if l := about(n).latent; l != nil {
		return l
	}
	switch n.Op.(type) {
	case engine.View, engine.Gather:
		return latentOf(n.Args[0])
	}
	return nil
}

// statesOf returns the first state that an index may have, and the number of states: of a latent, or
// of a condition, 0 or 1.
func (m *Model) statesOf(name string, z Expr, where string) (lo, states int, ok bool) {
	if z.about().broken {
		return 0, 0, false
	}
	if _, is := z.node.Op.(engine.Indicator); is {
		return 0, 2, true
	}
	l := latentOf(z.node)
	if l == nil {
		m.failAt(where, "%s: %s is no latent, nor part of one", name, formula(z.node))
		return 0, 0, false
	}
	return l.lo, l.states, true
}

// Pick returns, for each value of a latent, the value of e that goes with its state: e has as many
// values as the latent has states, in their order.
func (e Expr) Pick(z Expr) Expr {
	where := caller()
	m := model("Pick", where, e, z)
	if m == nil {
		return nowhere("Pick", where)
	}
	lo, states, ok := m.statesOf("Pick", z, where)
	if !ok || e.about().broken {
		return Expr{m.brokenNode(where)}
	}
	if e.node.N != states {
		m.failAt(where, "Pick: %s from %s for the %d states of %s", plural(e.node.N, "value"),
			labelOf(e.node), states, formula(z.node))
		return Expr{m.brokenNode(where)}
	}
	op := engine.Pick{Lo: lo, Width: 1}
	out := m.apply("Pick", op, z.node.N, z.node.Scalar, where, e.node, z.node)
	about(out).over = z.about().over
	return Expr{out}
}

// Pick returns a matrix with a row for each value of a latent: the one that goes with its state. The
// matrix has as many rows as the latent has states.
func (a Mat) Pick(z Expr) Mat {
	where := caller()
	m := model("Pick", where, a.e, z)
	if m == nil {
		return Mat{nowhere("Pick", where), max(z.Len(), 1), a.cols}
	}
	lo, states, ok := m.statesOf("Pick", z, where)
	if !ok || a.e.about().broken {
		return brokenMat(m, z.node.N, a.cols, where)
	}
	if a.rows != states {
		m.failAt(where, "Pick: %s of %s for the %d states of %s", plural(a.rows, "row"), labelOf(a.e.node),
			states, formula(z.node))
		return brokenMat(m, z.node.N, a.cols, where)
	}
	op := engine.Pick{Lo: lo, Width: a.cols}
	return Mat{Expr{m.apply("Pick", op, z.node.N*a.cols, false, where, a.e.node, z.node)}, z.node.N, a.cols}
}

// PickEl returns, for the values of two latents, the value of the matrix in the row that goes with the
// first and the column that goes with the second.
func (a Mat) PickEl(row, col Expr) Expr {
	where := caller()
	m := model("PickEl", where, a.e, row, col)
	if m == nil {
		return nowhere("PickEl", where)
	}
	lo, states, ok := m.statesOf("PickEl", row, where)
	lo2, states2, ok2 := m.statesOf("PickEl", col, where)
	if !ok || !ok2 || a.e.about().broken {
		return Expr{m.brokenNode(where)}
	}
	r, c := row.node, col.node
	switch {
	case a.rows != states || a.cols != states2:
		m.failAt(where, "PickEl: %s has %d rows of %d for the %d states of %s and %d of %s",
			labelOf(a.e.node), a.rows, a.cols, states, formula(r), states2, formula(c))
		return Expr{m.brokenNode(where)}
	case !r.Scalar && !c.Scalar && r.N != c.N:
		m.failAt(where, "PickEl: %s from %s and %d from %s do not match", plural(r.N, "value"), formula(r),
			c.N, formula(c))
		return Expr{m.brokenNode(where)}
	}
	op := engine.Pick{Lo: lo, Width: 1, Lo2: lo2, Cols: a.cols}
	n := r.N
	if r.Scalar {
		n = c.N
	}
	return Expr{m.apply("PickEl", op, n, r.Scalar && c.Scalar, where, a.e.node, r, c)}
}

// Is is 1 where a latent is k, and 0 elsewhere.
func (e Expr) Is(k int) Expr {
	if e.node == nil {
		return nowhere("Is", caller())
	}
	return compare("Is", engine.IsEqual, e, e.about().m.Const(float64(k)))
}

// Above is 1 where e is larger than b, and 0 elsewhere. Both are made of latents and data.
func (e Expr) Above(b Expr) Expr { return compare("Above", engine.IsAbove, e, b) }

func compare(name string, op engine.Indicator, a, b Expr) Expr {
	where := caller()
	for _, e := range []Expr{a, b} {
		if e.node != nil && !e.about().broken && !e.node.Fixed && !e.about().states {
			e.about().m.failAt(where, "%s: %s depends on parameters, want latents and data", name,
				formula(e.node))
			return Expr{e.about().m.brokenNode(where)}
		}
	}
	return elementwise(name, op, a, b)
}

// If is then where condition is not 0, and otherwise elsewhere. Conditions are made of latents and
// data, see Is and Above.
func If[A, B Arg](condition Expr, then A, otherwise B) Expr {
	where := caller()
	if condition.node == nil {
		return nowhere("If", where)
	}
	m := condition.about().m
	args := []*engine.Node{condition.node, argumentOf(then).in(m, where), argumentOf(otherwise).in(m, where)}
	out := &engine.Node{N: 1, Scalar: true}
	for _, a := range args {
		switch {
		case about(a).broken:
			return Expr{m.brokenNode(where)}
		case a.Scalar:
		case out.Scalar:
			out.N, out.Scalar = a.N, false
		case a.N != out.N:
			m.failAt(where, "If: %s from %s and %d before it do not match", plural(a.N, "value"), formula(a),
				out.N)
			return Expr{m.brokenNode(where)}
		}
	}
	if c := condition; !c.node.Fixed && !c.about().states {
		m.failAt(where, "If: %s depends on parameters, want latents and data", formula(c.node))
		return Expr{m.brokenNode(where)}
	}
	return Expr{m.apply("If", engine.If{}, out.N, out.Scalar, where, args...)}
}

// Probability returns the posterior probabilities that the values of a latent are k, given the data
// and the parameters, for Quantity: Program.Predictive computes them. Their averages over the draws
// have less noise than the shares of draws of the latent that are k.
func (e Expr) Probability(k int) Expr {
	where := caller()
	if e.node == nil {
		return nowhere("Probability", where)
	}
	m := e.about().m
	l := e.about().latent
	switch {
	case e.about().broken:
		return Expr{m.brokenNode(where)}
	case l == nil:
		m.failAt(where, "Probability: %s is no latent as Latent returns it", formula(e.node))
		return Expr{m.brokenNode(where)}
	case k < l.lo || k >= l.lo+l.states:
		m.failAt(where, "Probability: %s has states from %d to %d, not %d", l.name, l.lo, l.lo+l.states-1, k)
		return Expr{m.brokenNode(where)}
	}
	name := fmt.Sprintf("probability of %s = %d", l.name, k)
	n := m.add(&engine.Node{N: l.node.N}, declaration{what: name, where: where,
		predicted: &observation{name: name, n: l.node.N, where: where}})
	l.chance = append(l.chance, &chance{n, k - l.lo})
	return Expr{n}
}

// Markov is the distribution of a chain of states, coded 1 to K: the first has the initial
// probabilities, and after state j the next one has those of row j of the transition probabilities. With
// n times K rows these differ from value to value: from row t K on are those that lead to value t,
// counted from 0, and the first K are not looked at. For several chains see Dist.Chains.
func Markov[A Rows](initial A, transition Mat) Dist {
	return Dist{markov{initial: rowsOf(initial), transition: transition}}
}

// Chains returns the Markov distribution of chains of these lengths, one after the other. Its initial
// probabilities are the same for all, or a matrix with a row for each.
func (d Dist) Chains(lengths ...int) Dist {
	k, ok := d.d.(markov)
	if !ok {
		return Dist{refused{d, "has no chains: only Markov has"}}
	}
	k.lengths = slices.Clone(lengths)
	return Dist{k}
}

type markov struct {
	initial    rowsArgument
	transition Mat
	lengths    []int
}

func (markov) name() string { return "markov" }

func (d markov) in(m *Model, of, where string) engine.Distribution {
	if d.transition.e.node == nil || d.transition.e.about().m != m {
		m.failAt(where, "%s: the transitions of markov are of no model or of another one", of)
		return nil
	}
	initial, k := d.initial.in(m, of, "markov", where)
	if k == 0 || d.transition.e.about().broken {
		return nil
	}
	if d.transition.cols != k || d.transition.rows%k != 0 {
		m.failAt(where, "%s: %d initial states and transitions of %d rows of %d, want rows of %d, and %d or a "+
			"multiple of them", of, k, d.transition.rows, d.transition.cols, k, k)
		return nil
	}
	for _, n := range []*engine.Node{initial, d.transition.e.node} {
		if n.Fixed {
			if err := engine.CheckProbabilities(n.Value, k); err != nil {
				m.failAt(where, "%s: markov: %v", of, err)
				return nil
			}
		}
	}
	return &engine.Markov{Initial: initial, Transition: d.transition.e.node, K: k, Lengths: d.lengths}
}
