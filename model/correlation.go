package model

import (
	"fmt"
	"slices"

	"bayeskernel/engine"

	"bayeskernel/internal/density"
	"bayeskernel/priors"
)

// CorrCholesky declares the Cholesky factor of a correlation matrix of n rows: lower triangular, with
// rows of length 1. D is LKJ or Flat. Its n² values are recorded by rows.
func (m *Model) CorrCholesky(name string, n int, d Dist) Mat {
	where := caller()
	if n < 2 || n > 1000 {
		m.declareName(name, where)
		m.failAt(where, "%s: a correlation matrix of %s, want 2 to 1000", name, plural(n, "row"))
		return brokenMat(m, max(n, 1), max(n, 1), where)
	}
	e := m.block(name, n*n, false, nil, priors.CorrCholesky{}, -1, 1, d, where)
	e.about().cols = n
	return Mat{e, n, n}
}

// LKJ is the distribution of correlation matrices with density proportional to their determinant to
// the power eta - 1, for Correlation, or for their Cholesky factor, CorrCholesky: with eta = 1 all matrices are equally probable, and
// the larger eta the smaller the correlations.
func LKJ[A Arg](eta A) Dist { return Dist{lkj{argumentOf(eta)}} }

type lkj struct{ eta argument }

func (lkj) name() string { return "lkj_corr" }

func (d lkj) in(m *Model, of, where string) engine.Distribution {
	n := d.eta.in(m, where)
	switch {
	case about(n).broken:
		return nil
	case !n.Scalar:
		m.failAt(where, "%s: the eta of lkj_corr has %s, want a number", of, sizeOf(n))
		return nil
	case n.Fixed && !density.Positive.Contains(n.Value[0]):
		m.failAt(where, "%s: the eta of lkj_corr is %v, want %v", of, n.Value[0],
			density.Positive)
		return nil
	}
	return &engine.LKJ{Eta: n}
}

// Effects declares correlated effects, such as an intercept and a slope, for each label: vectors with
// mean 0, standard deviations sd and the correlations of the Cholesky factor l. It returns one
// expression over the labels for each, the parameters name_1, name_2, ..., which are non-centred
// unless the option Centred is given.
//
// Each is declared given those before it: with z the standardised ones, L the rows of l,
//
//	b_i | b_1, ..., b_{i-1} ~ normal(sd_i (L_i1 z_1 + ... + L_i,i-1 z_{i-1}), sd_i L_ii).
func (f *Factor) Effects(name string, sd Expr, l Mat, o ...Option) []Expr {
	where, m := caller(), f.m
	broken := func(k int) []Expr {
		out := make([]Expr, max(k, 1))
		for i := range out {
			out[i] = Expr{m.brokenNode(where)}
		}
		return out
	}
	switch {
	case sd.node == nil || l.e.node == nil:
		m.failAt(where, "%s: an argument is an Expr that no model made", name)
		return broken(l.rows)
	case sd.about().broken || l.e.about().broken:
		return broken(l.rows)
	case l.rows != l.cols || sd.node.N != l.rows || sd.node.Scalar:
		m.failAt(where, "%s: %s for standard deviations and a Cholesky factor of %d rows of %d", name,
			sizeOf(sd.node), l.rows, l.cols)
		return broken(l.rows)
	}
	if slices.Contains(o, Centred) {
		o = nil
	} else {
		o = []Option{NonCentred}
	}
	var out, z []Expr
	for i := range l.rows {
		scale := sd.El(i).Mul(l.El(i, i))
		called := fmt.Sprintf("%s_%d", name, i+1)
		if i == 0 {
			out = append(out, f.Reals(called, Normal(0, scale), o...))
			z = append(z, out[0].Div(scale))
			continue
		}
		mean := l.El(i, 0).Mul(z[0])
		for j := 1; j < i; j++ {
			mean = mean.Add(l.El(i, j).Mul(z[j]))
		}
		mean = sd.El(i).Mul(mean)
		b := f.Reals(called, Normal(mean, scale), o...)
		out = append(out, b)
		if i+1 < l.rows {
			z = append(z, b.Sub(mean).Div(scale))
		}
	}
	return out
}
