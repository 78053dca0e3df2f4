package engine

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/density"
	"bayeskernel/internal/fused"
)

// Ordinal is the distribution of ordered categories, coded from 1, by the interval between cutpoints
// in which eta plus an error falls: a logistic one or, with Probit, a normal one.
type Ordinal struct {
	Eta, Cuts *Node
	Probit    bool
}

func (d *Ordinal) Name() string {
	if d.Probit {
		return "ordered_probit"
	}
	return "ordered_logistic"
}

func (d *Ordinal) Arguments() []*Node { return []*Node{d.Eta, d.Cuts} }

func (d *Ordinal) Mapped(to func(*Node) *Node) Distribution {
	return &Ordinal{to(d.Eta), to(d.Cuts), d.Probit}
}

func (d *Ordinal) ForParameter(Place) error {
	return fmt.Errorf("a parameter cannot have the discrete %s: sum it out, with LogSumExp", d.Name())
}

func (d *Ordinal) ForValues(y *Node, name string) error {
	if !d.Eta.Scalar && d.Eta.N != y.N {
		return fmt.Errorf("the location of %s has %s and %s %s", d.Name(), plural(d.Eta.N, "value"), name,
			plural(y.N, "value"))
	}
	if err := dataOnly(y, name, d.Name()); err != nil || y.Value == nil {
		return err
	}
	for i, v := range y.Value {
		if v != math.Floor(v) || v < 1 || v > float64(d.Cuts.N+1) {
			return fmt.Errorf("%s[%d] is %v, want a whole number from 1 to %d: outside the support of %s",
				name, i+1, v, d.Cuts.N+1, d.Name())
		}
	}
	return nil
}

func (d *Ordinal) Bind(c *Memory, y *Node) Term {
	t := &ordinalTerm{between: density.LogisticBetween, probit: d.Probit, eta: c.Value[d.Eta.ID],
		deta: c.Adjoint[d.Eta.ID], cuts: c.Value[d.Cuts.ID], dcuts: c.Adjoint[d.Cuts.ID]}
	if d.Probit {
		t.between = density.NormalBetween
	}
	if !d.Eta.Scalar {
		t.mask = -1
	}
	if y != nil {
		t.y = c.Value[y.ID]
		if !d.Probit {
			n := min(block, len(t.y))
			t.count = make([]float64, d.Cuts.N+2)
			t.a, t.b, t.e = make([]float64, n), make([]float64, n), make([]float64, n)
			t.f = make([]float64, n)
			for _, v := range t.y {
				t.count[int(v)]++
			}
		}
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

	// Of logistic errors: how often each category occurs, and a block of ends and exponentials.
	count      []float64
	a, b, e, f []float64
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

// addLogistic has the log of F(b) - F(a) as
//
//	log(1 - exp(a-b)) - log(1 + exp(-b)) - log(1 + exp a),
//
// whose first part depends on the category alone.
func (t *ordinalTerm) addLogistic() float64 {
	const end = 1000 // stands for infinity: its exponential is 0
	lp, last := 0.0, len(t.cuts)+1
	for k := 2; k < last; k++ {
		n, w := t.count[k], t.cuts[k-1]-t.cuts[k-2]
		if n == 0 {
			continue
		}
		if !(w > 0) {
			return math.Inf(-1)
		}
		lp += n * density.Log1mExp(-w)
		if t.dcuts != nil {
			v := n / math.Expm1(w)
			t.dcuts[k-2] -= v
			t.dcuts[k-1] += v
		}
	}
	product, logs, sum := 1.0, 0.0, 0.0
	for lo := 0; lo < len(t.y); lo += block {
		y := t.y[lo:min(lo+block, len(t.y))]
		a, b, e, f := t.a[:len(y)], t.b[:len(y)], t.e[:len(y)], t.f[:len(y)]
		for i, v := range y {
			k, eta := int(v), t.eta[(lo+i)&t.mask]
			a[i], b[i] = -end, end
			if k > 1 {
				a[i] = t.cuts[k-2] - eta
			}
			if k < last {
				b[i] = t.cuts[k-1] - eta
			}
			e[i], f[i] = math.Abs(a[i]), math.Abs(b[i])
			sum += (e[i] + a[i] + f[i] - b[i]) / 2 // max(a, 0) + max(-b, 0)
		}
		if !(math.Abs(sum) <= math.MaxFloat64) {
			return math.Inf(-1)
		}
		fused.ExpNeg(e, e, 1)
		fused.ExpNeg(f, f, 1)
		for i, v := range y {
			u, w := 1+e[i], 1+f[i]
			if q := product * u * w; q < largeProduct {
				product = q
			} else {
				product, logs = carry(product, u*w, logs)
			}
			below := 0.5 + math.Copysign(1/u-0.5, a[i]) // F(a)
			above := 0.5 - math.Copysign(1/w-0.5, b[i]) // 1 - F(b)
			if t.deta != nil {
				t.deta[(lo+i)&t.mask] += below - above
			}
			if k := int(v); t.dcuts != nil {
				if k > 1 {
					t.dcuts[k-2] -= below
				}
				if k < last {
					t.dcuts[k-1] += above
				}
			}
		}
	}
	return lp - sum - logs - math.Log(product)
}

func (t *ordinalTerm) Add() float64 {
	if !t.probit {
		return t.addLogistic()
	}
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

func (t *ordinalTerm) Pointwise(out []float64) int {
	for i, v := range t.y {
		out[i] = t.one(int(v), t.eta[i&t.mask])
	}
	return len(t.y)
}

func (t *ordinalTerm) Draw(r *rand.Rand, out []float64) {
	for i := range out {
		out[i] = t.DrawOne(r, i)
	}
}

// DrawOne draws the error and looks where it falls.
func (t *ordinalTerm) DrawOne(r *rand.Rand, i int) float64 {
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
