package conditional

import (
	"context"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// mixedTable has a category g, a category h that depends on g, and x and y that depend on g alone.
func mixedTable(seed uint64, n int, dependent bool) ([]string, *mat.Dense) {
	r := rand.New(rand.NewPCG(seed, 2))
	t := mat.NewDense(n, 4, nil)
	for i := range n {
		g := float64(r.IntN(3))
		h := g
		if r.Float64() < 0.5 {
			h = float64(r.IntN(4))
		}
		x, y := g*g+r.NormFloat64(), -g+r.NormFloat64()
		if dependent {
			y += 0.8 * x
		}
		t.SetRow(i, []float64{x, y, g, h})
	}
	return []string{"x", "y", "g", "h"}, t
}

// Given a category the null is permutation within it, exact; its codes do not matter. The number of
// rejections in 200 data sets is binomial with probability at most 0.05: more than 24 have a
// probability of 1e-4.
func TestConditionalStrata(t *testing.T) {
	o := Options{Discrete: []bool{false, false, true, true}, Permutations: 99}
	count, power := 0, 0
	for seed := range uint64(200) {
		names, table := mixedTable(seed, 60, false)
		c, err := NewTable(names, table, o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Test(t.Context(), []int{0}, []int{1}, []int{2})
		if err != nil {
			t.Fatal(err)
		}
		if r.Null != statistic.Permutation {
			t.Fatalf("null %v", r.Null)
		}
		if r.Reject {
			count++
		}
		if seed >= 20 {
			continue
		}
		_, table = mixedTable(seed, 60, true)
		for i := range 60 {
			table.Set(i, 2, []float64{7, -100, 0.5}[int(table.At(i, 2))])
		}
		if c, err = NewTable(names, table, o); err != nil {
			t.Fatal(err)
		}
		if r, err = c.Test(t.Context(), []int{0}, []int{1}, []int{2}); err != nil {
			t.Fatal(err)
		}
		if r.Reject {
			power++
		}
	}
	if count > 24 {
		t.Errorf("%d of 200 are rejected", count)
	}
	if power < 18 {
		t.Errorf("%d of 20 dependent pairs are rejected", power)
	}
	t.Logf("%d of 200 rejected where independent, %d of 20 where dependent", count, power)
}

// The statistic within strata is the sum over the strata of n² HSIC, and codes of a category that
// is X do not matter either.
func TestConditionalStrataStatistic(t *testing.T) {
	names, table := mixedTable(3, 50, true)
	o := Options{Discrete: []bool{false, false, true, true}}
	c, err := NewTable(names, table, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Test(t.Context(), []int{0}, []int{3}, []int{2})
	if err != nil {
		t.Fatal(err)
	}
	kx := bruteKernel(table, []int{0}, nil, outputWidth(50), false)
	want := 0.0
	for level := range 3 {
		var in []int
		for i := range 50 {
			if table.At(i, 2) == float64(level) {
				in = append(in, i)
			}
		}
		a, b := mat.NewSymDense(len(in), nil), mat.NewSymDense(len(in), nil)
		for p, i := range in {
			for q, j := range in {
				a.SetSym(p, q, kx.At(i, j))
				if table.At(i, 3) == table.At(j, 3) {
					b.SetSym(p, q, 1)
				}
			}
		}
		h, err := statistic.NewHSIC(a, b)
		if err != nil {
			t.Fatal(err)
		}
		want += h.Biased() * float64(len(in)*len(in))
	}
	if fixture.Relative(r.Statistic, want) > 1e-11 {
		t.Errorf("statistic %v, want %v", r.Statistic, want)
	}
}

// Mixed Z takes the regression, with the indicator in its kernel.
func TestConditionalMixed(t *testing.T) {
	names, table := mixedTable(8, 120, false)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 120 {
		table.Set(i, 3, r.NormFloat64())
	}
	c, err := NewTable(names, table, Options{
		Discrete: []bool{false, false, true, false}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Test(t.Context(), []int{0}, []int{1}, []int{2, 3})
	if err != nil {
		t.Fatal(err)
	}
	if got.Null != statistic.Pearson || got.P < 1e-3 || got.X.R2 < 0.3 {
		t.Errorf("%+v", got)
	}
}

// Two children of z, and two that share a noise: residuals with HSIC and other kernels tell them apart
// as the default does. Another seed fails with a probability of about 0.1, that of a rejection by one of
// tests of level 0.05 that mostly agree. Learned kernels only run: they have little power.
func TestConditionalOthers(t *testing.T) {
	names, table := chain(120, 1, 7)
	r := rand.New(rand.NewPCG(5, 5))
	for i := range 120 {
		table.Set(i, 2, table.At(i, 2)+0.7*(table.At(i, 1)+0.1*r.NormFloat64()))
	}
	for _, o := range []Options{{}, {Null: statistic.Spectral}, {ColumnsOnly: true},
		{Kernel: &kerneltest.Choice{Rule: kerneltest.PlainMedian}}, {Kernel: &kerneltest.Choice{Rule: kerneltest.Learned}, Alpha: 0.2}} {
		c, err := NewTable(names, table, o)
		if err != nil {
			t.Fatal(err)
		}
		for y, want := range map[int]bool{0: false, 2: true} {
			for _, run := range []func(context.Context, []int, []int, []int) (*Result,
				error){c.Test, c.ResidualHSIC} {
				got, err := run(t.Context(), []int{1}, []int{y}, []int{3})
				if err != nil {
					t.Fatal(err)
				}
				if o.Alpha == 0 && (got.Reject != want || !(got.X.R2 > 0.2)) {
					t.Errorf("%+v, y = %d: %+v", o, y, got)
				}
			}
		}
	}
}
