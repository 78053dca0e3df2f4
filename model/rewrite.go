package model

import (
	bits "encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"

	"bayeskernel/internal/density"
)

// Rewrite is a change of the computations that leaves the log density as it is, to rounding.
type Rewrite int

// The rewrites.
const (
	// Regressions: normal values around a sum of data times numbers, with one standard deviation,
	// cost the square of the number of coefficients, whatever the number of rows.
	Regressions Rewrite = iota
	// EqualRows: rows with equal predictors become one.
	EqualRows
	// Sums: a sum of indexed and weighted terms is one node.
	Sums
	// Variances: normal(mean, sqrt h) takes no root.
	Variances
)

func (p *Program) want(r Rewrite) bool {
	_, off := p.off[r]
	return !off
}

// rewrite returns the term of an observation as the density computes it.
func (p *Program) rewrite(o *observation) boundable {
	plain := declaredTerm{o.dist, o.y}
	u, ok := o.dist.(*univariate)
	if !ok || u.cut != nil {
		return plain
	}
	if u.family.Name == "normal" {
		if t := p.normal(o, u); t != nil {
			return t
		}
	}
	if t := p.counts(o, u); t != nil {
		return t
	}
	for _, a := range u.args {
		p.sum(a)
	}
	return plain
}

// sum puts a single node in the place of a sum, or of the sums that e is made of.
func (p *Program) sum(e *node) {
	if e.fixed || e.scalar || !p.want(Sums) || p.tried[e] {
		return
	}
	p.tried[e] = true
	a := affineOf(e, e.n)
	if len(a.terms) < 2 {
		switch e.op.(type) {
		case binary, unary, linear:
			for _, arg := range e.args {
				p.sum(arg)
			}
		}
		return
	}
	if m, ok := e.op.(matVec); ok && m.x.cols > 0 {
		return // one node already
	}
	if b, ok := e.op.(binary); ok && b <= subOp && plainSum(e, a) {
		return // see fuse
	}
	p.subst[e] = &node{m: e.m, id: e.id, op: a, args: a.sources(), n: e.n}
	p.rewrote = append(p.rewrote, fmt.Sprintf("%s: %s as one sum of %d terms", e.where, e.label(),
		len(a.terms)))
}

// plainSum reports whether the sum is of its two arguments as they are.
func plainSum(e *node, a *affine) bool {
	if len(a.terms) != 2 || a.constant != nil {
		return false
	}
	for k, t := range a.terms {
		if t.source != e.args[k] || t.weight != nil {
			return false
		}
	}
	return true
}

// normal rewrites a normal density, nil where there is nothing to gain.
func (p *Program) normal(o *observation, u *univariate) boundable {
	mean, sd := u.args[0], u.args[1]
	if !o.y.fixed || mean.fixed && sd.fixed {
		return nil
	}
	if root, ok := sd.op.(unary); ok && root == sqrtOp && !sd.scalar && p.want(Variances) {
		p.rewrote = append(p.rewrote, o.name+": its variance without the root")
		p.sum(mean)
		return varianceTerm{o.y, mean, sd.args[0]}
	}
	if !sd.scalar || mean.fixed {
		return nil
	}
	a := affineOf(mean, o.n)
	if p.want(Regressions) && o.n > 1 {
		if t := regressionOf(a, o.y, sd); t != nil {
			p.rewrote = append(p.rewrote, fmt.Sprintf("%s: a regression of %d rows on %d columns by QR",
				o.name, o.n, len(t.coef)))
			return t
		}
	}
	if p.want(EqualRows) {
		if t := p.groups(a, o, sd); t != nil {
			return t
		}
	}
	return nil
}

// varianceTerm is normal(mean, sqrt h).
type varianceTerm struct{ y, mean, h *node }

func (v varianceTerm) nodes() []*node { return []*node{v.y, v.mean, v.h} }

func (v varianceTerm) root(c *memory) root {
	t := &normalVarianceTerm{y: c.value[v.y.id], mu: c.value[v.mean.id], dmu: c.adjoint[v.mean.id],
		h: c.value[v.h.id], dh: c.adjoint[v.h.id]}
	if !v.mean.scalar {
		t.mm = -1
	}
	return t
}

// coefficient is a number among the values of a node.
type coefficient struct {
	source *node
	place  int
}

// regression is normal(X b, sd) at y. With X = Q R and c = Q'y the sum of squares is
//
//	|y - X b|² = |y|² - |c|² + |c - R b|²,
//
// whose first two terms are computed as the squares of what is left of y.
type regression struct {
	coef []coefficient
	r    []float64 // p x p, upper
	c    []float64
	rest float64
	rows int
	sd   *node
}

// regressionOf returns nil where coefficients differ from row to row, or are as many as the rows.
func regressionOf(a *affine, y *node, sd *node) *regression {
	t := &regression{rows: a.n, sd: sd}
	var columns [][]float64
	for _, term := range a.terms {
		if term.at != nil {
			return nil
		}
		k := -1
		for i, c := range t.coef {
			if c.source == term.source && c.place == term.place {
				k = i
			}
		}
		if k < 0 {
			k = len(t.coef)
			t.coef = append(t.coef, coefficient{term.source, term.place})
			columns = append(columns, make([]float64, a.n))
		}
		for i := range a.n {
			columns[k][i] += term.weightOf(i)
		}
	}
	p := len(t.coef)
	if p == 0 || p*(p+4) > 2*a.n*p || p >= a.n {
		return nil
	}
	left := make([]float64, a.n)
	for i := range left {
		left[i] = y.value[i]
		if a.constant != nil {
			left[i] -= a.constant[i]
		}
	}
	t.decompose(columns, left)
	return t
}

// decompose computes R and Q'y by Householder reflections: the first values of Q'y are c, and the
// squares of the others add up to what the columns leave of y.
func (t *regression) decompose(columns [][]float64, y []float64) {
	n, p := len(y), len(columns)
	x := blas64.General{Rows: n, Cols: p, Stride: p, Data: make([]float64, n*p)}
	for k, col := range columns {
		for i, v := range col {
			x.Data[i*p+k] = v
		}
	}
	tau := make([]float64, p)
	work := make([]float64, 64*(n+p))
	lapack64.Geqrf(x, tau, work, len(work))
	c := blas64.General{Rows: n, Cols: 1, Stride: 1, Data: y}
	lapack64.Ormqr(blas.Left, blas.Trans, x, tau, c, work, len(work))
	t.r, t.c = make([]float64, p*p), y[:p:p]
	for j := range p {
		copy(t.r[j*p+j:(j+1)*p], x.Data[j*p+j:(j+1)*p])
	}
	for _, v := range y[p:] {
		t.rest += v * v
	}
}

func (t *regression) nodes() []*node {
	out := []*node{t.sd}
	for _, c := range t.coef {
		out = append(out, c.source)
	}
	return out
}

type regressionRoot struct {
	*regression
	b       []*float64
	db      []*float64
	sd, dsd []float64
	at, e   []float64
}

func (t *regression) root(c *memory) root {
	p := len(t.coef)
	out := &regressionRoot{regression: t, sd: c.value[t.sd.id], dsd: c.adjoint[t.sd.id],
		b: make([]*float64, p), db: make([]*float64, p), at: make([]float64, p), e: make([]float64, p)}
	for k, q := range t.coef {
		out.b[k] = &c.value[q.source.id][q.place]
		out.db[k] = &c.adjoint[q.source.id][q.place]
	}
	return out
}

func (t *regressionRoot) add() float64 {
	sd := t.sd[0]
	if !(sd > 0) {
		return math.Inf(-1)
	}
	p, ss, w := len(t.b), t.rest, 1/(sd*sd)
	for k, b := range t.b {
		t.at[k] = *b
	}
	for j := range p {
		e := t.c[j] - floats.Dot(t.r[j*p+j:(j+1)*p], t.at[j:])
		t.e[j] = e
		ss += e * e
	}
	clear(t.at)
	for j, e := range t.e {
		floats.AddScaled(t.at[j:], e, t.r[j*p+j:(j+1)*p])
	}
	for k, d := range t.db {
		*d += t.at[k] * w
	}
	n := float64(t.rows)
	if t.dsd != nil {
		t.dsd[0] += (ss*w - n) / sd
	}
	return -ss*w/2 - n*(math.Log(sd)+logSqrt2Pi)
}

// grouped is normal(mean, sd) at rows of which some have equal predictors: those of a group have a
// number, a mean, and squares around it.
type grouped struct {
	mean, sd *node
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
func (p *Program) collapse(a *affine, o *observation, keep []int) *node {
	rows := a.rows(keep)
	p.rewrote = append(p.rewrote, fmt.Sprintf("%s: %d rows with equal predictors as %d", o.name, a.n,
		len(keep)))
	return p.m.add(&node{n: len(keep), op: rows, args: rows.sources()})
}

// groups collapses normal values, nil where there is nothing to gain.
func (p *Program) groups(a *affine, o *observation, sd *node) boundable {
	group, keep := a.equalRows()
	if keep == nil {
		return nil
	}
	t := grouped{sd: sd, rows: a.n, count: make([]float64, len(keep)), y: make([]float64, len(keep))}
	for i, g := range group {
		t.count[g]++
		t.y[g] += (o.y.value[i] - t.y[g]) / t.count[g]
	}
	for i, g := range group {
		d := o.y.value[i] - t.y[g]
		t.within += d * d
	}
	t.mean = p.collapse(a, o, keep)
	return t
}

// counts collapses counts, nil where there is nothing to gain.
func (p *Program) counts(o *observation, u *univariate) boundable {
	k, rates := 0, u.family.Name == "poisson_log"
	switch u.family.Name {
	case "bernoulli_logit", "poisson_log":
	case "binomial_logit":
		k = 1
	default:
		return nil
	}
	if !o.y.fixed || u.args[k].fixed || !p.want(EqualRows) {
		return nil
	}
	a := affineOf(u.args[k], o.n)
	group, keep := a.equalRows()
	if keep == nil {
		return nil
	}
	t := collapsed{rates: rates, r: make([]float64, len(keep)), n: make([]float64, len(keep))}
	for i, g := range group {
		trials := 1.0
		if k == 1 {
			trials = u.args[0].value[i%u.args[0].n]
		}
		t.r[g] += o.y.value[i]
		t.n[g] += trials
		if f := u.family.Base; f != nil {
			t.base += f(o.y.value[i], &density.Params{trials})
		}
	}
	t.x = p.collapse(a, o, keep)
	return t
}

func (t grouped) nodes() []*node { return []*node{t.mean, t.sd} }

type groupedRoot struct {
	grouped
	mu, dmu, s, ds []float64
}

func (t grouped) root(c *memory) root {
	return &groupedRoot{t, c.value[t.mean.id], c.adjoint[t.mean.id], c.value[t.sd.id],
		c.adjoint[t.sd.id]}
}

func (t *groupedRoot) add() float64 {
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
