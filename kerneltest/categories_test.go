package kerneltest

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/internal/long"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// mixedRows draws rows of a skew number, a category of three levels that depends on it, and a fair coin.
func mixedRows(r *rand.Rand, n int) *mat.Dense {
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		v := r.ExpFloat64()
		c := 0.0
		switch {
		case r.Float64() < 0.1:
			c = 2
		case v+0.5*r.NormFloat64() > 1:
			c = 1
		}
		x.SetRow(i, []float64{v, c, float64(r.IntN(2))})
	}
	return x
}

// With one category the statistics are sums over its table: MMD² is sum (p_k - q_k)²/2, and HSIC of two of
// them sum (p_ij - p_i p_j)²/4.
func TestCategoriesByHand(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x, y := mat.NewDense(40, 1, nil), mat.NewDense(40, 1, nil)
	var p, q, both [3][3]float64 // p and q in their first rows
	for i := range 40 {
		a, b := r.IntN(3), r.IntN(2)
		x.Set(i, 0, float64(a))
		y.Set(i, 0, float64(b))
		p[0][a] += 1. / 40
		q[0][b] += 1. / 40
		both[a][b] += 1. / 40
	}
	mmd, hsic := 0.0, 0.0
	for a := range 3 {
		mmd += (p[0][a] - q[0][a]) * (p[0][a] - q[0][a]) / 2
		for b := range 3 {
			d := both[a][b] - p[0][a]*q[0][b]
			hsic += d * d / 4
		}
	}
	c := Choice{Categories: []int{0}}
	two := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{Kernel: c}))
	if math.Abs(two.Biased-mmd) > 1e-14 || math.Abs(two.Statistic-mmd) > 1e-14 {
		t.Errorf("MMD² %v, want %v", two.Biased, mmd)
	}
	pairs := fixture.Get[*Result](t)(Independence(context.Background(), x, y, Options{Kernel: c, KernelY: c}))
	if math.Abs(pairs.Biased-hsic) > 1e-14 {
		t.Errorf("HSIC %v, want %v", pairs.Biased, hsic)
	}
}

// The kernels of a mixed row are those that its numbers give by themselves, times the indicators; what the
// categories are called does not matter.
func TestCategoriesOfMixedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x, y := mixedRows(r, 60), mixedRows(r, 50)
	o := Options{Kernel: Choice{Categories: []int{2, 1}}, Standardize: StandardizeAlways}
	got := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
	alone := fixture.Get[*Result](t)(TwoSample(context.Background(), x.Slice(0, 60, 0, 1), y.Slice(0, 50, 0, 1),
		Options{Kernel: Choice{Rule: Ladder}, Standardize: StandardizeAlways}))
	for k, c := range got.Kernel.Kernels {
		m, ok := c.(kernels.Mixed)
		if !ok || len(m.Columns) != 2 || kernelName(m.Of) != kernelName(alone.Kernel.Kernels[k]) {
			t.Errorf("kernel %d is %+v", k, c)
		}
	}
	if sd := got.Kernel.Scaling.SD; len(sd) != 3 || sd[1] != 1 || sd[0] != alone.Kernel.Scaling.SD[0] {
		t.Error(sd)
	}
	rename := func(a *mat.Dense) *mat.Dense {
		b := mat.DenseCopyOf(a)
		b.Apply(func(_, j int, v float64) float64 {
			if j == 1 {
				return 100 - 7*v*v
			}
			return v
		}, a)
		return b
	}
	if again := fixture.Get[*Result](t)(TwoSample(context.Background(), rename(x), rename(y), o)); again.P != got.P ||
		math.Abs(again.Statistic/got.Statistic-1) > 1e-9 {
		t.Errorf("p %v and %v", again.P, got.P)
	}
	for _, bad := range [][]int{{3}, {-1}, {1, 1}} {
		o.Kernel.Categories = bad
		if _, err := TwoSample(context.Background(), x, y, o); err == nil {
			t.Errorf("categories %v are accepted", bad)
		}
	}
}

// A difference in the numbers alone, in one category alone, and in how they go together is seen.
func TestCategoriesPower(t *testing.T) {
	change := map[string]func(r *rand.Rand, row []float64){
		"numbers":  func(_ *rand.Rand, row []float64) { row[0] += 0.8 },
		"category": func(r *rand.Rand, row []float64) { row[2] = math.Floor(1.25 * r.Float64()) },
		"together": func(_ *rand.Rand, row []float64) {
			row[2] = 0
			if row[0] > math.Ln2 {
				row[2] = 1
			}
		},
	}
	for name, f := range change {
		r := rand.New(rand.NewPCG(7, 8))
		x, y := mixedRows(r, 80), mixedRows(r, 80)
		for i := range 80 {
			f(r, y.RawRowView(i))
		}
		o := Options{Kernel: Choice{Categories: []int{1, 2}}}
		if res := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o)); res.P > 0.01 {
			t.Errorf("%s: p = %v", name, res.P)
		}
	}
}

// At level 0.05 the share of rejections of a true hypothesis is within the limits of the binomial law, which
// a sound test leaves with a probability of 0.001 in each case: 2000 sets of a mixed row for two samples, in
// blocks too, and for independence.
func TestCategoriesLevel(t *testing.T) {
	reps := long.Of(60, 2000)
	for name, once := range map[string]func(r *rand.Rand, seed uint64) (*Result, error){
		"two samples": func(r *rand.Rand, seed uint64) (*Result, error) {
			return TwoSample(context.Background(), mixedRows(r, 14), mixedRows(r, 10),
				Options{Kernel: Choice{Categories: []int{1, 2}}, Permutations: 199, Seed: seed})
		},
		"blocks": func(r *rand.Rand, seed uint64) (*Result, error) {
			x, y, blocks := mixedRows(r, 12), mixedRows(r, 12), []int{}
			for i := range 24 {
				blocks = append(blocks, i%12%4)
				row := x.RawRowView(i % 12)
				if i >= 12 {
					row = y.RawRowView(i - 12)
				}
				row[0] += float64(i % 12 % 4) // what rows of a block share
			}
			return TwoSample(context.Background(), x, y, Options{Kernel: Choice{Categories: []int{1, 2}},
				Blocks: blocks, Permutations: 199, Seed: seed})
		},
		"independence": func(r *rand.Rand, seed uint64) (*Result, error) {
			return Independence(context.Background(), mixedRows(r, 16), mixedRows(r, 16).Slice(0, 16, 1, 3),
				Options{Kernel: Choice{Categories: []int{1, 2}}, KernelY: Choice{Categories: []int{0}},
					Permutations: 199, Seed: seed})
		},
	} {
		rejected := 0
		for rep := range reps {
			r := rand.New(rand.NewPCG(uint64(rep), 99))
			if fixture.Get[*Result](t)(once(r, uint64(rep))).Reject {
				rejected++
			}
		}
		lo, hi := interval(reps, 0.05, 0.999)
		if rejected < lo || rejected > hi {
			t.Errorf("%s: %d of %d rejected, want %d to %d", name, rejected, reps, lo, hi)
		}
		t.Logf("%s: %d of %d", name, rejected, reps)
	}
}
