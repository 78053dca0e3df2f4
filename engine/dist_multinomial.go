package engine

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/density"
)

// Multinomial is the distribution of counts of K categories, in rows of K.
type Multinomial struct {
	Trials, P *Node
	K         int
}

func (d *Multinomial) Name() string       { return "multinomial" }
func (d *Multinomial) Arguments() []*Node { return []*Node{d.Trials, d.P} }

func (d *Multinomial) Mapped(to func(*Node) *Node) Distribution {
	return &Multinomial{to(d.Trials), to(d.P), d.K}
}

// Densities is the number of rows of n values.
func (d *Multinomial) Densities(n int) int { return n / d.K }

func (d *Multinomial) ForParameter(Place) error {
	return fmt.Errorf("a parameter cannot have the discrete multinomial")
}

func (d *Multinomial) ForValues(y *Node, name string) error {
	rows := y.N / d.K
	if y.N%d.K != 0 {
		return fmt.Errorf("%s has %s, want rows of %d for multinomial", name, plural(y.N, "value"), d.K)
	}
	if !d.Trials.Scalar && d.Trials.N != rows {
		return fmt.Errorf("the number of trials of multinomial has %s and %s %s",
			plural(d.Trials.N, "value"), name, plural(rows, "row"))
	}
	if d.P.N != d.K && d.P.N != y.N {
		return fmt.Errorf("%s has %s and the probabilities of multinomial %s", name, plural(rows, "row"),
			plural(d.P.N/d.K, "row"))
	}
	if err := dataOnly(y, name, d.Name()); err != nil || y.Value == nil {
		return err
	}
	for r := range rows {
		sum := 0.0
		for i, v := range y.Value[r*d.K : (r+1)*d.K] {
			if !density.Count.Contains(v) {
				return fmt.Errorf("%s[%d] is %v, want a whole number of at least 0: outside the support of "+
					"multinomial", name, r*d.K+i+1, v)
			}
			sum += v
		}
		if want := d.Trials.Value[r%d.Trials.N]; sum != want {
			return fmt.Errorf("%s: the counts of row %d add up to %v, want the number of trials, %v", name,
				r+1, sum, want)
		}
	}
	return nil
}

func (d *Multinomial) Bind(c *Memory, y *Node) Term {
	t := &multinomialTerm{k: d.K, trials: c.Value[d.Trials.ID], p: c.Value[d.P.ID],
		dp: c.Adjoint[d.P.ID]}
	if d.P.N != d.K {
		t.mask = -1
	}
	if !d.Trials.Scalar {
		t.trialsMask = -1
	}
	if y == nil {
		return t
	}
	t.y = c.Value[y.ID]
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

func (t *multinomialTerm) Add() float64 {
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

func (t *multinomialTerm) Pointwise(out []float64) int {
	rows := len(t.y) / t.k
	for r := range rows {
		at := r * t.k
		start := at & t.mask
		out[r] = t.choose(r) + countsDensity(t.y[at:at+t.k], t.p[start:start+t.k], nil)
	}
	return rows
}

// Draw draws the categories one by one: each has a binomial count among the trials that are left.
func (t *multinomialTerm) Draw(r *rand.Rand, out []float64) {
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
