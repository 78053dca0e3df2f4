//go:build unix

package record

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"bayeskernel/stan/syntax"
)

// BenchmarkLoops times programs that are written as loops beside the same written as vectors: loop/vector is at
// most 1.5 where re-rolling does what it should.
func BenchmarkLoops(b *testing.B) {
	const head = "data { int N; int J; vector[N] x; vector[N] y; array[N] int k; array[N] int c; array[N] int<lower=1, upper=J> g; array[N] int o; matrix[N, 3] X; }\n"
	for _, p := range []struct{ name, parameters, loop, vector string }{
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
	} {
		b.Run(p.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			const n = 5000
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
			var chains [2]*Chain
			var u, grad []float64
			for k, model := range []string{p.loop, p.vector} {
				tree, err := syntax.Parse(head + "parameters { " + p.parameters + " }\nmodel { " + model + " }\n")
				if err != nil {
					b.Fatal(err)
				}
				q, err := Bind(tree, d, 1)
				if err != nil {
					b.Fatal(err)
				}
				chains[k] = q.NewChain()
				u, grad = make([]float64, q.Dim()), make([]float64, q.Dim())
				for i := range u {
					u[i] = 0.1 * r.NormFloat64()
				}
			}
			if x, y := chains[0].LogDensity(u, grad), chains[1].LogDensity(u, grad); math.Abs(x-y) > 1e-9*math.Abs(x) {
				b.Fatalf("the loop has %v, the vector %v", x, y)
			}
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
