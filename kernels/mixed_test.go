package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/fused"
)

// By hand, one row beside another and many at once; the sum over sets of categories is the product.
func TestMixed(t *testing.T) {
	se := SquaredExponential(1.5)
	k := Mixed{Of: se, Columns: []int{0, 2}}
	x, y := []float64{1, 0.3, 4}, []float64{1, -0.5, 5}
	if got, want := k.At(x, y), se.At(x[1:2], y[1:2])/2; math.Abs(got-want) > 1e-15 {
		t.Errorf("%v, want %v", got, want)
	}
	r := rand.New(rand.NewPCG(1, 2))
	rows := func(n int) (out []float64) {
		for range n {
			out = append(out, float64(r.IntN(3)), r.NormFloat64(), float64(r.IntN(2)))
		}
		return out
	}
	a, b := rows(40), rows(7)
	dst := make([]float64, 40*7)
	Fill(dst, k, fused.Portable, a, b, 3)
	for i := range 40 {
		for j := range 7 {
			u, v := a[3*i:3*i+3], b[3*j:3*j+3]
			sum := 0.0
			for set := range 4 {
				in := se.At(u[1:2], v[1:2]) / 4
				for bit, c := range []int{0, 2} {
					if set>>bit&1 == 1 && u[c] != v[c] {
						in = 0
					}
				}
				sum += in
			}
			if math.Abs(dst[i*7+j]-sum) > 1e-12 || math.Abs(k.At(u, v)-sum) > 1e-15 {
				t.Fatalf("%v and %v, want %v", dst[i*7+j], k.At(u, v), sum)
			}
		}
	}
	only := Mixed{Columns: []int{0, 1}}
	if got := only.At([]float64{1, 2}, []float64{1, 3}); got != 0.5 {
		t.Error(got)
	}
	for _, bad := range []Mixed{{Columns: []int{0}}, {Of: se, Columns: []int{0, 1, 2}}, {Of: se, Columns: []int{2, 0}},
		{Of: SquaredExponential(1, 2), Columns: []int{0, 1}}, {Of: se, Columns: []int{3}}} {
		if bad.Check(3) == nil {
			t.Errorf("%+v passes", bad)
		}
	}
	if err := k.Check(3); err != nil {
		t.Error(err)
	}
}
