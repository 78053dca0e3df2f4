package model

import (
	"fmt"
	"math"
	"math/rand/v2"
)

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
func (a rowsArgument) in(m *Model, of, name, where string) (n *Node, k int) {
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
	return Expr{in.m.add(&Node{N: len(v), Value: v, Fixed: true, Note: &declaration{what: "data " + in.name, where: where}})}
}

type categorical struct {
	p     rowsArgument
	logit bool
}

func (d categorical) name() string { return (&categoricalOf{logit: d.logit}).name() }

func (d categorical) in(m *Model, of, where string) distribution {
	n, k := d.p.in(m, of, d.name(), where)
	if k == 0 {
		return nil
	}
	if n.Fixed && !d.logit {
		if err := probabilities(n.Value, k); err != nil {
			m.failAt(where, "%s: %s: %v", of, d.name(), err)
			return nil
		}
	}
	return &categoricalOf{n, k, d.logit}
}

// probabilities wants rows of k numbers that add up to 1.
func probabilities(v []float64, k int) error {
	for r := 0; r < len(v); r += k {
		sum := 0.0
		for _, p := range v[r : r+k] {
			if !(p >= 0) {
				return fmt.Errorf("a probability is %v, want a number from 0 to 1", p)
			}
			sum += p
		}
		if !(math.Abs(sum-1) <= 1e-8) {
			return fmt.Errorf("the probabilities add up to %v, want 1", sum)
		}
	}
	return nil
}

// categoricalOf is the distribution in a model.
type categoricalOf struct {
	p     *Node
	k     int
	logit bool
}

func (d *categoricalOf) name() string {
	if d.logit {
		return "categorical_logit"
	}
	return "categorical"
}

func (d *categoricalOf) arguments() []*Node { return []*Node{d.p} }

func (d *categoricalOf) mapped(to func(*Node) *Node) distribution {
	return &categoricalOf{to(d.p), d.k, d.logit}
}

func (d *categoricalOf) forParameter(Place) error {
	return fmt.Errorf("a parameter cannot have the discrete %s: sum it out, with LogSumExp", d.name())
}

func (d *categoricalOf) forValues(y *Node, name string) error {
	if d.p.N != d.k && d.p.N != y.N*d.k {
		return fmt.Errorf("%s has %s and the %s of %d categories %s", name, plural(y.N, "value"), d.name(),
			d.k, plural(d.p.N/d.k, "row"))
	}
	if err := dataOnly(y, name, d.name()); err != nil || y.Value == nil {
		return err
	}
	for i, v := range y.Value {
		if v != math.Floor(v) || v < 1 || v > float64(d.k) {
			return fmt.Errorf("%s[%d] is %v, want a whole number from 1 to %d: outside the support of %s",
				name, i+1, v, d.k, d.name())
		}
	}
	return nil
}

// dataOnly refuses counts that depend on parameters.
func dataOnly(y *Node, name, of string) error {
	if !y.Fixed {
		return fmt.Errorf("%s depends on parameters, and the discrete %s is for data", name, of)
	}
	return nil
}

func (d *categoricalOf) bind(c *memory, y *Node) term {
	t := &categoricalTerm{k: d.k, logit: d.logit, p: c.value[d.p.ID], dp: c.adjoint[d.p.ID]}
	if d.p.N != d.k {
		t.mask = -1
	}
	if y != nil {
		t.y = c.value[y.ID]
		t.count = make([]float64, d.k)
	}
	return t
}

// categoricalTerm: log p_y, or x_y - log sum of exp(x), whose derivative in x_k is [y = k] less the
// probability of k. Values with the same probabilities are counted.
type categoricalTerm struct {
	k        int
	logit    bool
	mask     int // 0 where all values have the same row
	y, p, dp []float64
	count    []float64
}

func (t *categoricalTerm) add() float64 {
	lp := 0.0
	if t.mask != 0 {
		for i, v := range t.y {
			clear(t.count)
			t.count[int(v)-1] = 1
			lp += t.row(i*t.k, 1)
		}
		return lp
	}
	clear(t.count)
	for _, v := range t.y {
		t.count[int(v)-1]++
	}
	return t.row(0, float64(len(t.y)))
}

// row is the log density of the counts of n values whose probabilities begin at start.
func (t *categoricalTerm) row(start int, n float64) float64 {
	p, lp := t.p[start:start+t.k], 0.0
	if !t.logit {
		return countsDensity(t.count, p, t.part(start))
	}
	top := logSum(p)
	for k, c := range t.count {
		lp += c * (p[k] - top)
		if t.dp != nil {
			t.dp[start+k] += c - n*math.Exp(p[k]-top)
		}
	}
	return lp
}

func (t *categoricalTerm) part(start int) []float64 {
	if t.dp == nil {
		return nil
	}
	return t.dp[start : start+t.k]
}

// countsDensity is the sum of counts times the logs of p.
func countsDensity(count, p, dp []float64) float64 {
	lp := 0.0
	for k, v := range p {
		if !(v >= 0) {
			return math.Inf(-1)
		}
		if c := count[k]; c > 0 {
			lp += c * math.Log(v)
			if dp != nil {
				dp[k] += c / v
			}
		}
	}
	return lp
}

// logSum is the log of the sum of the exponentials.
func logSum(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	if math.IsInf(top, 0) {
		return top
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

func (t *categoricalTerm) pointwise(out []float64) int {
	for i, v := range t.y {
		start := i * t.k & t.mask
		p := t.p[start : start+t.k]
		if t.logit {
			out[i] = p[int(v)-1] - logSum(p)
		} else {
			out[i] = math.Log(p[int(v)-1])
		}
	}
	return len(t.y)
}

func (t *categoricalTerm) draw(r *rand.Rand, out []float64) {
	for i := range out {
		out[i] = t.drawOne(r, i)
	}
}

// drawOne draws value i.
func (t *categoricalTerm) drawOne(r *rand.Rand, i int) float64 {
	start := i * t.k & t.mask
	p := t.p[start : start+t.k]
	u, top := r.Float64(), 0.0
	if t.logit {
		top = logSum(p)
	}
	last := 0
	for k, v := range p {
		if t.logit {
			v = math.Exp(v - top)
		}
		if v > 0 {
			if last = k + 1; u < v {
				break
			}
		}
		u -= v
	}
	if last == 0 {
		return math.NaN()
	}
	return float64(last)
}
