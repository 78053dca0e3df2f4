package models

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"

	"bayeskernel/hmc"
	"bayeskernel/internal/long"
)

// each calls f with every model, its target and what the tests know of it.
func each(t *testing.T, f func(t *testing.T, p Posterior, target hmc.Target, s slow)) {
	t.Helper()
	posteriors, err := All()
	if err != nil {
		t.Fatal(err)
	}
	known := slowModels(t)
	if len(posteriors) != len(known) {
		t.Fatalf("%d posteriors, want %d", len(posteriors), len(known))
	}
	for _, p := range posteriors {
		t.Run(p.Name, func(t *testing.T) {
			s, ok := known[p.Name]
			if !ok {
				t.Fatalf("no model is called %q", p.Name)
			}
			target, err := p.Factory()
			if err != nil {
				t.Fatal(err)
			}
			if target.Dim() != s.dim {
				t.Fatalf("dimension %d, want %d", target.Dim(), s.dim)
			}
			f(t, p, target, s)
		})
	}
}

// points returns eight points of the kind from which samplers start.
func points(d int) [][]float64 { return manyPoints(d, 8) }

func manyPoints(d, n int) [][]float64 {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([][]float64, n)
	for i := range x {
		for range d {
			x[i] = append(x[i], 4*r.Float64()-2)
		}
	}
	return x
}

func constrain(target hmc.Target, x []float64) []float64 {
	c := target.(hmc.Constrainer)
	v := make([]float64, len(c.Names()))
	c.Constrain(v, x)
	return v
}

// coordinates returns as many of the values at x as the target has dimensions.
func (s slow) coordinates(target hmc.Target, x []float64) []float64 {
	v := constrain(target, x)
	if s.free == nil {
		return v[:s.dim]
	}
	c := make([]float64, s.dim)
	for i, j := range s.free {
		c[i] = v[j]
	}
	return c
}

func TestReferenceNames(t *testing.T) {
	each(t, func(t *testing.T, p Posterior, target hmc.Target, _ slow) {
		names := target.(hmc.Constrainer).Names()
		if len(p.Reference) < 3 {
			t.Errorf("only %d parameters have reference moments", len(p.Reference))
		}
		for name := range p.Reference {
			if !slices.Contains(names, name) {
				t.Errorf("%s is not among the names %q", name, names)
			}
		}
	})
}

func TestGradient(t *testing.T) {
	each(t, func(t *testing.T, _ Posterior, target hmc.Target, s slow) {
		n := 8
		if long.Enabled() {
			n = 8000 / s.dim
		}
		for _, x := range manyPoints(s.dim, n) {
			if err := hmc.CheckGradient(target, x); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestLogDensity holds the log density to gonum's distributions and to the Jacobian of Constrain by
// finite differences. Up to a constant, so differences between points are compared.
func TestLogDensity(t *testing.T) {
	each(t, func(t *testing.T, _ Posterior, target hmc.Target, s slow) {
		grad := make([]float64, s.dim)
		first, scale := 0.0, 0.0
		for i, x := range points(s.dim) {
			got := target.LogDensity(x, grad)
			jac := mat.NewDense(s.dim, s.dim, nil)
			fd.Jacobian(jac, func(dst, x []float64) { copy(dst, s.coordinates(target, x)) }, x,
				&fd.JacobianSettings{Formula: fd.Central})
			logJ, _ := mat.LogDet(jac)
			want := s.logDensity(s.coordinates(target, x)) + logJ
			off := got - want
			scale = max(scale, math.Abs(got))
			if i == 0 {
				first = off
			}
			// Finite differences err by 1e-9 or so, sums of size scale by its rounding.
			if !(math.Abs(off-first) <= 1e-7+(1e-13+s.relative)*scale) {
				t.Errorf("at %v: log density %v, off by %v from the other points", x, got, off-first)
			}
		}
	})
}

func TestConstrain(t *testing.T) {
	each(t, func(t *testing.T, _ Posterior, target hmc.Target, s slow) {
		if s.unconstrain == nil {
			t.Skip("made of transforms that are tested where they are defined")
		}
		for _, x := range points(s.dim) {
			v := constrain(target, x)
			if !s.inside(v) {
				t.Errorf("at %v: %v is outside the support", x, v)
			}
			for i, back := range s.unconstrain(s.coordinates(target, x)) {
				if !(math.Abs(back-x[i]) <= 1e-12) {
					t.Errorf("x[%d] = %v, and %v there and back", i, x[i], back)
				}
			}
		}
	})
}

// TestExtremes goes far beyond where the densities can be represented: they may be -Inf there, and
// NaN only at NaN.
func TestExtremes(t *testing.T) {
	each(t, func(t *testing.T, _ Posterior, target hmc.Target, s slow) {
		grad := make([]float64, s.dim)
		r := rand.New(rand.NewPCG(3, 4))
		for range 300 {
			x := make([]float64, s.dim)
			for i := range x {
				x[i] = []float64{0, 1, -1, 30, -30, 400, -400, 800, -800}[r.IntN(9)]
			}
			if lp := target.LogDensity(x, grad); math.IsNaN(lp) || math.IsInf(lp, 1) {
				t.Fatalf("log density is %v at %v", lp, x)
			}
		}
		x := make([]float64, s.dim)
		x[s.dim-1] = math.NaN()
		if lp := target.LogDensity(x, grad); !math.IsNaN(lp) {
			t.Errorf("log density is %v at NaN", lp)
		}
	})
}

func TestNoAllocation(t *testing.T) {
	each(t, func(t *testing.T, _ Posterior, target hmc.Target, s slow) {
		x, grad := points(s.dim)[0], make([]float64, s.dim)
		if n := testing.AllocsPerRun(20, func() { target.LogDensity(x, grad) }); n != 0 {
			t.Errorf("%v allocations per evaluation", n)
		}
	})
}
