package tests

import (
	"math"
	"testing"
)

// Holm's correction by hand, and in its definition: hypothesis i is rejected at level a if and only
// if all those with smaller p-values are and p_i <= a/(k+1-i).
func TestHolm(t *testing.T) {
	p := []float64{0.04, 0.01, 0.03, 0.01, 0.9}
	want := []float64{0.09, 0.05, 0.09, 0.05, 0.9}
	for i, v := range holm(p) {
		if math.Abs(v-want[i]) > 1e-15 {
			t.Errorf("%d: %v, want %v", i, v, want[i])
		}
	}
}
