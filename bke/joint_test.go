package bke

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/bke/inputs"
)

// With a table of what the covariance gives, gradients are those without it to 1e-7 inside its box, whether the sums
// over the rows have a table too or not, and the same to the bit outside; values are never taken from it.
func TestTabulateCovariance(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 6))
	for _, c := range []struct {
		n, dim, m int
		sums      bool
	}{{300, 1, 12, false}, {400, 2, 60, true}, {200, 5, 80, false}} {
		x := randomRows(r, c.n, c.dim)
		in, err := inputs.Choose(t.Context(), x, inputs.Options{Seed: 1, Number: c.m})
		if err != nil {
			t.Fatal(err)
		}
		models := make([]*Model, 2)
		for i := range models {
			if models[i], err = NewModel(x, in.Z, Options{}); err != nil {
				t.Fatal(err)
			}
		}
		exact, with := models[0], models[1]
		fit, err := exact.Learn(t.Context(), LearnOptions{})
		if err != nil {
			t.Fatal(err)
		}
		best := fit.Modes[0].Params
		b := Box{best.Theta[0] / 1.2, best.Theta[0] * 1.2, best.Tau2 / 1.5, best.Tau2 * 1.5}
		if c.sums {
			if ok, err := with.Tabulate(t.Context(), b.ThetaMin, b.ThetaMax); !ok || err != nil {
				t.Fatal(ok, err)
			}
		}
		if ok, err := with.TabulateCovariance(t.Context(), b); !ok || err != nil {
			t.Fatalf("%+v: %v, %v", c, ok, err)
		}
		e, f := exact.Evaluator(), with.Evaluator()
		g, h := make([]float64, 2), make([]float64, 2)
		inside := 0
		for range 300 {
			p := Params{Theta: []float64{best.Theta[0] * math.Exp(0.22*(2*r.Float64()-1))},
				Tau2: best.Tau2 * math.Exp(0.5*(2*r.Float64()-1))}
			u, v := e.Gradient(g, p), f.Gradient(h, p)
			if p.Theta[0] < b.ThetaMin || p.Theta[0] > b.ThetaMax || p.Tau2 < b.Tau2Min || p.Tau2 > b.Tau2Max {
				if !c.sums && (u != v || g[0] != h[0] || g[1] != h[1]) {
					t.Fatalf("%+v: outside at %v: %v %v and %v %v", c, p, u, g, v, h)
				}
				continue
			}
			inside++
			scale := 1 + math.Abs(g[0]) + math.Abs(g[1])
			if !(math.Abs(u-v) < 1e-7) || !(math.Abs(g[0]-h[0]) < 1e-6*scale) || !(math.Abs(g[1]-h[1]) < 1e-6*scale) {
				t.Fatalf("%+v at %v: %v %v, want %v %v", c, p, v, h, u, g)
			}
			if !c.sums {
				a1, b1 := e.Value(p)
				if a2, b2 := f.Value(p); a1 != a2 || b1 != b2 {
					t.Fatalf("the value at %v is from the table", p)
				}
			}
		}
		if inside < 100 {
			t.Errorf("%+v: only %d points inside", c, inside)
		}
		allocs := testing.AllocsPerRun(10, func() { f.Gradient(h, best) })
		if allocs > 0 {
			t.Errorf("%+v: a gradient allocates %v times", c, allocs)
		}
	}
}

// Where the function is not smooth enough, or other parameters are free, there is no table.
func TestTabulateCovarianceNot(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x := randomRows(r, 100, 2)
	for _, o := range []Options{{ARD: true}, {Tau2: 0.1}, {Nu: Gaussian}, {}} {
		m, err := NewModel(x, x.Slice(0, 20, 0, 2), o)
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := m.TabulateCovariance(t.Context(), Box{1e-3, 1e3, 1e-8, 1e3}); ok || err != nil {
			t.Errorf("%+v: %v, %v", o, ok, err)
		}
	}
	m, err := NewModel(x, x.Slice(0, 20, 0, 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []Box{{0, 1, 1, 2}, {1, 1, 1, 2}, {1, 2, 2, 1}, {1, math.Inf(1), 1, 2}} {
		if _, err := m.TabulateCovariance(t.Context(), b); err == nil {
			t.Errorf("%+v is no error", b)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.TabulateCovariance(ctx, Box{1, 2, 0.1, 0.2}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What a gradient costs with a table of the sums, and with one of the covariance too.
func BenchmarkGradientOfTables(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 9))
	x := randomRows(r, 1000, 3)
	for _, m := range []int{16, 32, 64, 100} {
		for _, both := range []bool{false, true} {
			in, err := inputs.Choose(b.Context(), x, inputs.Options{Seed: 1, Number: m})
			if err != nil {
				b.Fatal(err)
			}
			model, err := NewModel(x, in.Z, Options{})
			if err != nil {
				b.Fatal(err)
			}
			fit, err := model.Learn(b.Context(), LearnOptions{})
			if err != nil {
				b.Fatal(err)
			}
			best := fit.Modes[0].Params
			if ok, err := model.Tabulate(b.Context(), best.Theta[0]/1.15, best.Theta[0]*1.15); !ok || err != nil {
				b.Fatal(ok, err)
			}
			if both {
				if ok, err := model.TabulateCovariance(b.Context(), Box{best.Theta[0] / 1.1, best.Theta[0] * 1.1, best.Tau2 / 1.3,
					best.Tau2 * 1.3}); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
			e, g := model.Evaluator(), make([]float64, 2)
			b.Run(fmt.Sprintf("m=%d/both=%v", m, both), func(b *testing.B) {
				for b.Loop() {
					e.Gradient(g, best)
				}
			})
		}
	}
}
