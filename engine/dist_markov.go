package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Markov is the distribution of chains of states, coded 1 to K, one after the other: the first state
// of each has the probabilities Initial, and after state j the next one has those of row j of
// Transition.
type Markov struct {
	Initial    *Node // K probabilities, or a row of K for each chain
	Transition *Node // K rows of K, or so many for each value: those that lead to it
	K          int
	Lengths    []int // of the chains; nil for one
}

func (d *Markov) Name() string       { return "markov" }
func (d *Markov) Arguments() []*Node { return []*Node{d.Initial, d.Transition} }

func (d *Markov) Mapped(to func(*Node) *Node) Distribution {
	return &Markov{to(d.Initial), to(d.Transition), d.K, d.Lengths}
}

func (d *Markov) ForParameter(Place) error {
	return fmt.Errorf("a parameter cannot have the discrete markov: declare it with Latent")
}

// Chains are the lengths of the chains of n values.
func (d *Markov) Chains(n int) []int {
	if d.Lengths == nil {
		return []int{n}
	}
	return d.Lengths
}

func (d *Markov) ForValues(y *Node, name string) error {
	n := 0
	for _, l := range d.Chains(y.N) {
		if l < 1 {
			return fmt.Errorf("%s: a chain of %s, want at least one", name, plural(l, "value"))
		}
		n += l
	}
	switch k, chains := d.K, len(d.Chains(y.N)); {
	case n != y.N:
		return fmt.Errorf("%s has %s, and the chains %d together", name, plural(y.N, "value"), n)
	case d.Initial.N != k && d.Initial.N != chains*k:
		return fmt.Errorf("%s: %s of initial states of %d, want one for each of %s or one for all", name,
			plural(d.Initial.N/k, "row"), k, plural(chains, "chain"))
	case d.Transition.N != k*k && d.Transition.N != n*k*k:
		return fmt.Errorf("%s: %s of transitions between %d states, want %d or, with transitions for each "+
			"value, %d", name, plural(d.Transition.N/k, "row"), k, k, n*k)
	}
	if err := dataOnly(y, name, d.Name()); err != nil || y.Value == nil {
		return err
	}
	for i, v := range y.Value {
		if v != math.Floor(v) || v < 1 || v > float64(d.K) {
			return fmt.Errorf("%s[%d] is %v, want a whole number from 1 to %d: outside the support of %s",
				name, i+1, v, d.K, d.Name())
		}
	}
	return nil
}

func (d *Markov) Bind(c *Memory, y *Node) Term {
	t := &markovTerm{Markov: d, initial: c.Value[d.Initial.ID], trans: c.Value[d.Transition.ID],
		dInitial: c.Adjoint[d.Initial.ID], dTrans: c.Adjoint[d.Transition.ID]}
	if y != nil {
		t.y = c.Value[y.ID]
	}
	return t
}

type markovTerm struct {
	*Markov
	y                []float64
	initial, trans   []float64
	dInitial, dTrans []float64
}

// row is where the probabilities of value i of chain q begin, and whether they are among the initial
// ones. Before is the value before it.
func (t *markovTerm) row(q, i, place int, before float64) (at int, initial bool) {
	if place == 0 {
		if len(t.initial) > t.K {
			return q * t.K, true
		}
		return 0, true
	}
	at = (int(before) - 1) * t.K
	if len(t.trans) > t.K*t.K {
		at += i * t.K * t.K
	}
	return at, false
}

// each calls do with the places of the probabilities of all values.
func (t *markovTerm) each(y []float64, do func(i, at int, initial bool)) {
	i := 0
	for q, n := range t.Chains(len(y)) {
		for place := range n {
			before := 0.0
			if place > 0 {
				before = y[i-1]
			}
			at, initial := t.row(q, i, place, before)
			do(i, at, initial)
			i++
		}
	}
}

func (t *markovTerm) Add() float64 {
	lp := 0.0
	t.each(t.y, func(i, at int, initial bool) {
		at += int(t.y[i]) - 1
		p, d := t.trans, t.dTrans
		if initial {
			p, d = t.initial, t.dInitial
		}
		lp += math.Log(p[at])
		if d != nil {
			d[at] += 1 / p[at]
		}
	})
	return lp
}

func (t *markovTerm) Pointwise(out []float64) int {
	t.each(t.y, func(i, at int, initial bool) {
		p := t.trans
		if initial {
			p = t.initial
		}
		out[i] = math.Log(p[at+int(t.y[i])-1])
	})
	return len(t.y)
}

func (t *markovTerm) Draw(r *rand.Rand, out []float64) {
	t.each(out, func(i, at int, initial bool) {
		p := t.trans
		if initial {
			p = t.initial
		}
		k := pickState(r.Float64(), t.K, func(k int) float64 { return p[at+k] })
		out[i] = float64(k + 1)
	})
}
