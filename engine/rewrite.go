package engine

import "fmt"

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
func (d *Density) Rewrite(dist Distribution, y *Node) Part {
	plain := Distributed{dist, y}
	u, ok := dist.(*Univariate)
	if !ok || u.Cut != nil {
		return plain
	}
	if u.Family.Name == "normal" {
		if t := d.normal(y, u); t != nil {
			return t
		}
	}
	if t := d.counts(y, u); t != nil {
		return t
	}
	for _, a := range u.Args {
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
		case Binary, Unary, Linear:
			for _, arg := range e.Args {
				d.sum(arg)
			}
		}
		return
	}
	if m, ok := e.Op.(MatVec); ok && m.Cols > 0 {
		return // one node already
	}
	if b, ok := e.Op.(Binary); ok && b <= Sub && plainSum(e, a) {
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
func (d *Density) normal(y *Node, u *Univariate) Part {
	mean, sd := u.Args[0], u.Args[1]
	if !y.Fixed || mean.Fixed && sd.Fixed {
		return nil
	}
	if root, ok := sd.Op.(Unary); ok && root == Sqrt && !sd.Scalar && d.want(Variances) {
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

func (v varianceTerm) Nodes() []*Node { return []*Node{v.y, v.mean, v.h} }

func (v varianceTerm) Root(c *Memory) Root {
	t := &normalVarianceTerm{y: c.Value[v.y.ID], mu: c.Value[v.mean.ID], dmu: c.Adjoint[v.mean.ID],
		h: c.Value[v.h.ID], dh: c.Adjoint[v.h.ID]}
	if !v.mean.Scalar {
		t.mm = -1
	}
	return t
}
