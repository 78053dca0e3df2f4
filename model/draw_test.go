package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/engine"

	"gonum.org/v1/gonum/mathext"
)

// drawn are draws of size values from a distribution whose arguments are constants.
func drawn(t *testing.T, m *Model, d Dist, size, n int) [][]float64 {
	t.Helper()
	in := d.in(m, "x", "here")
	if in == nil {
		t.Fatal(m.wrong)
	}
	c := &engine.Memory{Value: make([][]float64, len(m.graph.Nodes)), Adjoint: make([][]float64, len(m.graph.Nodes))}
	for _, a := range m.graph.Nodes {
		c.Value[a.ID] = a.Value
	}
	term, r := in.Bind(c, nil), rand.New(rand.NewPCG(11, 1))
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, size)
		term.Draw(r, out[i])
	}
	return out
}

// uniform wants values between 0 and 1 with that distribution: their Kolmogorov-Smirnov distance is
// above 2.69/sqrt n by chance with probability 1e-6.
func uniform(t *testing.T, name string, u []float64) {
	t.Helper()
	slices.Sort(u)
	n, worst := float64(len(u)), 0.0
	for i, v := range u {
		worst = max(worst, math.Abs(v-float64(i)/n), math.Abs(v-float64(i+1)/n))
	}
	if !(worst <= 2.69/math.Sqrt(n)) {
		t.Errorf("%s: draws are %v from their distribution", name, worst)
	}
}

// Draws of joint distributions by the distributions of parts: 17 tests at 1e-6 each. Were the seed
// changed, one would fail with probability 2e-5.
func TestJointDraws(t *testing.T) {
	const n = 10_000
	part := func(name string, draws [][]float64, of func(v []float64) float64) {
		t.Helper()
		u := make([]float64, len(draws))
		for i, v := range draws {
			u[i] = of(v)
		}
		uniform(t, name, u)
	}
	phi := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

	// L⁻¹(y - mean) has independent standard normal values.
	m := New()
	l := []float64{2, 0, 0, -1, 0.5, 0, 0.3, 0.4, 1.5}
	mean := []float64{1, -2, 5}
	normal := drawn(t, m, MvNormal(mean, MatOf(3, 3, m.Values(l))), 3, n)
	student := drawn(t, m, MvStudentT(4, mean, MatOf(3, 3, m.Values(l))), 3, n)
	white := func(v []float64) []float64 {
		w := make([]float64, 3)
		for i := range w {
			w[i] = v[i] - mean[i]
			for j, z := range w[:i] {
				w[i] -= l[3*i+j] * z
			}
			w[i] /= l[4*i]
		}
		return w
	}
	for i := range 3 {
		part("normal", normal, func(v []float64) float64 { return phi(white(v)[i]) })
	}
	part("normal, sums", normal, func(v []float64) float64 {
		w := white(v)
		return phi((w[0] + w[1] - w[2]) / math.Sqrt(3))
	})
	part("t", student, func(v []float64) float64 { // q/3 has the F distribution with 3 and 4
		q := 0.0
		for _, w := range white(v) {
			q += w * w
		}
		return mathext.RegIncBeta(1.5, 2, q/(q+4))
	})
	// With LKJ(eta), n rows, each correlation is 2 b - 1 for b ~ beta(eta + n/2 - 1, the same).
	corr := drawn(t, New(), LKJ(0.8), 16, n)
	for i := range 4 {
		for j := range i {
			part("lkj", corr, func(v []float64) float64 {
				r := 0.0
				for k := range 4 {
					r += v[i*4+k] * v[j*4+k]
				}
				return mathext.RegIncBeta(1.8, 1.8, (1+r)/2)
			})
		}
	}
	alpha := []float64{0.3, 2, 1, 4}
	simplex := drawn(t, New(), Dirichlet(alpha), 4, n)
	for i, a := range alpha {
		part("dirichlet", simplex, func(v []float64) float64 {
			return mathext.RegIncBeta(a, 7.3-a, v[i])
		})
	}
	// Categories, and multinomial counts by their totals, to 5 standard deviations each: 7 tests with
	// a chance of 6e-7.
	p := []float64{0.2, 0.1, 0.7}
	m = New()
	totals := map[string][]float64{"categorical": make([]float64, 3), "logit": make([]float64, 3),
		"multinomial": make([]float64, 3)}
	for _, v := range drawn(t, m, Categorical(p), 1, n) {
		totals["categorical"][int(v[0])-1]++
	}
	for _, v := range drawn(t, m, CategoricalLogit([]float64{math.Log(2), 0, math.Log(7)}), 1, n) {
		totals["logit"][int(v[0])-1]++
	}
	for _, v := range drawn(t, m, Multinomial(10, p), 3, n/10) {
		if v[0]+v[1]+v[2] != 10 {
			t.Fatalf("counts %v, want 10 in all", v)
		}
		for k, c := range v {
			totals["multinomial"][k] += c
		}
	}
	for name, of := range totals {
		for k, c := range of {
			if math.Abs(c-n*p[k]) > 5*math.Sqrt(n*p[k]*(1-p[k])) {
				t.Errorf("%s: %v of category %d among %d, want about %v", name, c, k+1, n, n*p[k])
			}
		}
	}
}
