package model

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/density"
)

// Multinomial is the distribution of the counts of K categories among a number of trials, with these
// probabilities, which must add up to 1. Values are in rows of K; trials, which are data, are a
// number for all rows or one for each. The counts of a row have a density together.
func Multinomial[A Arg, B Rows](trials A, probabilities B) Dist {
	return Dist{multinomial{argumentOf(trials), rowsOf(probabilities)}}
}

type multinomial struct {
	trials argument
	p      rowsArgument
}

func (multinomial) name() string { return "multinomial" }

func (d multinomial) in(m *Model, of, where string) distribution {
	trials := d.trials.in(m, where)
	p, k := d.p.in(m, of, d.name(), where)
	if k == 0 || about(trials).broken {
		return nil
	}
	if !trials.Fixed {
		m.failAt(where, "%s: the number of trials of multinomial depends on parameters, want data", of)
		return nil
	}
	for _, v := range trials.Value {
		if !density.Count.Contains(v) {
			m.failAt(where, "%s: the number of trials of multinomial is %v, want %v", of, v, density.Count)
			return nil
		}
	}
	if p.Fixed {
		if err := probabilities(p.Value, k); err != nil {
			m.failAt(where, "%s: multinomial: %v", of, err)
			return nil
		}
	}
	return &multinomialOf{trials, p, k}
}

// multinomialOf is the distribution in a model.
type multinomialOf struct {
	trials, p *Node
	k         int
}

func (d *multinomialOf) name() string       { return "multinomial" }
func (d *multinomialOf) arguments() []*Node { return []*Node{d.trials, d.p} }

func (d *multinomialOf) mapped(to func(*Node) *Node) distribution {
	return &multinomialOf{to(d.trials), to(d.p), d.k}
}

// densities is the number of rows of n values.
func (d *multinomialOf) densities(n int) int { return n / d.k }

func (d *multinomialOf) forParameter(Place) error {
	return fmt.Errorf("a parameter cannot have the discrete multinomial")
}

func (d *multinomialOf) forValues(y *Node, name string) error {
	rows := y.N / d.k
	if y.N%d.k != 0 {
		return fmt.Errorf("%s has %s, want rows of %d for multinomial", name, plural(y.N, "value"), d.k)
	}
	if !d.trials.Scalar && d.trials.N != rows {
		return fmt.Errorf("the number of trials of multinomial has %s and %s %s",
			plural(d.trials.N, "value"), name, plural(rows, "row"))
	}
	if d.p.N != d.k && d.p.N != y.N {
		return fmt.Errorf("%s has %s and the probabilities of multinomial %s", name, plural(rows, "row"),
			plural(d.p.N/d.k, "row"))
	}
	if err := dataOnly(y, name, d.name()); err != nil || y.Value == nil {
		return err
	}
	for r := range rows {
		sum := 0.0
		for i, v := range y.Value[r*d.k : (r+1)*d.k] {
			if !density.Count.Contains(v) {
				return fmt.Errorf("%s[%d] is %v, want a whole number of at least 0: outside the support of "+
					"multinomial", name, r*d.k+i+1, v)
			}
			sum += v
		}
		if want := d.trials.Value[r%d.trials.N]; sum != want {
			return fmt.Errorf("%s: the counts of row %d add up to %v, want the number of trials, %v", name,
				r+1, sum, want)
		}
	}
	return nil
}

func (d *multinomialOf) bind(c *memory, y *Node) term {
	t := &multinomialTerm{k: d.k, trials: c.value[d.trials.ID], p: c.value[d.p.ID],
		dp: c.adjoint[d.p.ID]}
	if d.p.N != d.k {
		t.mask = -1
	}
	if !d.trials.Scalar {
		t.trialsMask = -1
	}
	if y == nil {
		return t
	}
	t.y = c.value[y.ID]
	for r := range len(t.y) / t.k {
		t.base += t.choose(r)
	}
	return t
}

// multinomialTerm is log n! - sum of log y_k! + sum of y_k log p_k for each row.
type multinomialTerm struct {
	k, mask, trialsMask int
	trials, y, p, dp    []float64
	base                float64
}

// choose is log n! - sum of log y_k! of a row.
func (t *multinomialTerm) choose(r int) float64 {
	sum, logs := 0.0, 0.0
	for _, v := range t.y[r*t.k : (r+1)*t.k] {
		lg, _ := math.Lgamma(v + 1)
		sum += v
		logs += lg
	}
	lg, _ := math.Lgamma(sum + 1)
	return lg - logs
}

func (t *multinomialTerm) add() float64 {
	lp := t.base
	for at := 0; at < len(t.y); at += t.k {
		start := at & t.mask
		var dp []float64
		if t.dp != nil {
			dp = t.dp[start : start+t.k]
		}
		lp += countsDensity(t.y[at:at+t.k], t.p[start:start+t.k], dp)
	}
	return lp
}

func (t *multinomialTerm) pointwise(out []float64) int {
	rows := len(t.y) / t.k
	for r := range rows {
		at := r * t.k
		start := at & t.mask
		out[r] = t.choose(r) + countsDensity(t.y[at:at+t.k], t.p[start:start+t.k], nil)
	}
	return rows
}

// draw draws the categories one by one: each has a binomial count among the trials that are left.
func (t *multinomialTerm) draw(r *rand.Rand, out []float64) {
	f := density.Binomial()
	for row := range len(out) / t.k {
		left, rest := t.trials[row&t.trialsMask], 1.0
		p := t.p[row*t.k&t.mask:]
		for k := range t.k {
			v := left
			if k < t.k-1 {
				v = f.Rand(r, &density.Params{left, min(max(p[k]/rest, 0), 1)})
			}
			out[row*t.k+k] = v
			left -= v
			rest = max(rest-p[k], math.SmallestNonzeroFloat64)
		}
	}
}
