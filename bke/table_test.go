package bke

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/bke/inputs"
	"bayeskernel/kernels"
)

// With a table the log pseudolikelihood and its gradient are those of the pass over the rows, to 1e-7
// nats between the bounds and to the bit outside, whatever the number of columns and the kernel.
func TestTabulate(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		n, dim int
		kernel kernels.Radial
		nu     Nu
	}{{300, 1, kernels.SE{}, Unit}, {200, 2, kernels.SE{}, Gaussian}, {120, 5, kernels.SE{}, Unit},
		{120, 5, kernels.Matern{Nu: 1.5}, Unit}, {100, 12, kernels.SE{}, Lebesgue}} {
		x := randomRows(r, c.n, c.dim)
		in, err := inputs.Choose(t.Context(), x, inputs.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		exact, err := NewModel(x, in.Z, Options{Kernel: c.kernel, Nu: c.nu})
		if err != nil {
			t.Fatal(err)
		}
		with, err := NewModel(x, in.Z, Options{Kernel: c.kernel, Nu: c.nu})
		if err != nil {
			t.Fatal(err)
		}
		centre := math.Sqrt(float64(c.dim))
		ok, err := with.Tabulate(t.Context(), centre/4, 4*centre)
		if err != nil || !ok {
			t.Fatalf("%+v: %v, %v", c, ok, err)
		}
		a, b := exact.Evaluator(), with.Evaluator()
		g, h := make([]float64, len(exact.Free())), make([]float64, len(exact.Free()))
		worst, worstSlope := 0.0, 0.0
		for range 200 {
			theta := centre * math.Exp(1.6*(2*r.Float64()-1)) // some are outside
			p := Params{Theta: []float64{theta}, Tau2: math.Exp(4*r.Float64() - 6),
				Eta: 1 + r.Float64()}
			u, v := a.Gradient(g, p), b.Gradient(h, p)
			if theta < centre/4 || theta > 4*centre {
				if u != v || g[0] != h[0] || g[1] != h[1] {
					t.Fatalf("%+v: outside at %v: %v and %v", c, theta, u, v)
				}
				continue
			}
			worst = max(worst, math.Abs(u-v))
			for i := range g {
				worstSlope = max(worstSlope, math.Abs(g[i]-h[i])/(1+math.Abs(g[i])))
			}
		}
		t.Logf("n %d, D %d, %v: degree %d, value to %.1g, slope to %.1g", c.n, c.dim, c.kernel,
			len(with.table.coef)-1, worst, worstSlope)
		if worst > 1e-7 || worstSlope > 1e-6 {
			t.Errorf("%+v: value to %g, slope to %g", c, worst, worstSlope)
		}
		p := Params{Theta: []float64{centre}, Tau2: 0.1, Eta: 1}
		if allocs := testing.AllocsPerRun(5, func() { b.Gradient(h, p) }); allocs > 0 {
			t.Errorf("%+v: %v allocations", c, allocs)
		}
	}
}

// What cannot be tabulated, is not.
func TestTabulateNot(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	x := randomRows(r, 40, 4)
	in, err := inputs.Choose(t.Context(), x, inputs.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	ard, err := NewModel(x, in.Z, Options{ARD: true})
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := ard.Tabulate(t.Context(), 1, 2); ok || err != nil {
		t.Errorf("lengthscales of each column: %v, %v", ok, err)
	}
	m, err := NewModel(x, in.Z, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := m.Tabulate(t.Context(), 1e-3, 1e6); ok || err != nil || m.table != nil {
		t.Errorf("nine decades: %v, %v", ok, err)
	}
	for _, b := range [][2]float64{{0, 1}, {2, 1}, {1, math.Inf(1)}, {math.NaN(), 1}} {
		if _, err := m.Tabulate(t.Context(), b[0], b[1]); err == nil {
			t.Errorf("bounds %v were taken", b)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Tabulate(ctx, 1, 2); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
