package conditional

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// With more than FeatureRows rows the test finds dependence and not its absence: given nothing, one
// column, and a column of categories. Of 8 tests of independence, 4 and more have p at most 0.05 with
// probability 4e-4.
func TestManyRows(t *testing.T) {
	const n = 1500
	rejected := 0
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := mat.NewDense(n, 5, nil)
		for i := range n {
			z, k := r.NormFloat64(), float64(r.IntN(3))
			w := r.NormFloat64()
			m.SetRow(i, []float64{math.Sin(2*z) + k + 0.5*w, math.Sin(2*z) - k + 0.5*r.NormFloat64(),
				z + 0.3*math.Cos(2*w) + 0.1*k, k, z})
		}
		c, err := NewTable([]string{"x", "y", "v", "k", "z"}, m,
			Options{Discrete: []bool{false, false, false, true, false}})
		if err != nil {
			t.Fatal(err)
		}
		p := func(x, y int, z ...int) float64 {
			got, err := c.Test(t.Context(), []int{x}, []int{y}, z)
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprint(z) != "[3]"; got.Features != want {
				t.Errorf("given %v: features %v", z, got.Features)
			}
			back, err := c.Test(t.Context(), []int{y}, []int{x}, z)
			if err != nil || math.Abs(back.P-got.P) > 1e-9 {
				t.Errorf("given %v: %v and %v, %v", z, got.P, back.P, err)
			}
			return got.P
		}
		for _, v := range []float64{p(0, 1, 3, 4), p(4, 3)} {
			if v <= 0.05 {
				rejected++
			}
		}
		for _, v := range []float64{p(0, 1), p(0, 1, 4), p(0, 2, 4, 3)} {
			if v > 1e-3 {
				t.Errorf("p = %v of dependent columns", v)
			}
		}
	}
	if rejected >= 4 {
		t.Errorf("%d of 8 tests reject independence", rejected)
	}
}

// Given several columns the kernel statistic compares what all rows leave: the same, but for the error of a thousand
// rows' regressions, whatever mean of z is added to x and y.
func TestMeansOfAllRows(t *testing.T) {
	const n = 1000
	r := rand.New(rand.NewPCG(8, 5))
	plain, bent := mat.NewDense(n, 5, nil), mat.NewDense(n, 5, nil)
	for i := range n {
		a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		x, y, f := r.NormFloat64(), r.NormFloat64(), 3*(a*b+b*c-a*c)
		plain.SetRow(i, []float64{x, y, a, b, c})
		bent.SetRow(i, []float64{x + f, y - f, a, b, c})
	}
	var p [2]float64
	for k, m := range []*mat.Dense{plain, bent} {
		c, err := NewTable([]string{"x", "y", "a", "b", "c"}, m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Test(t.Context(), []int{0}, []int{1}, []int{2, 3, 4})
		if err != nil || got.KernelRows != wholeRows {
			t.Fatal(got, err)
		}
		p[k] = got.KernelP
		if r2 := got.X.R2; k == 1 && r2 < 0.9 || k == 0 && math.Abs(r2) > 0.05 {
			t.Errorf("R2 %v", r2)
		}
	}
	if math.Abs(math.Log(p[0]/p[1])) > 0.5 {
		t.Errorf("p-values %v without and %v with means, want nearly the same", p[0], p[1])
	}
}
