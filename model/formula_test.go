package model_test

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/model"
)

// Formulas have the parentheses that they need, and no others.
func TestFormulas(t *testing.T) {
	m := model.New()
	group, in := m.Factor("group", []string{"u", "v", "u"})
	a, b := m.Real("a", model.Normal(0, 1)), m.Positive("b", model.Gamma(2, 1))
	c := group.Reals("c", model.Normal(a.Sub(b), b.Square().Inv()), model.Centred)
	x := m.Data("x", []float64{1, 2, 3})
	z := m.Matrix("Z", mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 7}))
	m.Observe(m.Data("y", []float64{1, 0, 2}), model.Normal(c.Of(in).Add(x.Mul(a.Sub(b))), b.Sqrt()))
	m.Observe(m.Data("w", []float64{1, 0, 2}), model.Mix(model.Stack(b.InvLogit(), b.InvLogit().OneMinus()),
		model.Normal(a, 1), model.Cauchy(z.MatVec(c), b)))
	for name, e := range map[string]model.Expr{"q1": a.Div(b.Mul(b)), "q2": a.Mul(b).Div(b), "q3": a.Sub(b.Sub(a)),
		"q4": a.Add(b).Neg(), "q5": a.Scale(3).Shift(-1), "q6": a.Add(b).Pow(3), "q7": a.PowOf(b.Exp()),
		"q8": c.Slice(0, 1), "q9": c.El(1), "q10": c.Dot(c), "q11": z.Col(1).Mul(a).Mean(),
		"q12": a.Add(b).OneMinus().Log1p(), "q13": c.LogSumExp().Exp()} {
		m.Quantity(name, e)
	}
	deep := a
	for range 1000 {
		deep = deep.Mul(deep).Add(b)
	}
	m.Quantity("deep", deep)
	got := compile(t, m).String()
	for _, want := range []string{"c[group: 2] ~ normal(a - b, 1 / b^2)", "y[3] ~ normal(c[group] + x * (a - b), sqrt(b)), ",
		"w[3] ~ mixture((inv_logit(b), 1 - inv_logit(b)), normal(a, 1), cauchy(Z * c, b)), ", "q1 = a / (b * b), ",
		"q2 = a * b / b, ", "q3 = a - (b - a), ", "q4 = -(a + b), ", "q5 = 3 * a + -1, ", "q6 = (a + b)^3, ",
		"q7 = a^exp(b), ", "q8[1] = c[1:1], ", "q9 = c[2], ", "q10 = sum(c * c), ", "q11 = mean(Z[,2] * a), ",
		"q12 = log1p(1 - (a + b)), ", "q13 = exp(log_sum_exp(c)), "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%v", want, got)
		}
	}
	if len(got) > 5000 {
		t.Errorf("%d characters", len(got))
	}
}
