package engine

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

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

func (t *regression) Nodes() []*Node {
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

func (t *regression) Root(c *Memory) Root {
	p := len(t.coef)
	out := &regressionRoot{regression: t, sd: c.Value[t.sd.ID], dsd: c.Adjoint[t.sd.ID],
		b: make([]*float64, p), db: make([]*float64, p), at: make([]float64, p), e: make([]float64, p)}
	for k, q := range t.coef {
		out.b[k] = &c.Value[q.source.ID][q.place]
		out.db[k] = &c.Adjoint[q.source.ID][q.place]
	}
	return out
}

func (t *regressionRoot) Add() float64 {
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
