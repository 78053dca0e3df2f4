package kerneltest

import (
	"context"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"bayeskernel/bke/inputs"
	"bayeskernel/internal/fixture"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// What is learned once serves many tests, at once, with the same result to the last bit.
func TestIndependenceOf(t *testing.T) {
	ctx := context.Background()
	x, y := fixture.Normals(1, 60, 2, 0), fixture.Normals(2, 60, 1, 0)
	few := inputs.Options{Number: 5}
	for _, o := range []Options{
		{}, {Kernel: Choice{Rule: Learned}, Unbiased: true},
		{Null: statistic.Spectral, KernelY: Lengthscale(2)},
		{Kernel: Choice{Rule: FuseGrid, Bandwidths: 4}, Combine: Fuse},
		{Kernel: Fixed(se(1), se(2)), KernelY: Choice{Rule: PlainMedian}, Standardize: StandardizeNever},
	} {
		o.Permutations, o.Seed = 99, 3
		if o.Kernel.Rule <= Learned && o.Kernel.Kernels == nil {
			o.Kernel.Inputs = few
		}
		want := fixture.Get[*Result](t)(Independence(ctx, x, y, o))
		cy := o.KernelY
		if cy.isZero() {
			cy = o.Kernel
		}
		vx := fixture.Get[*Variable](t)(NewVariable(ctx, "x", x, o.Kernel, o))
		vy := fixture.Get[*Variable](t)(NewVariable(ctx, "y", y, cy, o))
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				got, err := IndependenceOf(ctx, vx, vy, o)
				if err != nil {
					t.Error(err)
					return
				}
				if got.Statistic != want.Statistic || got.P != want.P ||
					!reflect.DeepEqual(got.Draws, want.Draws) || got.Biased != want.Biased ||
					!reflect.DeepEqual(got.Candidates, want.Candidates) ||
					!reflect.DeepEqual(got.Notes, want.Notes) {
					t.Errorf("%v: statistic %v and p %v, want %v and %v", o.Kernel.Rule, got.Statistic,
						got.P, want.Statistic, want.P)
				}
			})
		}
		wg.Wait()
		vz := fixture.Get[*Variable](t)(NewVariable(ctx, "z", x.Slice(0, 59, 0, 2), o.Kernel, o))
		if _, err := IndependenceOf(ctx, vz, vy, o); err == nil {
			t.Error("variables of 59 and 60 rows have a test")
		}
	}
}

// Matrices that are not kept, and sides gathered the other way round, change nothing but rounding.
func TestPathsOfIndependence(t *testing.T) {
	const n = 150
	x, y := rounded(1, n, 2, 0.1), rounded(2, n, 2, 0.1)
	o := Options{Permutations: 59, Seed: 2, Standardize: StandardizeNever}
	test := func(kx, ky Choice, kept int) *Result {
		vx := fixture.Get[*Variable](t)(NewVariable(context.Background(), "x", x, kx, o))
		vy := fixture.Get[*Variable](t)(NewVariable(context.Background(), "y", y, ky, o))
		vx.limits.kept, vy.limits.kept = kept, kept
		return fixture.Get[*Result](t)(IndependenceOf(context.Background(), vx, vy, o))
	}
	five := Fixed(se(0.1), se(0.2), se(0.4), se(0.8), se(1.6))
	for _, c := range [][2]Choice{{five, Fixed(se(0.3))}, {Fixed(se(0.3)), five}, {five, five}} {
		kept, not := test(c[0], c[1], keptBytes), test(c[0], c[1], 0)
		ky := c[1].Kernels[len(c[1].Kernels)-1]
		last := kept.Candidates[len(kept.Candidates)-1]
		for k, a := range kept.Candidates {
			b := not.Candidates[k]
			if math.Abs(a.Statistic-b.Statistic) > 1e-12 || a.P != b.P {
				t.Errorf("pair %d: %v and %v if not kept", k, a, b)
			}
		}
		s := fixture.Get[*statistic.HSIC](t)(statistic.NewHSIC(fixture.Gram(t, last.Kernel, x), fixture.Gram(t, ky, y)))
		if want := fixture.Get[float64](t)(s.Unbiased()); math.Abs(last.Statistic-want) > 1e-13 {
			t.Errorf("statistic %v, want %v", last.Statistic, want)
		}
		for _, r := range []*Result{kept, not} {
			best := r.Candidates[r.Best]
			s := fixture.Get[*statistic.HSIC](t)(statistic.NewHSIC(fixture.Gram(t, best.Kernel, x),
				fixture.Gram(t, best.KernelY, y)))
			if math.Abs(r.Biased-s.Biased()) > 1e-13 {
				t.Errorf("biased %v, want %v", r.Biased, s.Biased())
			}
		}
	}
}

// Beyond the rows of the exact kernel the test is that of the approximation.
func TestApproximatePairs(t *testing.T) {
	const n, rank = 200, 20
	ctx := context.Background()
	x, y := fixture.Normals(1, n, 1, 0), fixture.Normals(2, n, 1, 0)
	o, _ := Options{Permutations: 39, Seed: 5, Unbiased: true}.Complete(n)
	var v [2]*Variable
	for i, a := range []*mat.Dense{x, y} {
		v[i] = fixture.Get[*Variable](t)(NewVariable(ctx, "a", a, Fixed(se(0.1)), o))
		v[i].limits = limits{dense: 10, exact: 10, rank: rank}
	}
	r := fixture.Get[*Result](t)(IndependenceOf(ctx, v[0], v[1], o))
	if r.TraceError < 0.01 || r.TraceError > 0.9 ||
		!strings.Contains(strings.Join(r.Notes, " "), "rank 20, which leaves out") {
		t.Errorf("trace error %v, notes %q", r.TraceError, r.Notes)
	}
	var g [2]*mat.SymDense
	for i, w := range v {
		f := w.sides[0].low
		if f.Rank() != rank {
			t.Fatalf("rank %d, want %d", f.Rank(), rank)
		}
		var a mat.Dense
		a.Mul(f.Features(), f.Features().T())
		g[i] = mat.NewSymDense(n, nil)
		for p := range n {
			for q := range p + 1 {
				g[i].SetSym(p, q, a.At(p, q))
			}
		}
	}
	s := fixture.Get[*statistic.HSIC](t)(statistic.NewHSIC(g[0], g[1]))
	if want := fixture.Get[float64](t)(s.Unbiased()); math.Abs(r.Statistic-want) > 1e-14 {
		t.Errorf("statistic %v, want %v of the approximations", r.Statistic, want)
	}
}

// A choice made once serves other rows, in the same units.
func TestChosenAgain(t *testing.T) {
	x, y := fixture.Normals(1, 40, 2, 0), fixture.Normals(2, 30, 2, 0)
	for _, s := range []Standardize{StandardizeSeveral, StandardizeNever} {
		o := Options{Kernel: Choice{Inputs: inputs.Options{Number: 5}}, Permutations: 19, Standardize: s}
		first := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
		o.Kernel, o.Standardize = first.Kernel.Choice(), StandardizeSeveral
		again := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
		if !reflect.DeepEqual(first.Draws, again.Draws) || first.Statistic != again.Statistic {
			t.Errorf("%v: statistic %v, again %v", s, first.Statistic, again.Statistic)
		}
		other := fixture.Get[*Result](t)(TwoSample(context.Background(), y, x.Slice(0, 9, 0, 2), o))
		if !reflect.DeepEqual(other.Kernel.Kernels, first.Kernel.Kernels) ||
			!reflect.DeepEqual(other.Kernel.Scaling, first.Kernel.Scaling) {
			t.Errorf("%v: kernels %v, want %v", s, other.Kernel, first.Kernel)
		}
		if _, err := TwoSample(context.Background(), fixture.Normals(1, 9, 1, 0), fixture.Normals(2, 9, 1, 0),
			o); s == StandardizeSeveral && err == nil {
			t.Error("kernels of two columns serve one")
		}
	}
}
