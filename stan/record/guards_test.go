package record

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/stan/syntax"
)

// A program whose conditions come out otherwise at nearly every point has the log density and gradient of a
// fresh run everywhere, and the same bits whatever was evaluated before.
func TestGuardsFlip(t *testing.T) {
	p := bound(t, "guards", nil)
	chain, r := p.NewChain(), rand.New(rand.NewPCG(9, 10))
	u, grad, want, again := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
	rejected := 0
	for range 80 {
		for i := range u {
			u[i] = 1.5 * r.NormFloat64()
		}
		lp := chain.LogDensity(u, grad)
		fresh, err := p.LogDensity(u, want)
		if err != nil {
			if rejected++; !Rejected(err) || !math.IsInf(lp, -1) {
				t.Fatalf("at %v: %v, and the chain has %v", u, err, lp)
			}
			continue
		}
		if !(math.Abs(lp-fresh) <= 1e-12*max(1, math.Abs(fresh))) {
			t.Errorf("at %v: %v, want %v", u, lp, fresh)
		}
		if first := p.NewChain().LogDensity(u, again); first != lp {
			t.Errorf("at %v: %v after other points, %v at first", u, lp, first)
		}
		for i := range grad {
			if !(math.Abs(grad[i]-want[i]) <= 1e-10*max(1, math.Abs(want[i]))) {
				t.Errorf("derivative %d at %v: %v, want %v", i, u, grad[i], want[i])
			}
			if grad[i] != again[i] {
				t.Errorf("derivative %d at %v has other bits after other points", i, u)
			}
		}
	}
	if rejected == 0 || rejected > 60 {
		t.Errorf("%d of 80 points rejected, want some", rejected)
	}
}

// Where arguments may be anything, a chain that replays a recording rejects what the program rejects, and has its
// log density elsewhere: every distribution of single values, and some of several.
func TestReplayedDomains(t *testing.T) {
	calls := map[string]int{ // with unconstrained parameters a[1], a[2], …
		"dirichlet_lpdf([0.2, 0.8]' | to_vector(a))":                                  2,
		"dirichlet_multinomial_lpmf({1, 2} | to_vector(a))":                           2,
		"poisson_binomial_lpmf(1 | to_vector(a))":                                     2,
		"beta_neg_binomial_lpmf(2 | a[1], a[2], a[3])":                                3,
		"beta_neg_binomial_lcdf(2 | a[1], a[2], a[3])":                                3,
		"wiener_lpdf(a[1] | a[2], a[3], a[4], a[5])":                                  5,
		"skew_normal_lcdf(a[1] | a[2], a[3], a[4])":                                   4,
		"von_mises_lcdf(a[1] | a[2], a[3])":                                           3,
		"multi_normal_lpdf([0.3, 1]' | [a[1], a[2]]', [[a[3], 0.3], [0.3, a[4]]])":    4,
		"lkj_corr_lpdf([[1, 0.3], [0.3, 1]] | a[1])":                                  1,
		"inv_wishart_lpdf([[1, 0.3], [0.3, 1]] | a[1] + 2, [[a[2], 0.3], [0.3, 1]])":  2,
		"multi_student_t_lpdf([0.3, 1]' | a[1], [a[2], 1]', [[1, 0.3], [0.3, a[3]]])": 3,
		"ordered_logistic_lpmf(2 | a[1], [a[2], a[3]]')":                              3,
		"categorical_lpmf(2 | [a[1], 1 - a[1]]')":                                     1,
		"multinomial_lpmf({2, 1} | [a[1], 1 - a[1]]')":                                1,
		"dirichlet_lpdf([a[1], 1 - a[1]]' | [a[2], 2]')":                              2,
	}
	for _, d := range words().Distributions {
		if d.Joint {
			continue
		}
		n := len(split(d.Args))
		args, value, suffix := "a[2]", "a[1]", "_lpdf"
		for k := 3; k <= n; k++ {
			args += fmt.Sprintf(", a[%d]", k)
		}
		if d.Discrete {
			value, suffix = "1", "_lpmf"
			if strings.HasPrefix(d.Name, "bernoulli") {
				value = "0" // P(y > 1) is 0
			}
		}
		if strings.Contains(strings.Join(split(d.Args)[1:], " "), "ints") || n < 2 {
			continue
		}
		calls[d.Name+suffix+"("+value+" | "+args+")"] = n
		if d.CDF {
			calls[d.Name+"_lcdf("+value+" | "+args+")"] = n
			calls[d.Name+"_lccdf("+value+" | "+args+")"] = n
		}
	}
	for call, n := range calls {
		tree, err := syntax.Parse(fmt.Sprintf("parameters { array[%d] real a; } model { target += %s - sum(square(a)); }", n, call))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Bind(tree, nil, 1)
		if err != nil {
			t.Errorf("%s: %v", call, err)
			continue
		}
		chain, r := p.NewChain(), rand.New(rand.NewPCG(9, 10))
		u, grad := make([]float64, n), make([]float64, n)
		good := 0
		for range 300 {
			for i := range u {
				u[i] = 0.5 + r.NormFloat64()
			}
			got := chain.LogDensity(u, grad)
			want, err := p.LogDensity(u, grad)
			if err != nil {
				want = math.Inf(-1)
			} else if !math.IsInf(want, 0) {
				good++
			}
			same := got == want || math.IsInf(got, -1) && math.IsInf(want, 1)
			if !same && (math.IsInf(want, 0) || !(math.Abs(got-want) <= 1e-10*max(1, math.Abs(want)))) {
				t.Errorf("%s at %v: %v, replayed %v: %v", call, u, want, got, err)
				break
			}
		}
		if good == 0 {
			t.Errorf("%s is nowhere finite", call)
		}
	}
}

// Probabilities that do not add up to 1 are rejected, wherever the sum strays.
func TestNoSimplex(t *testing.T) {
	for _, call := range []string{"categorical_lpmf(2 | [a, 0.5]')", "multinomial_lpmf({2, 1} | [a, 0.5]')",
		"dirichlet_lpdf([a, 0.5]' | [2, 2]')"} {
		tree, err := syntax.Parse("parameters { real a; } model { target += " + call + "; target += " + call + "; }")
		if err != nil {
			t.Fatal(err)
		}
		p, err := Bind(tree, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		chain, grad := p.NewChain(), make([]float64, 1)
		for _, u := range []float64{0.5, 0.5 + 3e-9, 0.4, 0.6, 0.5 + 3e-8, 0.5} {
			got, near := chain.LogDensity([]float64{u}, grad), math.Abs(u-0.5) < 1e-8
			if math.IsInf(got, -1) == near {
				t.Errorf("%s at %v: %v", call, u, got)
			}
		}
	}
}

// A density that arithmetic makes infinite, here by an element of a simplex and by a probability that underflow,
// is no place for a chain.
func TestInfiniteDensity(t *testing.T) {
	tree, err := syntax.Parse(`parameters { simplex[2] p; real a; }
model { p ~ dirichlet([0.5, 0.5]'); a ~ normal(0, 1); target += -log(1 - inv_logit(a)); }`)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Bind(tree, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	c, grad := p.NewChain(), make([]float64, 2)
	for _, u := range [][]float64{{800, 0}, {0, 60}} {
		if lp, _ := p.LogDensity(u, grad); !math.IsInf(lp, 1) {
			t.Fatalf("the program has %v at %v, want +Inf", lp, u)
		}
		if lp := c.LogDensity(u, grad); !math.IsInf(lp, -1) {
			t.Errorf("at %v: %v, want -Inf", u, lp)
		}
	}
	if lp := c.LogDensity([]float64{0, 0}, grad); math.IsInf(lp, 0) {
		t.Errorf("at 0: %v", lp)
	}
}

// What rejects a point need be no part of the density: a chain that replays a recording of a point that is not
// rejected rejects the others as the program does.
func TestUnusedRejects(t *testing.T) {
	for text, c := range map[string]struct{ good, bad float64 }{
		"parameters { real r; } model { matrix[2,2] L = cholesky_decompose([[1,r],[r,1]]); r ~ normal(0,1); }":         {.5, 1.5},
		"parameters { real x; } model { real y = normal_lpdf(1 | 0, x); x ~ normal(0, 1); }":                           {.5, -.5},
		"parameters { real x; } model { target += 0 * normal_lpdf(1 | 0, x); x ~ normal(0, 1); }":                      {.5, -.5},
		"parameters { real x; } model { real y = skew_normal_lcdf(0.3 | 0, x, 2); x ~ normal(0, 1); }":                 {.5, -.5},
		"parameters { real x; } transformed parameters { real y = poisson_lccdf(2 | x); } model { x ~ normal(0, 1); }": {.5, -.5},
		`functions { vector f(real t, vector y, real a) { return a * y .* y; } } parameters { real a; }
transformed parameters { array[1] vector[1] z = ode_rk45(f, [1]', 0.0, {2.0}, a); } model { a ~ normal(0, 1); }`: {.1, .9},
	} {
		p := written(t, text, nil)
		chain, g := p.NewChain(), make([]float64, 1)
		for _, x := range []float64{c.good, c.bad, c.good} {
			if lp := chain.LogDensity([]float64{x}, g); math.IsInf(lp, -1) != (x == c.bad) {
				t.Errorf("%s: the log density at %v is %v", text, x, lp)
			}
		}
	}
}
