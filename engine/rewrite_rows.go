package engine

import (
	bits "encoding/binary"
	"fmt"
	"math"

	"bayeskernel/internal/density"
)

// grouped is normal(mean, sd) at rows of which some have equal predictors: those of a group have a
// number, a mean, and squares around it.
type grouped struct {
	mean, sd *Node
	count, y []float64
	within   float64
	rows     int
}

// equalRows finds rows with equal predictors: which group each belongs to, and the first row of each
// group. Nil where these are more than half of all.
func (a *affine) equalRows() (group, keep []int) {
	if len(a.terms) == 0 {
		return nil, nil
	}
	first := map[string]int{}
	group = make([]int, a.n)
	var key []byte
	for i := range a.n {
		key = key[:0]
		if a.constant != nil {
			key = bits.LittleEndian.AppendUint64(key, math.Float64bits(a.constant[i]))
		}
		for _, t := range a.terms {
			if t.weight != nil {
				key = bits.LittleEndian.AppendUint64(key, math.Float64bits(t.weight[i]))
			}
			if t.at != nil {
				key = bits.LittleEndian.AppendUint64(key, uint64(t.at[i]))
			}
		}
		g, ok := first[string(key)]
		if !ok {
			g = len(keep)
			first[string(key)] = g
			keep = append(keep, i)
		}
		group[i] = g
	}
	if 2*len(keep) > a.n {
		return nil, nil
	}
	return group, keep
}

// collapse makes a node of one row for each group.
func (d *Density) collapse(a *affine, y *Node, keep []int) *Node {
	rows := a.rows(keep)
	d.tell(y, fmt.Sprintf("%d rows with equal predictors", a.n), "as %d", len(keep))
	return d.graph.Add(&Node{N: len(keep), Op: rows, Args: rows.sources()})
}

// groups collapses normal values, nil where there is nothing to gain.
func (d *Density) groups(a *affine, y *Node, sd *Node) Part {
	group, keep := a.equalRows()
	if keep == nil {
		return nil
	}
	t := grouped{sd: sd, rows: a.n, count: make([]float64, len(keep)), y: make([]float64, len(keep))}
	for i, g := range group {
		t.count[g]++
		t.y[g] += (y.Value[i] - t.y[g]) / t.count[g]
	}
	for i, g := range group {
		d := y.Value[i] - t.y[g]
		t.within += d * d
	}
	t.mean = d.collapse(a, y, keep)
	return t
}

// counts collapses counts, nil where there is nothing to gain.
func (d *Density) counts(y *Node, u *Univariate) Part {
	k, rates := 0, u.Family.Name == "poisson_log"
	switch u.Family.Name {
	case "bernoulli_logit", "poisson_log":
	case "binomial_logit":
		k = 1
	default:
		return nil
	}
	if !y.Fixed || u.Args[k].Fixed || !d.want(EqualRows) {
		return nil
	}
	a := affineOf(u.Args[k], y.N)
	group, keep := a.equalRows()
	if keep == nil {
		return nil
	}
	t := collapsed{rates: rates, r: make([]float64, len(keep)), n: make([]float64, len(keep))}
	for i, g := range group {
		trials := 1.0
		if k == 1 {
			trials = u.Args[0].Value[i%u.Args[0].N]
		}
		t.r[g] += y.Value[i]
		t.n[g] += trials
		if f := u.Family.Base; f != nil {
			t.base += f(y.Value[i], &density.Params{trials})
		}
	}
	t.x = d.collapse(a, y, keep)
	return t
}

func (t grouped) Nodes() []*Node { return []*Node{t.mean, t.sd} }

type groupedRoot struct {
	grouped
	mu, dmu, s, ds []float64
}

func (t grouped) Root(c *Memory) Root {
	return &groupedRoot{t, c.Value[t.mean.ID], c.Adjoint[t.mean.ID], c.Value[t.sd.ID],
		c.Adjoint[t.sd.ID]}
}

func (t *groupedRoot) Add() float64 {
	sd := t.s[0]
	if !(sd > 0) {
		return math.Inf(-1)
	}
	ss, w := t.within, 1/(sd*sd)
	mu, dmu, count := t.mu[:len(t.y)], t.dmu[:len(t.y)], t.count[:len(t.y)]
	for i, v := range t.y {
		d := v - mu[i]
		c := count[i] * d
		ss += c * d
		dmu[i] += c * w
	}
	n := float64(t.rows)
	if t.ds != nil {
		t.ds[0] += (ss*w - n) / sd
	}
	return -ss*w/2 - n*(math.Log(sd)+logSqrt2Pi)
}

// collapsed is counts of which rows with equal predictors were added up.
type collapsed struct {
	rates bool
	x     *Node
	r, n  []float64
	base  float64
}

func (t collapsed) Nodes() []*Node { return []*Node{t.x} }

func (t collapsed) Root(c *Memory) Root {
	return &collapsedRoot{newCountTerm(t.rates, t.r, t.n, c.Value[t.x.ID], c.Adjoint[t.x.ID]), t.base}
}

type collapsedRoot struct {
	*countTerm
	base float64
}

func (t *collapsedRoot) Add() float64 { return t.base + t.countTerm.Add() }
