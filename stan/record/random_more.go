package record

import (
	"math"

	"bayeskernel/internal/density"
)

// randomFunctions draw from the less common distributions of vectors, matrices and counts.
func randomFunctions() []entry {
	drawn := func(signature string, f func(c *run, a []Value) Value) entry {
		e := entry{signature: signature}
		e.call = func(c *run, a []Value) Value {
			if c.r == nil {
				panic(faultf("%s outside of transformed data and generated quantities", e.name()))
			}
			return f(c, a)
		}
		return e
	}
	counts := func(c *run, p []Real, n int) Value {
		out := make(Ints, len(p))
		for range n {
			out[c.category(p, func(x float64) float64 { return x }).(int)-1]++
		}
		return out
	}
	return []entry{
		drawn("array[] int multinomial_logit_rng(vector, int)", func(c *run, a []Value) Value {
			return counts(c, c.t.mappedReals(c.logSoftmax(a[0]), c.t.exp), a[1].(int))
		}),
		drawn("array[] int dirichlet_multinomial_rng(vector, int)", func(c *run, a []Value) Value {
			return counts(c, scalars(generators["dirichlet"](c, a[:1])), a[1].(int))
		}),
		drawn("vector multi_normal_prec_rng(vector|row_vector, matrix)", func(c *run, a []Value) Value {
			m := a[1].(*Matrix)
			cov := c.t.solve(m, diagonal(repeat(constant(1), m.R)))
			return c.multiNormalDraw(a[0], c.t.cholesky(symmetric(cov)), 1)
		}),
		drawn("vector multi_student_t_cholesky_rng(real, vector|row_vector, matrix)", func(c *run, a []Value) Value {
			return c.multiStudentDraw(real(a[0]).V, a[1], a[2].(*Matrix))
		}),
		drawn("matrix wishart_cholesky_rng(real, matrix)", func(c *run, a []Value) Value {
			return c.t.cholesky(c.wishartDraw(real(a[0]).V, c.t.selfProduct(a[1].(*Matrix))))
		}),
		drawn("matrix inv_wishart_cholesky_rng(real, matrix)", func(c *run, a []Value) Value {
			s := c.t.selfProduct(a[1].(*Matrix))
			return c.t.cholesky(symmetric(generators["inv_wishart"](c, []Value{a[0], s}).(*Matrix)))
		}),
		drawn("int beta_neg_binomial_rng(real, real, real)", func(c *run, a []Value) Value {
			p := density.BetaLaw{}.Rand(c.r, &density.Params{real(a[1]).V, real(a[2]).V})
			rate := math.Exp(density.LogGamma(c.r, real(a[0]).V)) * (1 - p) / p
			return c.draw(families["poisson"], []Value{constant(rate)})
		}),
		drawn("int poisson_binomial_rng(vector)", func(c *run, a []Value) Value {
			n := 0
			for _, p := range scalars(a[0]) {
				n += btoi(c.r.Float64() < p.V)
			}
			return n
		}),
		drawn("array[] int bernoulli_logit_glm_rng(matrix, real|vector, vector)", func(c *run, a []Value) Value {
			return c.draw(families["bernoulli_logit"], []Value{c.linear(a[0], a[1], a[2])})
		}),
	}
}

// symmetric takes the lower triangle for both.
func symmetric(m *Matrix) *Matrix {
	m = clone(m).(*Matrix)
	for i := range m.R {
		for j := range i {
			m.set(j, i, m.at(i, j))
		}
	}
	return m
}
