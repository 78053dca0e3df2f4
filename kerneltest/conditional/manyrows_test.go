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
