package record

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/internal/density"
)

func newTestRun() *run {
	return &run{p: &Program{}, t: newTape(nil), r: rand.New(rand.NewPCG(7, 1)), scopes: []map[string]*variable{{}}}
}

// kolmogorov is sqrt(n) times the largest distance of the empirical distribution from the uniform one.
func kolmogorov(u []float64) float64 {
	slices.Sort(u)
	n, d := float64(len(u)), 0.0
	for i, v := range u {
		d = max(d, v-float64(i)/n, float64(i+1)/n-v)
	}
	return d * math.Sqrt(n)
}

// Draws of every family have its distribution function: those of counts are spread over the jump there. A
// correct family fails with probability 1e-6 (2.7), some 35 of them with 4e-5.
func TestRandomNumbers(t *testing.T) {
	c := newTestRun()
	tested := 0
	for name, f := range families {
		if f.Below == nil {
			continue
		}
		tested++
		var a density.Params
		var args []Value
		for k, p := range f.Params {
			switch p.Domain {
			case density.Positive, density.NonNegative:
				a[k] = 1.7 - 0.4*float64(k)
			case density.Unit:
				a[k] = 0.4
			case density.Count:
				a[k] = 9
			default:
				a[k] = 0.3 + 2*float64(k)
			}
			if p.Domain == density.Count {
				args = append(args, int(a[k]))
			} else {
				args = append(args, constant(a[k]))
			}
		}
		u := make([]float64, 3000)
		var g density.Grad
		for i := range u {
			v, ok := c.random(name+"_rng", args)
			if !ok {
				t.Fatalf("there is no %s_rng", name)
			}
			y := real(v).V
			u[i] = math.Exp(f.Below(y, &a, &g))
			if f.Discrete {
				below := math.Exp(f.Below(y-1, &a, &g))
				u[i] = below + c.r.Float64()*(u[i]-below)
			}
		}
		if k := kolmogorov(u); k > 2.7 {
			t.Errorf("%s_rng%v: Kolmogorov's statistic is %.2f", name, a[:len(f.Params)], k)
		}
	}
	if tested < 30 {
		t.Errorf("%d families tested", tested)
	}
}

// mean runs a function many times and returns means and standard errors of its numbers.
func (c *run) means(t *testing.T, n int, name string, args ...Value) (mean, se []float64) {
	t.Helper()
	var sum, squares []float64
	for range n {
		v, ok := c.library(name, args)
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		x := scalars(v)
		if sum == nil {
			sum, squares = make([]float64, len(x)), make([]float64, len(x))
		}
		for i, y := range x {
			sum[i] += y.V
			squares[i] += y.V * y.V
		}
	}
	for i := range sum {
		m := sum[i] / float64(n)
		mean = append(mean, m)
		se = append(se, math.Sqrt(max(0, squares[i]/float64(n)-m*m)/float64(n)))
	}
	return mean, se
}

// Means of vectors, matrices and categories are within 6 standard errors of the exact ones: some 60
// comparisons fail together with a probability of 1e-7.
func TestRandomVectors(t *testing.T) {
	c := newTestRun()
	reals := func(v ...float64) Vector {
		out := make(Vector, len(v))
		for i, x := range v {
			out[i] = constant(x)
		}
		return out
	}
	s := &Matrix{2, 2, []Real{constant(2), constant(0.5), constant(0.5), constant(1)}}
	chol := c.t.cholesky(s)
	logistic := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, e := range []struct {
		name string
		args []Value
		want []float64
	}{
		{"categorical_rng", []Value{reals(.2, .3, .5)}, []float64{2.3}},
		{"categorical_logit_rng", []Value{reals(0, math.Log(2), math.Log(5))}, []float64{1.0/8 + 2*2.0/8 + 3*5.0/8}},
		{"ordered_logistic_rng", []Value{constant(.3), reals(-1, 1)}, []float64{3 - logistic(-1.3) - logistic(.7)}},
		{"multinomial_rng", []Value{reals(.2, .3, .5), 7}, []float64{1.4, 2.1, 3.5}},
		{"dirichlet_rng", []Value{reals(1, 2, 5)}, []float64{1.0 / 8, 2.0 / 8, 5.0 / 8}},
		{"multi_normal_rng", []Value{reals(1, -2), s}, []float64{1, -2}},
		{"multi_normal_cholesky_rng", []Value{reals(1, -2), chol}, []float64{1, -2}},
		{"multi_student_t_rng", []Value{constant(7), reals(1, -2), s}, []float64{1, -2}},
		{"multi_normal_rng", []Value{Array{reals(1, -2), reals(3, 5)}, s}, []float64{1, -2, 3, 5}},
		{"multi_normal_cholesky_rng", []Value{Array{reals(1, -2), reals(3, 5)}, chol}, []float64{1, -2, 3, 5}},
		{"multi_student_t_rng", []Value{constant(7), Array{reals(1, -2), reals(3, 5)}, s}, []float64{1, -2, 3, 5}},
		{"multi_student_t_cholesky_rng", []Value{constant(7), Array{reals(1, -2), reals(3, 5)}, chol}, []float64{1, -2, 3, 5}},
		{"wishart_rng", []Value{constant(6), s}, []float64{12, 3, 3, 6}},
		{"inv_wishart_rng", []Value{constant(9), s}, []float64{2.0 / 6, .5 / 6, .5 / 6, 1.0 / 6}},
		{"lkj_corr_rng", []Value{3, constant(1.5)}, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}},
		{"discrete_range_rng", []Value{2, 7}, []float64{4.5}},
		{"hypergeometric_rng", []Value{5, 4, 8}, []float64{5.0 / 3}},
		{"multinomial_logit_rng", []Value{reals(0, math.Log(2), math.Log(5)), 8}, []float64{1, 2, 5}},
		{"dirichlet_multinomial_rng", []Value{reals(1, 2, 5), 8}, []float64{1, 2, 5}},
		{"multi_normal_prec_rng", []Value{reals(1, -2), s}, []float64{1, -2}},
		{"multi_student_t_cholesky_rng", []Value{constant(7), reals(1, -2), chol}, []float64{1, -2}},
		{"beta_neg_binomial_rng", []Value{constant(3), constant(6), constant(2)}, []float64{3 * 2.0 / 5}},
		{"poisson_binomial_rng", []Value{reals(.2, .7, .5)}, []float64{1.4}},
		{"bernoulli_logit_glm_rng", []Value{s, constant(-1), reals(.3, .5)}, []float64{logistic(-.15), logistic(-.35)}},
	} {
		mean, se := c.means(t, 4000, e.name, e.args...)
		for i, want := range e.want {
			if !(math.Abs(mean[i]-want) <= 6*se[i]+1e-9) {
				t.Errorf("%s: mean %d is %v, want %v (standard error %v)", e.name, i+1, mean[i], want, se[i])
			}
		}
	}
	// Off-diagonal elements of LKJ(eta) of 3 rows are 2 b - 1 with b ~ beta(eta + 1/2, eta + 1/2).
	u := make([]float64, 3000)
	f := families["beta"]
	var g density.Grad
	for i := range u {
		v, _ := c.random("lkj_corr_rng", []Value{3, constant(1.5)})
		u[i] = math.Exp(f.Below((v.(*Matrix).at(2, 1).V+1)/2, &density.Params{2, 2}, &g))
	}
	if k := kolmogorov(u); k > 2.7 {
		t.Errorf("lkj_corr_rng: Kolmogorov's statistic is %.2f", k)
	}
}
