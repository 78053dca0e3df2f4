package bke

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/bke/inputs"
	"bayeskernel/internal/rows"

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
	if m := f.Model.M(); m <= inputs.Default(90, 2) || m > 30 || len(f.Notes) == 0 {
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

// Every kind gives points that NewModel takes, on data with ties and outliers, for D = 1 to 4.
func TestInputsMakeModels(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for trial := range 120 {
		n, dim := 12+r.IntN(60), 1+r.IntN(4)
		x := randomRows(r, n, dim)
		for i := range n {
			for j := range dim {
				switch trial % 3 {
				case 1:
					x.Set(i, j, math.Round(2*x.At(i, j)))
				case 2:
					x.Set(i, j, math.Pow(x.At(i, j), 9))
				}
			}
		}
		for _, kind := range []inputs.Kind{inputs.Auto, inputs.KMeans, inputs.HeldOut} {
			in, err := inputs.Choose(t.Context(), x, inputs.Options{Kind: kind, Seed: uint64(trial)})
			if err != nil {
				t.Fatal(err)
			}
			if m, _ := in.Z.Dims(); m > in.Asked || len(rows.Distinct(in.Z.RawMatrix().Data, dim)) != m {
				t.Fatalf("trial %d, %v: %d points, asked for %d", trial, in.Kind, m, in.Asked)
			}
			if _, err := NewModel(in.Likelihood(x), in.Z, Options{}); err != nil {
				t.Fatalf("trial %d, %v: %v", trial, in.Kind, err)
			}
		}
	}
}
