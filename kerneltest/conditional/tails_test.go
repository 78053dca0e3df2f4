package conditional

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Columns with long tails, or most of whose values are equal, keep the level far out. Of 600 independent tests one
// in a thousand is below .001 by right: more than 6 have a probability of 4e-5 if they are, and 2 in 100 were
// where the tails were left as they are. Tests of one table share columns.
func TestLongTails(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	for name, draw := range map[string]func() float64{
		"cauchy":    func() float64 { return math.Tan(math.Pi * (r.Float64() - .5)) },
		"lognormal": func() float64 { return math.Exp(2 * r.NormFloat64()) },
		"zeros": func() float64 {
			if r.Float64() < .8 {
				return 0
			}
			return math.Exp(r.NormFloat64())
		},
	} {
		below, far := 0, 0
		for range 40 {
			m := mat.NewDense(50, 6, nil)
			for i := range 50 {
				for j := range 6 {
					m.Set(i, j, draw())
				}
			}
			c, err := NewTable([]string{"a", "b", "c", "d", "e", "f"}, m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for x := range 6 {
				for y := range x {
					one, err := c.Test(t.Context(), []int{x}, []int{y}, nil)
					if err != nil {
						t.Fatal(err)
					}
					if one.P < .05 {
						below++
					}
					if one.P < .001 {
						far++
					}
				}
			}
		}
		if far > 6 || below > 50 { // 30 expected of the latter, with a standard deviation of 5.3
			t.Errorf("%s: of 600 p-values %d are below .05 and %d below .001", name, below, far)
		}
	}
}

// The units of long tails do not hide dependence, given another column with long tails or none.
func TestDependenceInLongTails(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	m := mat.NewDense(200, 3, nil)
	for i := range 200 {
		a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		m.SetRow(i, []float64{math.Sinh(3 * (a + c)), math.Sinh(3 * (a + b/2 + c)), math.Sinh(3 * c)})
	}
	c, err := NewTable([]string{"x", "y", "z"}, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, z := range [][]int{nil, {2}} {
		if one, err := c.Test(t.Context(), []int{0}, []int{1}, z); err != nil || one.P > 1e-6 {
			t.Errorf("given %v: p = %v, %v", z, one, err)
		}
	}
}

// Of covariates that say nothing the share predicted is none, in few rows too.
func TestNothingPredicted(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{12, 20, 120} {
		m := mat.NewDense(n, 3, nil)
		for i := range n {
			m.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
		}
		c, err := NewTable([]string{"x", "y", "z"}, m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		one, err := c.Test(t.Context(), []int{0}, []int{1}, []int{2})
		if err != nil || one.X.R2 > .05 || one.X.R2 < -.05 || one.Y.R2 > .05 || one.Y.R2 < -.05 {
			t.Errorf("%d rows: %+v, %v", n, one, err)
		}
	}
}
