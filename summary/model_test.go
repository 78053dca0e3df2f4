package summary

import (
	"context"
	"math"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/bke/quadrature"

	"gonum.org/v1/gonum/mat"
)

// exactPlan has pseudo-inputs chosen from the rows and a window around theta.
func exactPlan(t testing.TB, x []float64, dim, m int, theta float64) *Plan {
	t.Helper()
	set, err := inputs.Choose(context.Background(), dense(x, dim), inputs.Options{Number: m, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return planFor(t, x, dim, PlanOptions{Inputs: inputs.Options{Points: set.Z}, Thetas: []float64{theta}})
}

// direct is the model of the rows themselves.
func direct(t testing.TB, p *Plan, x []float64) *bke.Model {
	t.Helper()
	o, err := p.Options()
	if err != nil {
		t.Fatal(err)
	}
	m, err := bke.NewModel(dense(x, p.Dim()), mat.NewDense(p.M(), p.Dim(), p.flat()), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func fromSummary(t testing.TB, s *Summary) *bke.Model {
	t.Helper()
	o, err := s.plan.Options()
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Model(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The log pseudolikelihood and its gradient are those of the rows, to 1e-12 and 2e-10 a row, at 25
// theta over the whole window and three tau2, for windows of ±9% with 24 points.
func TestAgreesWithRows(t *testing.T) {
	for _, c := range []struct {
		dim, m, n int
		theta     float64 // in units of the pooled sd
		block     int     // 0 for that of the plan; from 256 on rows of one column are expanded
	}{{1, 10, 20000, 0.30, 0}, {1, 50, 20000, 0.14, 0}, {1, 10, 20000, 0.30, 1024},
		{1, 50, 20000, 0.14, 1024}, {2, 20, 10000, 0.27, 0}, {2, 100, 6000, 0.13, 0},
		{5, 20, 2000, 1.4, 0}, {5, 100, 600, 1.1, 0}} {
		x := mixture(1, c.n, c.dim)
		theta := c.theta * direct(t, exactPlan(t, x[:400*c.dim], c.dim, 10, 1), x).PooledSD()
		p := exactPlan(t, x, c.dim, c.m, theta)
		if n := len(p.Windows[0].Nodes); n != 24 {
			t.Fatalf("%d nodes", n)
		}
		if c.block > 0 {
			p.Block = c.block
		}
		rows, sums := direct(t, p, x), fromSummary(t, summarise(t, p, "P", x, 5000))
		if a, b := rows.PooledSD(), sums.PooledSD(); math.Abs(a-b) > 1e-12*a {
			t.Errorf("pooled sd %v, want %v", b, a)
		}
		e, f := rows.Evaluator(), sums.Evaluator()
		ll, gradient := 0.0, 0.0
		for i := range 25 {
			u := math.Log(theta) + 0.0862*(float64(i)/12-1)
			level := e.Level(bke.Params{Theta: []float64{math.Exp(u)}})
			for _, factor := range []float64{0.8, 1, 1.25} {
				h := bke.Params{Theta: []float64{math.Exp(u)}, Tau2: level * factor}
				g, d := make([]float64, 2), make([]float64, 2)
				a, b := e.Gradient(g, h), f.Gradient(d, h)
				ll = max(ll, math.Abs(a-b)/float64(c.n))
				for k := range g {
					gradient = max(gradient, math.Abs(g[k]-d[k])/float64(c.n))
				}
			}
		}
		t.Logf("D=%d m=%d, blocks of %d: log likelihood %.1e a row, gradient %.1e", c.dim, c.m, p.Block, ll,
			gradient)
		if !(ll < 1e-12 && gradient < 2e-10) {
			t.Errorf("D=%d m=%d: off by %.1e a row, gradient by %.1e", c.dim, c.m, ll, gradient)
		}
	}
}

// Outside the windows nothing is known.
func TestOutside(t *testing.T) {
	x := mixture(2, 3000, 1)
	m := fromSummary(t, summarise(t, exactPlan(t, x, 1, 10, 0.3), "P", x, 1000))
	if a, b := m.Evaluator().Value(bke.Params{Theta: []float64{0.4}, Tau2: 0.1}); !math.IsNaN(a) ||
		!math.IsNaN(b) {
		t.Errorf("%v, %v", a, b)
	}
}

// Of rows whose mode the plan has found from a tenth of them, learning and integrating from sums give
// what they give from rows: the mean within 0.01 sd, the sd within 1%, and the log posterior within 1e-6
// over five sds either way but for a constant.
func TestPosterior(t *testing.T) {
	n := 100000
	if long() {
		n = 1000000
	}
	ctx := context.Background()
	x := mixture(3, n, 1)
	p := planFor(t, x[:n/10], 1, PlanOptions{Inputs: inputs.Options{Number: 20}, Rows: int64(n)})
	rows, sums := direct(t, p, x), fromSummary(t, summarise(t, p, "P", x, n/7))
	s := summarise(t, p, "P", x, n/7)
	fit, err := sums.Learn(ctx, bke.LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(fit); err != nil {
		t.Fatal(err)
	}
	// The rows have a table for quadrature, checked against them below.
	best := fit.Modes[0]
	if ok, err := rows.Tabulate(ctx, best.Params.Theta[0]*0.93, best.Params.Theta[0]*1.07); !ok ||
		err != nil {
		t.Fatal(ok, err)
	}
	a, err := quadrature.Integrate(ctx, rows, bke.Priors{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := quadrature.Integrate(ctx, sums, bke.Priors{})
	if err != nil {
		t.Fatal(err)
	}
	for k, name := range a.Names {
		if d := math.Abs(a.Mean[k]-b.Mean[k]) / a.SD[k]; !(d < 0.01) {
			t.Errorf("mean of %s is off by %v sds", name, d)
		}
		if r := b.SD[k] / a.SD[k]; !(math.Abs(r-1) < 0.01) {
			t.Errorf("sd of %s is %v times that of the rows", name, r)
		}
	}
	exact := direct(t, p, x).Evaluator()
	e, worst, first := sums.Evaluator(), 0.0, 0.0
	for i := -5; i <= 5; i++ {
		u := math.Exp(best.Logs[0] + float64(i)*a.SD[0]/a.Mean[0])
		h := bke.Params{Theta: []float64{u}, Tau2: best.Params.Tau2}
		g := make([]float64, 2)
		d := exact.Gradient(g, h) - e.Gradient(g, h)
		if i == -5 {
			first = d
		}
		worst = max(worst, math.Abs(d-first))
	}
	t.Logf("n = %d: variation of the difference over ±5 sds %.1e nats, posterior sd of theta %.2e", n,
		worst, a.SD[0]/a.Mean[0])
	if !(worst < 1e-6) {
		t.Errorf("the difference varies by %v nats over ten sds", worst)
	}
}
