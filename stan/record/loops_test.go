//go:build unix

package record

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"bayeskernel/stan/syntax"
)

type loopPair struct{ name, parameters, loop, vector string }

// loopHead declares the data of loopPairs.
const loopHead = "data { int N; int J; vector[N] x; vector[N] y; array[N] int k; array[N] int c; array[N] int<lower=1, upper=J> g; array[N] int o; matrix[N, 3] X; }\n"

// loopPairs are programs written as loops, and the same written as vectors.
var loopPairs = []loopPair{
	{"regression", "real a; real b; real<lower=0> s;", "for (n in 1:N) y[n] ~ normal(a + b * x[n], s);", "y ~ normal(a + b * x, s);"},
	{"matrix", "vector[3] b; real<lower=0> s;", "for (n in 1:N) y[n] ~ normal(X[n] * b, s);", "y ~ normal(X * b, s);"},
	{"groups", "vector[J] a; real b; real<lower=0> s;", "for (n in 1:N) { real m = a[g[n]]; m += b * x[n]; y[n] ~ student_t(5, m, s); }",
		"y ~ student_t(5, a[g] + b * x, s);"},
	{"logistic", "vector[J] a; real b;", "for (n in 1:N) k[n] ~ bernoulli_logit(a[g[n]] + b * x[n]);", "k ~ bernoulli_logit(a[g] + b * x);"},
	{"counts", "vector[J] a; real b; real<lower=0> phi;", "for (n in 1:N) c[n] ~ neg_binomial_2_log(a[g[n]] + b * x[n], phi);",
		"c ~ neg_binomial_2_log(a[g] + b * x, phi);"},
	{"scales", "vector[J] a; vector[J] t;", "for (n in 1:N) y[n] ~ normal(a[g[n]], exp(t[g[n]]));", "y ~ normal(a[g], exp(t)[g]);"},
	{"ordinal", "ordered[3] cut; real b;", "for (n in 1:N) o[n] ~ ordered_logistic(b * x[n], cut);", "o ~ ordered_logistic(b * x, cut);"},
	{"mixture", "real a; real d; real<lower=0, upper=1> w;",
		"for (n in 1:N) target += log_mix(w, normal_lpdf(y[n] | a, 1), normal_lpdf(y[n] | d, 2));",
		"{ vector[N] u = log(w) - 0.5 * square(y - a) - 0.5 * log(2 * pi()); vector[N] v = log1m(w) - 0.5 * square((y - d) / 2) - 0.5 * log(8 * pi()); target += sum(log_sum_exp(u, v)); }"},
}

// chains are of the loop and of the vectors with the same data of n rows, and a point.
func (p loopPair) chains(t testing.TB, n int) (chains [2]*Chain, u []float64) {
	r := rand.New(rand.NewPCG(1, 2))
	d := Data{"N": float64(n), "J": 50.0}
	add := func(name string, f func() any) {
		l := make([]any, n)
		for i := range l {
			l[i] = f()
		}
		d[name] = l
	}
	for _, name := range []string{"x", "y"} {
		add(name, func() any { return r.NormFloat64() })
	}
	add("k", func() any { return float64(r.IntN(2)) })
	add("c", func() any { return float64(r.IntN(9)) })
	add("g", func() any { return float64(1 + r.IntN(50)) })
	add("o", func() any { return float64(1 + r.IntN(4)) })
	add("X", func() any { return []any{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()} })
	for k, model := range []string{p.loop, p.vector} {
		tree, err := syntax.Parse(loopHead + "parameters { " + p.parameters + " }\nmodel { " + model + " }\n")
		if err != nil {
			t.Fatal(err)
		}
		q, err := Bind(tree, d, 1)
		if err != nil {
			t.Fatal(err)
		}
		chains[k], u = q.NewChain(), make([]float64, q.Dim())
		for i := range u {
			u[i] = 0.1 * r.NormFloat64()
		}
	}
	x, y := chains[0].LogDensity(u, make([]float64, len(u))), chains[1].LogDensity(u, make([]float64, len(u)))
	if math.Abs(x-y) > 1e-9*math.Abs(x) {
		t.Fatalf("the loop has %v, the vector %v", x, y)
	}
	return chains, u
}

// Loops and vectors have the density and the gradient of the program as it runs, scalar by scalar, at the point of the recording
// and at another.
func TestLoops(t *testing.T) {
	for _, p := range loopPairs {
		chains, u := p.chains(t, 90)
		for range 2 {
			for k, c := range chains {
				got, want := make([]float64, len(u)), make([]float64, len(u))
				lp := c.LogDensity(u, got)
				of, err := c.p.LogDensity(u, want)
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(lp-of) > 1e-10*math.Abs(of) {
					t.Errorf("%s, form %d: %v, want %v", p.name, k, lp, of)
				}
				for i, v := range want {
					if math.Abs(got[i]-v) > 1e-10*(1+math.Abs(v)) {
						t.Errorf("%s, form %d: derivative %d is %v, want %v", p.name, k, i, got[i], v)
					}
				}
			}
			for i := range u {
				u[i] += 0.05 * float64(i%3)
			}
		}
	}
}

// BenchmarkLoops times programs that are written as loops beside the same written as vectors: loop/vector is at
// most 1.5 where re-rolling does what it should.
func BenchmarkLoops(b *testing.B) {
	for _, p := range loopPairs {
		b.Run(p.name, func(b *testing.B) {
			chains, u := p.chains(b, 5000)
			grad := make([]float64, len(u))
			best := [2]float64{math.Inf(1), math.Inf(1)}
			for b.Loop() {
				for range 7 {
					for k, c := range chains {
						reps := 1
						for {
							t := cpu()
							for range reps {
								c.LogDensity(u, grad)
							}
							if d := cpu() - t; d >= 20*time.Millisecond || reps > 1<<20 {
								best[k] = min(best[k], float64(d)/float64(reps))
								break
							}
							reps *= 2
						}
					}
				}
			}
			b.ReportMetric(best[0], "ns/loop")
			b.ReportMetric(best[1], "ns/vector")
			b.ReportMetric(best[0]/best[1], "loop/vector")
			b.ReportMetric(0, "ns/op")
		})
	}
}
