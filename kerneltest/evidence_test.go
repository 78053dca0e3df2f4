package kerneltest

import (
	"math"
	"testing"
)

// Two views whose statistics are normal under the null hypothesis: both ways to join their p-values, by their formulas.
func TestJoinedPValues(t *testing.T) {
	vs := views{{weight: 0.8, law: pearson{sd: 1}}, {weight: 0.2, law: pearson{sd: 2}}}
	all := newTable(2)
	all.values = [][]float64{{1.5, 0.2, 3}, {1, 5, 6}}
	all.slack = []float64{0, 0}
	p := func(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
	smallest, _ := vs.smallest(all)
	together, _ := vs.together(all)
	for b := range smallest {
		first, second := 0.8/p(all.values[0][b]), 0.2/p(all.values[1][b]/2)
		if want := math.Log10(max(first, second)); math.Abs(smallest[b]-want) > 1e-12 {
			t.Errorf("arrangement %d: smallest is %v, want %v", b, smallest[b], want)
		}
		if want := math.Log10(first + second); math.Abs(together[b]-want) > 1e-12 {
			t.Errorf("arrangement %d: together is %v, want %v", b, together[b], want)
		}
	}
}
