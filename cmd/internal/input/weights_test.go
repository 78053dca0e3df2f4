package input

import (
	"math"
	"testing"
)

// The effective number of rows is (sum w)²/sum w², also of weights whose sum overflows.
func TestEffectiveRows(t *testing.T) {
	w, err := newRowWeights("w", [][]float64{{1e308, 3e307}, {5e307, 5e307, 5e307}},
		[2]string{"p", "q"})
	if err != nil {
		t.Fatal(err)
	}
	if want := 1.3 * 1.3 / 1.09; math.Abs(w.Effective[0]-want) > 1e-12 ||
		math.Abs(w.Effective[1]-3) > 1e-12 {
		t.Errorf("effective rows %v, want %v and 3", w.Effective, want)
	}
	if math.Abs(w.OfSample[0][0]-1/1.3) > 1e-15 || math.Abs(w.Given[1][0]-0.5) > 1e-15 {
		t.Errorf("%v", w)
	}
}
