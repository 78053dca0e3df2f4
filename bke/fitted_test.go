package bke

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Nine tight clusters of ten rows need more than the default number of pseudo-inputs; with those of
// the user, the number stays and a note says so.
func TestLearnDoubles(t *testing.T) {
	x := mat.NewDense(90, 2, nil)
	for i := range 90 {
		c, k := i/10, float64(i%10)
		x.SetRow(i, []float64{10*float64(c/3) + 0.05*k - 0.01*k*k, 10*float64(c%3) + 0.03*k*k - 0.2*k})
	}
	f, err := Learn(context.Background(), x, InputOptions{}, Options{}, Search{})
	if err != nil {
		t.Fatal(err)
	}
	if m := f.Model.M(); m <= DefaultInputs(90, 2) || m > 30 || len(f.Notes) == 0 {
		t.Errorf("%d pseudo-inputs, notes %q", m, f.Notes)
	}
	z, _ := f.Inputs.Z.Dims()
	if z != f.Model.M() {
		t.Errorf("inputs have %d points, the model %d", z, f.Model.M())
	}
	f, err = Learn(context.Background(), x, InputOptions{Number: 10}, Options{}, Search{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Model.M() != 10 || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "Try twice as many") {
		t.Errorf("%d pseudo-inputs, notes %q", f.Model.M(), f.Notes)
	}
	if _, err := Learn(context.Background(), mat.NewDense(3, 1, nil), InputOptions{}, Options{},
		Search{}); err == nil {
		t.Error("constant rows were taken")
	}
}
