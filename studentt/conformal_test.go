package studentt

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

func drawn(r *rand.Rand, n, dim int) *mat.Dense {
	x := mat.NewDense(n, dim, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, x)
	return x
}

// Against models that are made anew without each row.
func TestConformalAgainstDeletion(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	const n, first = 17, 5
	x := drawn(r, n, 2)
	points := drawn(r, 6, 2)
	points.Scale(2, points)
	points.SetRow(5, x.RawRowView(9)) // a tie
	k := kernels.SquaredExponential(0.8)
	for _, p := range []Params{{Alpha: 1, Beta: 0.01, Scale2: 0.1}, {Alpha: 3, Beta: 4, Scale2: 1e-3}} {
		c, err := NewConformal(context.Background(), k, x, first, p)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, 6)
		if err := c.PValues(t.Context(), got, points); err != nil {
			t.Fatal(err)
		}
		for j, p1 := range got {
			all := mat.NewDense(n+1, 2, nil)
			all.Stack(x, points.Slice(j, j+1, 0, 2))
			forms := make([]float64, n+1)
			for i := range forms {
				m, err := New(k, 2, p)
				if err != nil {
					t.Fatal(err)
				}
				for l := range n + 1 {
					if l != i {
						if err := m.Add(all.RawRowView(l)); err != nil {
							t.Fatal(err)
						}
					}
				}
				forms[i] = m.Evaluator().Form(all.RawRowView(i))
			}
			count := 0
			for i := first; i <= n; i++ {
				if forms[i] >= forms[n]*(1-1e-8) {
					count++
				}
			}
			if want := float64(count) / (n - first + 1); math.Abs(p1-want) > 1e-15 {
				t.Errorf("%+v, point %d: p = %v, want %v", p, j, p1, want)
			}
		}
	}
}

// D of each row given the others, against models without it.
func TestConformalForms(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	x := drawn(r, 12, 2)
	k := kernels.SquaredExponential(0.8)
	p := Params{Alpha: 1, Beta: 0.5, Scale2: 0.1}
	c, err := NewConformal(context.Background(), k, x, 0, p)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 12)
	c.Forms(got)
	for i, d := range got {
		m, err := New(k, 2, p)
		if err != nil {
			t.Fatal(err)
		}
		for l := range 12 {
			if l != i {
				if err := m.Add(x.RawRowView(l)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if want := m.Evaluator().Form(x.RawRowView(i)); math.Abs(d-want) > 1e-11*want {
			t.Errorf("row %d: %v, want %v", i, d, want)
		}
	}
}

// Rows of one distribution have p <= alpha as often as alpha says: 20 ranked rows, and the rank of
// the point is uniform on 21. False alarm with probability 1e-4 for both sides and 3 levels.
func TestConformalLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 6))
	const sets = 2000
	k := kernels.SquaredExponential(1)
	counts := map[float64]int{1. / 21: 0, 5. / 21: 0, 10. / 21: 0}
	for range sets {
		x := drawn(r, 25, 1)
		c, err := NewConformal(context.Background(), k, x, 5, Params{Alpha: 1, Beta: 0.01, Scale2: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		p := make([]float64, 1)
		if err := c.PValues(t.Context(), p, drawn(r, 1, 1)); err != nil {
			t.Fatal(err)
		}
		for level := range counts {
			if p[0] <= level+1e-12 {
				counts[level]++
			}
		}
	}
	for level, n := range counts {
		if z := (float64(n) - sets*level) / math.Sqrt(sets*level*(1-level)); math.Abs(z) > 4.15 {
			t.Errorf("level %.3f: %d of %d, z = %.1f", level, n, sets, z)
		}
	}
}

func TestConformalRefuses(t *testing.T) {
	x := mat.NewDense(2, 1, []float64{1, 2})
	k := kernels.SquaredExponential(1)
	good := Params{Alpha: 1, Beta: 1, Scale2: 1}
	if _, err := NewConformal(context.Background(), k, x, 2, good); err == nil {
		t.Error("no row is ranked")
	}
	if _, err := NewConformal(context.Background(), k, x, 0, Params{Alpha: 1, Beta: 1, Scale2: 1, Form: Printed}); err == nil {
		t.Error("the printed form")
	}
	c, err := NewConformal(context.Background(), k, x, 0, good)
	if err != nil {
		t.Fatal(err)
	}
	if c.PValues(t.Context(), make([]float64, 1), mat.NewDense(1, 2, nil)) == nil {
		t.Error("points of two columns")
	}
}

// Nothing is computed once the context has ended, and the error says why.
func TestNewConformalStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	x := mat.NewDense(3, 1, []float64{0, 1, 2})
	p := Params{Alpha: 1, Beta: 0.01, Scale2: 0.01}
	if _, err := NewConformal(ctx, kernels.SquaredExponential(1), x, 0, p); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
