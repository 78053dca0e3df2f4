package model

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/density"
)

// OrderedLogistic is the distribution of one of K ordered categories, coded 1 to K: category k has the
// probability that eta plus a logistic error lies between cutpoint k-1 and cutpoint k. Cutpoints has
// K-1 values in increasing order: see Model.Ordered.
func OrderedLogistic[A Arg](eta A, cutpoints Expr) Dist {
	return Dist{ordinal{argumentOf(eta), cutpoints, false}}
}

// OrderedProbit has a normal error.
func OrderedProbit[A Arg](eta A, cutpoints Expr) Dist {
	return Dist{ordinal{argumentOf(eta), cutpoints, true}}
}

type ordinal struct {
	eta    argument
	cuts   Expr
	probit bool
}

func (d ordinal) name() string { return (&ordinalOf{probit: d.probit}).name() }

func (d ordinal) in(m *Model, of, where string) distribution {
	eta, cuts := d.eta.in(m, where), argumentOf(d.cuts).in(m, where)
	if about(eta).broken || about(cuts).broken {
		return nil
	}
	if cuts.Fixed {
		for k := 1; k < cuts.N; k++ {
			if !(cuts.Value[k-1] < cuts.Value[k]) {
				m.failAt(where, "%s: the cutpoints of %s are %v, want them in increasing order", of, d.name(),
					cuts.Value)
				return nil
			}
		}
	}
	return &ordinalOf{eta, cuts, d.probit}
}

// ordinalOf is the distribution in a model.
type ordinalOf struct {
	eta, cuts *Node
	probit    bool
}

func (d *ordinalOf) name() string {
	if d.probit {
		return "ordered_probit"
	}
	return "ordered_logistic"
}

func (d *ordinalOf) arguments() []*Node { return []*Node{d.eta, d.cuts} }

func (d *ordinalOf) mapped(to func(*Node) *Node) distribution {
	return &ordinalOf{to(d.eta), to(d.cuts), d.probit}
}

func (d *ordinalOf) forParameter(Place) error {
	return fmt.Errorf("a parameter cannot have the discrete %s: sum it out, with LogSumExp", d.name())
}

func (d *ordinalOf) forValues(y *Node, name string) error {
	if !d.eta.Scalar && d.eta.N != y.N {
		return fmt.Errorf("the location of %s has %s and %s %s", d.name(), plural(d.eta.N, "value"), name,
			plural(y.N, "value"))
	}
	if err := dataOnly(y, name, d.name()); err != nil || y.Value == nil {
		return err
	}
	for i, v := range y.Value {
		if v != math.Floor(v) || v < 1 || v > float64(d.cuts.N+1) {
			return fmt.Errorf("%s[%d] is %v, want a whole number from 1 to %d: outside the support of %s",
				name, i+1, v, d.cuts.N+1, d.name())
		}
	}
	return nil
}

func (d *ordinalOf) bind(c *memory, y *Node) term {
	t := &ordinalTerm{between: density.LogisticBetween, probit: d.probit, eta: c.value[d.eta.ID],
		deta: c.adjoint[d.eta.ID], cuts: c.value[d.cuts.ID], dcuts: c.adjoint[d.cuts.ID]}
	if d.probit {
		t.between = density.NormalBetween
	}
	if !d.eta.Scalar {
		t.mask = -1
	}
	if y != nil {
		t.y = c.value[y.ID]
	}
	return t
}

// ordinalTerm: the log of F(c_k - eta) - F(c_{k-1} - eta).
type ordinalTerm struct {
	between            func(a, b float64) (l, da, db float64)
	probit             bool
	mask               int
	y                  []float64
	eta, deta          []float64
	cuts, dcuts        []float64
	lower, upper, mean float64 // derivatives of one value
}

// one is the log density of category k at location eta.
func (t *ordinalTerm) one(k int, eta float64) float64 {
	a, b := math.Inf(-1), math.Inf(1)
	if k > 1 {
		a = t.cuts[k-2] - eta
	}
	if k <= len(t.cuts) {
		b = t.cuts[k-1] - eta
	}
	l, da, db := t.between(a, b)
	t.lower, t.upper, t.mean = da, db, -da-db
	return l
}

func (t *ordinalTerm) add() float64 {
	lp := 0.0
	for i, v := range t.y {
		k := int(v)
		lp += t.one(k, t.eta[i&t.mask])
		if t.deta != nil {
			t.deta[i&t.mask] += t.mean
		}
		if t.dcuts != nil {
			if k > 1 {
				t.dcuts[k-2] += t.lower
			}
			if k <= len(t.cuts) {
				t.dcuts[k-1] += t.upper
			}
		}
	}
	return lp
}

func (t *ordinalTerm) pointwise(out []float64) int {
	for i, v := range t.y {
		out[i] = t.one(int(v), t.eta[i&t.mask])
	}
	return len(t.y)
}

func (t *ordinalTerm) draw(r *rand.Rand, out []float64) {
	for i := range out {
		out[i] = t.drawOne(r, i)
	}
}

// drawOne draws the error and looks where it falls.
func (t *ordinalTerm) drawOne(r *rand.Rand, i int) float64 {
	var e float64
	if t.probit {
		e = r.NormFloat64()
	} else {
		u := r.Float64()
		e = math.Log(u) - math.Log1p(-u)
	}
	e += t.eta[i&t.mask]
	k := 0
	for k < len(t.cuts) && e > t.cuts[k] {
		k++
	}
	return float64(k + 1)
}
