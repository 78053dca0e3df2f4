package conditional

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
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

// The errors that the kernel statistic takes in some rows are those of all: nearly the noise.
func TestErrorsOfAllRows(t *testing.T) {
	const n = 1000
	r := rand.New(rand.NewPCG(8, 5))
	m := mat.NewDense(n, 5, nil)
	var noise []float64
	for i := range n {
		a, b, c, e := r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		m.SetRow(i, []float64{3*(a*b+b*c-a*c) + e, r.NormFloat64(), a, b, c})
		noise = append(noise, e)
	}
	c, err := NewTable([]string{"x", "y", "a", "b", "c"}, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.sideOf(t.Context(), []int{0}, []int{2, 3, 4})
	if err != nil || s.R2 < 0.9 || s.R2 > 0.98 { // 27/28 with the means themselves
		t.Fatal(s, err)
	}
	got, want := s.some[0], make([]float64, wholeRows)
	for i := range want {
		want[i] = noise[i*n/wholeRows]
	}
	if r := stat.Correlation(got, want, nil); len(got) != wholeRows || r < 0.95 {
		t.Errorf("%d errors, correlation with the noise %v", len(got), r)
	}
	one, err := c.Test(t.Context(), []int{0}, []int{1}, []int{2, 3, 4})
	if err != nil || one.KernelRows != wholeRows || one.X.R2 != s.R2 || one.Y.R2 > 0.05 {
		t.Errorf("%+v, %v", one, err)
	}
}

// The matrix of the statistic given three columns, against its definition from the features themselves.
func TestPartsAgainstDefinition(t *testing.T) {
	const n = 30
	r := rand.New(rand.NewPCG(4, 1))
	m := mat.NewDense(n, 5, nil)
	for i := range n {
		a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		m.SetRow(i, []float64{a + r.NormFloat64(), b*c + r.NormFloat64(), a, b, c})
	}
	c, err := NewTable([]string{"x", "y", "a", "b", "c"}, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	z := group{2, 3, 4}
	got := make([]float64, n*n)
	if _, _, err := c.product(t.Context(), got, group{0}, group{1}, z, false); err != nil {
		t.Fatal(err)
	}
	gram := func(r *regression, i, j int) float64 {
		count := len(r.left) / n
		return dot(r.left[i*count:(i+1)*count], r.left[j*count:(j+1)*count])
	}
	var p [2]parts
	for k, g := range []group{{0}, {1}} {
		plain, err := c.plainResidual(t.Context(), g, z, false)
		if err != nil {
			t.Fatal(err)
		}
		errors := c.errorsOf(g, n, func(_, i int) float64 { return plain.left[i] / plain.diag[i] })
		if p[k], err = c.partsOf(t.Context(), errors, g, z); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		for j := range n {
			d := 0.0
			for _, k := range z {
				d += (c.cols[k].z[i] - c.cols[k].z[j]) * (c.cols[k].z[i] - c.cols[k].z[j])
			}
			ax, ae, by, be := gram(p[0].column, i, j), gram(p[0].errors, i, j), gram(p[1].column, i, j), gram(p[1].errors, i, j)
			want := ((ax+ae)*(by+be) - ax*by) * math.Exp(-d/(2*3))
			if math.Abs(got[i*n+j]-want) > 1e-12 {
				t.Fatalf("element %d, %d is %v, want %v", i, j, got[i*n+j], want)
			}
		}
	}
}

// A category of three levels has three outputs before those of the next column.
func TestErrorsBesideCategories(t *testing.T) {
	m := mat.NewDense(6, 2, []float64{0, 1, 1, 4, 2, 2, 0, 7, 1, 5, 2, 3})
	c, err := NewTable([]string{"a", "b"}, m, Options{Discrete: []bool{true, false}})
	if err != nil {
		t.Fatal(err)
	}
	got := c.errorsOf(group{0, 1}, 2, func(output, i int) float64 { return float64(10*output + i) })
	if len(got) != 1 || got[0][0] != 30 || got[0][1] != 31 {
		t.Errorf("errors %v, want those of output 3", got)
	}
}
