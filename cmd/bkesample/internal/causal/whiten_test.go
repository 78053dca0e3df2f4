package causal

import (
	"math"
	"testing"

	"bayeskernel/cmd/internal/input"

	"gonum.org/v1/gonum/mat"
)

func TestAutocorrelation(t *testing.T) {
	// in the order of time 1, -1, 1, -1: products -3, squares 4
	if r := autocorrelation([]float64{3, 1, 4, 2}, []float64{1, 1, -1, -1}); r != -0.75 {
		t.Errorf("%v", r)
	}
	if r := autocorrelation([]float64{1, 2}, []float64{5, 5}); !math.IsNaN(r) {
		t.Errorf("%v", r)
	}
}

func TestWithout(t *testing.T) {
	d := &input.Dataset{P: mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}),
		Columns: []string{"a", "b", "c"}}
	got := without(d, "b")
	if len(got.Columns) != 2 || got.Columns[1] != "c" || got.P.At(1, 0) != 4 || got.P.At(1, 1) != 6 ||
		len(d.Columns) != 3 {
		t.Errorf("%+v, %v", got, mat.Formatted(got.P))
	}
}
