package record

import (
	"math"
	"testing"
)

// Densities that Stan 2.21 does not have: probabilities of counts add up to 1, and the density of a Cholesky
// factor is that of its matrix with the Jacobian.
func TestMoreDensities(t *testing.T) {
	c := newTestRun()
	vec := func(v ...float64) Vector {
		out := make(Vector, len(v))
		for i, x := range v {
			out[i] = constant(x)
		}
		return out
	}
	at := func(name string, args ...Value) float64 {
		v, ok := c.library(name, args)
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		return real(v).V
	}
	near := func(what string, got, want, tol float64) {
		if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	theta := vec(.2, .7, .5, .1)
	s := 0.0
	for k := range 5 {
		s += math.Exp(at("poisson_binomial_lpmf", k, theta))
	}
	near("the sum of poisson_binomial", s, 1, 1e-12)
	s = 0
	for k := range 20000 {
		s += math.Exp(at("beta_neg_binomial_lpmf", k, constant(3), constant(4), constant(2)))
	}
	near("the sum of beta_neg_binomial", s, 1, 1e-9)
	below := 0.0
	for k := range 4 {
		below += math.Exp(at("beta_neg_binomial_lpmf", k, constant(3), constant(4), constant(2)))
	}
	near("beta_neg_binomial_lcdf", math.Exp(at("beta_neg_binomial_lcdf", 3, constant(3), constant(4), constant(2))), below, 1e-12)
	s = 0
	for i := range 5 {
		for j := range 5 - i {
			s += math.Exp(at("dirichlet_multinomial_lpmf", Ints{i, j, 4 - i - j}, vec(1, 2, 0.5)))
		}
	}
	near("the sum of dirichlet_multinomial", s, 1, 1e-12)
	l := &Matrix{2, 2, []Real{constant(1.3), constant(.4), constant(0), constant(.9)}}
	r := &Matrix{2, 2, []Real{constant(1.1), constant(-.2), constant(0), constant(.7)}}
	jacobian := 2*math.Ln2 + 2*math.Log(1.3) + math.Log(.9)
	for _, name := range []string{"wishart", "inv_wishart"} {
		want := at(name+"_lpdf", c.t.selfProduct(l), constant(5), c.t.selfProduct(r)) + jacobian
		near(name+"_cholesky", at(name+"_cholesky_lpdf", l, constant(5), r), want, 1e-12)
	}
	m := c.t.selfProduct(r)
	y := vec(.3, -1)
	near("multi_student_t_cholesky", at("multi_student_t_cholesky_lpdf", y, constant(5), vec(0, 1), r),
		at("multi_student_t_lpdf", y, constant(5), vec(0, 1), m), 1e-13)
	x := &Matrix{2, 2, []Real{constant(1), constant(2), constant(-1), constant(.5)}}
	b := vec(.3, -.4)
	eta := c.linear(x, constant(.2), b)
	near("binomial_logit_glm", at("binomial_logit_glm_lpmf", Ints{1, 3}, 4, x, constant(.2), b),
		at("binomial_logit_lpmf", Ints{1, 3}, 4, eta), 1e-13)
	cuts := vec(-1, .5)
	near("ordered_logistic_glm", at("ordered_logistic_glm_lpmf", Ints{1, 3}, x, b, cuts),
		at("ordered_logistic_lpmf", Ints{1, 3}, c.linear(x, constant(0), b), cuts), 1e-13)
	// First passages at both boundaries add up to 1.
	s = 0
	for k := range 4000 {
		q := constant(.2 + .0025*(float64(k)+.5))
		s += .0025 * (math.Exp(at("wiener_lpdf", q, constant(1.5), constant(.2), constant(.4), constant(.7))) +
			math.Exp(at("wiener_lpdf", q, constant(1.5), constant(.2), constant(.6), constant(-.7))))
	}
	near("the integral of wiener", s, 1, 1e-5)
	// The states of a Markov chain, by their marginal: the derivatives of hmm_marginal in the log densities.
	logs := &Matrix{2, 3, vec(-1, -2, -.5, -.7, -3, -.2)}
	gamma := &Matrix{2, 2, vec(.8, .3, .2, .7)}
	rho := vec(.6, .4)
	p, _ := c.library("hmm_hidden_state_prob", []Value{logs, gamma, rho})
	for k, v := range logs.X {
		const h = 1e-5
		shifted := func(d float64) float64 {
			up := clone(logs).(*Matrix)
			up.X[k] = constant(v.V + d)
			return at("hmm_marginal", up, gamma, rho)
		}
		near("a state's probability", p.(*Matrix).X[k].V, (shifted(h)-shifted(-h))/(2*h), 1e-8)
	}
}
