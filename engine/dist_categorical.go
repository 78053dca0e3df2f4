package engine

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/fused"
)

// CheckProbabilities wants rows of k numbers that add up to 1.
func CheckProbabilities(v []float64, k int) error {
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

// Categorical is the distribution of one of K categories, coded 1 to K, by their probabilities P or,
// with Logit, the logs of numbers proportional to these. P has K values, or a row of K for each.
type Categorical struct {
	P     *Node
	K     int
	Logit bool
}

func (d *Categorical) Name() string {
	if d.Logit {
		return "categorical_logit"
	}
	return "categorical"
}

func (d *Categorical) Arguments() []*Node { return []*Node{d.P} }

func (d *Categorical) Mapped(to func(*Node) *Node) Distribution {
	return &Categorical{to(d.P), d.K, d.Logit}
}

func (d *Categorical) ForParameter(Place) error {
	return fmt.Errorf("a parameter cannot have the discrete %s: sum it out, with LogSumExp", d.Name())
}

func (d *Categorical) ForValues(y *Node, name string) error {
	if d.P.N != d.K && d.P.N != y.N*d.K {
		return fmt.Errorf("%s has %s and the %s of %d categories %s", name, plural(y.N, "value"), d.Name(),
			d.K, plural(d.P.N/d.K, "row"))
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

// dataOnly refuses counts that depend on parameters.
func dataOnly(y *Node, name, of string) error {
	if !y.Fixed {
		return fmt.Errorf("%s depends on parameters, and the discrete %s is for data", name, of)
	}
	return nil
}

func (d *Categorical) Bind(c *Memory, y *Node) Term {
	t := &categoricalTerm{k: d.K, logit: d.Logit, p: c.Value[d.P.ID], dp: c.Adjoint[d.P.ID]}
	if d.P.N != d.K {
		t.mask = -1
	}
	if y != nil {
		t.y = c.Value[y.ID]
		t.count = make([]float64, d.K)
		if t.mask != 0 && d.Logit {
			t.work = make([]float64, max(1, block/d.K)*d.K)
		}
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
	work     []float64 // exponentials of a block of rows
}

func (t *categoricalTerm) Add() float64 {
	lp := 0.0
	if t.work != nil {
		return t.addLogits()
	}
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

// addLogits has a row of logits for each value.
func (t *categoricalTerm) addLogits() float64 {
	const most = 1000 // exp(-1000) is 0
	k, lp, product, logs := t.k, 0.0, 1.0, 0.0
	rows := len(t.work) / k
	for lo := 0; lo < len(t.y); lo += rows {
		y := t.y[lo:min(lo+rows, len(t.y))]
		e, x := t.work[:len(y)*k], t.p[lo*k:(lo+len(y))*k]
		for i := 0; i < len(x); i += k {
			row := x[i : i+k]
			top := row[0]
			for _, v := range row[1:] {
				if v > top {
					top = v
				}
			}
			if math.IsInf(top, 0) || math.IsNaN(top) {
				return math.Inf(-1)
			}
			for j, v := range row {
				e[i+j] = min(top-v, most)
			}
			lp -= top
		}
		fused.ExpNeg(e, e, 1)
		for i, v := range y {
			row, own := e[i*k:(i+1)*k], i*k+int(v)-1
			sum := 0.0
			for _, v := range row {
				sum += v
			}
			lp += x[own]
			if q := product * sum; q < largeProduct {
				product = q
			} else {
				product, logs = carry(product, sum, logs)
			}
			if t.dp == nil {
				continue
			}
			w, dp := 1/sum, t.dp[(lo+i)*k:(lo+i+1)*k]
			for j, v := range row {
				dp[j] -= v * w
			}
			t.dp[lo*k+own]++
		}
	}
	return lp - logs - math.Log(product)
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

func (t *categoricalTerm) Pointwise(out []float64) int {
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

func (t *categoricalTerm) Draw(r *rand.Rand, out []float64) {
	for i := range out {
		out[i] = t.DrawOne(r, i)
	}
}

// DrawOne draws value i.
func (t *categoricalTerm) DrawOne(r *rand.Rand, i int) float64 {
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
