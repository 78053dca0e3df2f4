package model_test

import (
	"math/rand/v2"
	"testing"

	"bayeskernel/model"
)

// BenchmarkFamilies is a gradient of a regression of 10,000 rows for each family of errors; ns/row is to
// be held against that of the normal distribution.
func BenchmarkFamilies(b *testing.B) {
	const n = 10_000
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
		y[i] = 1 + x[i] + r.NormFloat64()
	}
	for _, c := range []struct {
		name string
		of   func(mu, s model.Expr) model.Dist
	}{
		{"normal", func(mu, s model.Expr) model.Dist { return model.Normal(mu, s) }},
		{"student_t", func(mu, s model.Expr) model.Dist { return model.StudentT(4, mu, s) }},
		{"cauchy", func(mu, s model.Expr) model.Dist { return model.Cauchy(mu, s) }},
		{"logistic", func(mu, s model.Expr) model.Dist { return model.Logistic(mu, s) }},
		{"double_exponential", func(mu, s model.Expr) model.Dist { return model.DoubleExponential(mu, s) }},
		{"gumbel", func(mu, s model.Expr) model.Dist { return model.Gumbel(mu, s) }},
		{"truncated student_t", func(mu, s model.Expr) model.Dist {
			return model.StudentT(4, mu, s).Truncate(-20, 20)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := model.New()
			a, s := m.Reals("a", 2, model.Normal(0, 5)), m.Positive("s", model.Exponential(1))
			mu := m.Data("x", x).Mul(a.El(1)).Add(a.El(0))
			m.Observe(m.Data("y", y), c.of(mu, s))
			p, err := m.Compile(model.Without(model.Regressions))
			if err != nil {
				b.Fatal(err)
			}
			t, err := p.Target()
			if err != nil {
				b.Fatal(err)
			}
			q, g := []float64{.9, 1.1, .1}, make([]float64, 3)
			b.ReportAllocs()
			for b.Loop() {
				t.LogDensity(q, g)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}
