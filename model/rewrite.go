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

// Density is a log density: a sum of terms, of which some are computed in another way than declared.
type Density struct {
	Terms   []boundable
	Subst   map[*Node]*Node // what rewrites put in the place of nodes
	Rewrote []Rewritten

	graph *Graph
	off   map[Rewrite]struct{} // rewrites that are not wanted
	uses  map[*Node]int        // by how many nodes each is needed
	tried map[*Node]bool       // whether it is a sum
}

// NewDensity returns a density of nodes of g without terms yet. Some rewrites may be off.
func NewDensity(g *Graph, off map[Rewrite]struct{}) *Density {
	return &Density{graph: g, off: off, Subst: map[*Node]*Node{}, tried: map[*Node]bool{}}
}

// Rewritten says that part of a node, or with no part all of it, is computed in another way.
type Rewritten struct {
	Of       *Node
	Part, By string
}

func (d *Density) tell(of *Node, part, by string, args ...any) {
	d.Rewrote = append(d.Rewrote, Rewritten{of, part, fmt.Sprintf(by, args...)})
}

func (d *Density) want(r Rewrite) bool {
	_, off := d.off[r]
	return !off
}

// Rewrite returns the term of values y with a distribution as the density computes it.
func (d *Density) Rewrite(dist distribution, y *Node) boundable {
	plain := declaredTerm{dist, y}
	u, ok := dist.(*univariate)
	if !ok || u.cut != nil {
		return plain
	}
	if u.family.Name == "normal" {
		if t := d.normal(y, u); t != nil {
			return t
		}
	}
	if t := d.counts(y, u); t != nil {
		return t
	}
	for _, a := range u.args {
		d.sum(a)
	}
	return plain
}

// sum puts a single node in the place of a sum, or of the sums that e is made of.
func (d *Density) sum(e *Node) {
	if e.Fixed || e.Scalar || !d.want(Sums) || d.tried[e] {
		return
	}
	d.tried[e] = true
	a := affineOf(e, e.N)
	if len(a.terms) < 2 {
		switch e.Op.(type) {
		case binary, unary, linear:
			for _, arg := range e.Args {
				d.sum(arg)
			}
		}
		return
	}
	if m, ok := e.Op.(matVec); ok && m.cols > 0 {
		return // one node already
	}
	if b, ok := e.Op.(binary); ok && b <= subOp && plainSum(e, a) {
		return // see fuse
	}
	d.Subst[e] = &Node{ID: e.ID, Op: a, Args: a.sources(), N: e.N, Note: e.Note}
	d.tell(e, "", "as one sum of %d terms", len(a.terms))
}

// plainSum reports whether the sum is of its two arguments as they are.
func plainSum(e *Node, a *affine) bool {
	if len(a.terms) != 2 || a.constant != nil {
		return false
	}
	for k, t := range a.terms {
		if t.source != e.Args[k] || t.weight != nil {
			return false
		}
	}
	return true
}

// normal rewrites a normal density, nil where there is nothing to gain.
func (d *Density) normal(y *Node, u *univariate) boundable {
	mean, sd := u.args[0], u.args[1]
	if !y.Fixed || mean.Fixed && sd.Fixed {
		return nil
	}
	if root, ok := sd.Op.(unary); ok && root == sqrtOp && !sd.Scalar && d.want(Variances) {
		d.tell(y, "its variance", "without the root")
		d.sum(mean)
		return varianceTerm{y, mean, sd.Args[0]}
	}
	if !sd.Scalar || mean.Fixed {
		return nil
	}
	a := affineOf(mean, y.N)
	if d.want(Regressions) && y.N > 1 {
		if t := regressionOf(a, y, sd); t != nil {
			d.tell(y, fmt.Sprintf("a regression of %d rows on %d columns", y.N, len(t.coef)), "by QR")
			return t
		}
	}
	if d.want(EqualRows) {
		if t := d.groups(a, y, sd); t != nil {
			return t
		}
	}
	return nil
}

// varianceTerm is normal(mean, sqrt h).
type varianceTerm struct{ y, mean, h *Node }

func (v varianceTerm) nodes() []*Node { return []*Node{v.y, v.mean, v.h} }

func (v varianceTerm) root(c *memory) root {
	t := &normalVarianceTerm{y: c.value[v.y.ID], mu: c.value[v.mean.ID], dmu: c.adjoint[v.mean.ID],
		h: c.value[v.h.ID], dh: c.adjoint[v.h.ID]}
	if !v.mean.Scalar {
		t.mm = -1
	}
	return t
}

// coefficient is a number among the values of a node.
type coefficient struct {
	source *Node
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
	sd   *Node
}

// regressionOf returns nil where coefficients differ from row to row, or are as many as the rows.
func regressionOf(a *affine, y *Node, sd *Node) *regression {
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
		left[i] = y.Value[i]
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

func (t *regression) nodes() []*Node {
	out := []*Node{t.sd}
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
	out := &regressionRoot{regression: t, sd: c.value[t.sd.ID], dsd: c.adjoint[t.sd.ID],
		b: make([]*float64, p), db: make([]*float64, p), at: make([]float64, p), e: make([]float64, p)}
	for k, q := range t.coef {
		out.b[k] = &c.value[q.source.ID][q.place]
		out.db[k] = &c.adjoint[q.source.ID][q.place]
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
func (d *Density) groups(a *affine, y *Node, sd *Node) boundable {
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
func (d *Density) counts(y *Node, u *univariate) boundable {
	k, rates := 0, u.family.Name == "poisson_log"
	switch u.family.Name {
	case "bernoulli_logit", "poisson_log":
	case "binomial_logit":
		k = 1
	default:
		return nil
	}
	if !y.Fixed || u.args[k].Fixed || !d.want(EqualRows) {
		return nil
	}
	a := affineOf(u.args[k], y.N)
	group, keep := a.equalRows()
	if keep == nil {
		return nil
	}
	t := collapsed{rates: rates, r: make([]float64, len(keep)), n: make([]float64, len(keep))}
	for i, g := range group {
		trials := 1.0
		if k == 1 {
			trials = u.args[0].Value[i%u.args[0].N]
		}
		t.r[g] += y.Value[i]
		t.n[g] += trials
		if f := u.family.Base; f != nil {
			t.base += f(y.Value[i], &density.Params{trials})
		}
	}
	t.x = d.collapse(a, y, keep)
	return t
}

func (t grouped) nodes() []*Node { return []*Node{t.mean, t.sd} }

type groupedRoot struct {
	grouped
	mu, dmu, s, ds []float64
}

func (t grouped) root(c *memory) root {
	return &groupedRoot{t, c.value[t.mean.ID], c.adjoint[t.mean.ID], c.value[t.sd.ID],
		c.adjoint[t.sd.ID]}
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

// Bound is a log density in the memory of one chain.
type Bound struct {
	evaluator
	roots []root
}

// Bind gives terms of the density the memory of one chain, which computes them from inputs.
func (d *Density) Bind(terms []boundable, inputs []*Node) *Bound {
	var wanted []*Node
	for _, t := range terms {
		wanted = append(wanted, t.nodes()...)
	}
	b := &Bound{evaluator: *newEvaluator(len(d.graph.Nodes), evaluation{wanted: wanted, inputs: inputs,
		subst: d.Subst, gradient: true})}
	for _, t := range terms {
		b.roots = append(b.roots, t.root(&b.memory))
	}
	return b
}

// Gradient returns the sum of lp and the terms at the values of the inputs, and leaves its
// derivatives in the adjoints of the inputs. Outside the support it returns -Inf.
func (b *Bound) Gradient(lp float64) float64 {
	b.forward()
	clear(b.adjoints)
	for _, r := range b.roots {
		l := r.add()
		if math.IsInf(l, -1) || math.IsNaN(l) {
			return math.Inf(-1)
		}
		lp += l
	}
	b.backward()
	return lp
}

// Fault finds out why there is no density at the values of the inputs: an operation that failed, or
// the first term that is -Inf or not a number.
func (b *Bound) Fault() (term int, value float64, err error) {
	b.forward()
	for _, s := range b.steps {
		if f, ok := s.(interface{ failure() error }); ok && f.failure() != nil {
			return 0, 0, f.failure()
		}
	}
	for k, r := range b.roots {
		if l := r.add(); math.IsInf(l, -1) || math.IsNaN(l) {
			return k, l, nil
		}
	}
	return 0, 0, nil
}
