package bke

import (
	"bayeskernel/kernels"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
	f, err := Learn(context.Background(), x, InputOptions{}, Options{}, LearnOptions{})
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
	f, err = Learn(context.Background(), x, InputOptions{Number: 10}, Options{}, LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Model.M() != 10 || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "Try twice as many") {
		t.Errorf("%d pseudo-inputs, notes %q", f.Model.M(), f.Notes)
	}
	if _, err := Learn(context.Background(), mat.NewDense(3, 1, nil), InputOptions{}, Options{},
		LearnOptions{}); err == nil {
		t.Error("constant rows were taken")
	}
}

// Kernels that are learned together have the pseudo-inputs that the first one calls for, and what each
// has alone at these.
func TestLearnKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := randomRows(r, 80, 2)
	list := []kernels.Radial{kernels.SE{}, kernels.Matern{Nu: 2.5}}
	var steps []string
	fitted, err := LearnKernels(t.Context(), x, InputOptions{Seed: 1}, Options{},
		LearnOptions{Progress: func(step string, _, _ int) { steps = append(steps, step) }}, list)
	if err != nil {
		t.Fatal(err)
	}
	for k, f := range fitted {
		if f.Inputs != fitted[0].Inputs {
			t.Errorf("kernel %d has pseudo-inputs of its own", k)
		}
		alone, err := NewModel(f.Inputs.Likelihood(x), f.Inputs.Z, Options{Kernel: list[k]})
		if err != nil {
			t.Fatal(err)
		}
		fit, err := alone.Learn(t.Context(), LearnOptions{})
		if err != nil || fit.Modes[0].Value != f.Fit.Modes[0].Value {
			t.Errorf("kernel %d: %v among others, %v alone, %v", k, f.Fit.Modes[0].Value,
				fit.Modes[0].Value, err)
		}
	}
	m, _ := fitted[0].Inputs.Z.Dims()
	for _, want := range []string{"choosing pseudo-inputs",
		fmt.Sprintf("learning kernel matern52 with %d pseudo-inputs", m)} {
		if !slices.Contains(steps, want) {
			t.Errorf("steps %q, want %q", steps, want)
		}
	}
	one, err := Learn(t.Context(), x, InputOptions{Seed: 1}, Options{}, LearnOptions{})
	if err != nil || one.Fit.Modes[0].Value != fitted[0].Fit.Modes[0].Value {
		t.Errorf("alone %v, %v", one, err)
	}
}

// A column of two values beside one of many is no better fitted with more pseudo-inputs, which leave theta where it
// is: there are no more of them, and a note says so.
func TestLearnLeavesOff(t *testing.T) {
	x := mat.NewDense(200, 2, nil)
	for i := range 200 {
		x.SetRow(i, []float64{float64(i) / 200, float64(i % 2)})
	}
	f, err := Learn(t.Context(), x, InputOptions{}, Options{}, LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if m := f.Model.M(); m != inputs.Default(200, 2) || len(f.Notes) != 1 ||
		!strings.Contains(f.Notes[0], "With 66 pseudo-inputs theta is as with 40") {
		t.Errorf("%d pseudo-inputs, notes %q", m, f.Notes)
	}
	if z, _ := f.Inputs.Z.Dims(); z != f.Model.M() {
		t.Errorf("inputs have %d points, the model %d", z, f.Model.M())
	}
}

// A weight that was given keeps the number of pseudo-inputs; and where the data have no more distinct
// rows, that is what is said.
func TestLearnKeepsInputs(t *testing.T) {
	line := mat.NewDense(100, 1, nil)
	ties := mat.NewDense(100, 1, nil)
	for i := range 100 {
		line.Set(i, 0, math.Sqrt2*math.Erfinv((2*float64(i)+1)/100-1))
		ties.Set(i, 0, []float64{0, 1, 30}[i%3])
	}
	for _, c := range []struct {
		x    mat.Matrix
		in   InputOptions
		o    Options
		m    int
		want string
	}{
		{line, InputOptions{}, Options{Weight: 1}, 10, "Try twice as many."},
		{ties, InputOptions{}, Options{}, 3, "There are only 3 distinct rows to learn theta from, and all of them are " +
			"pseudo-inputs. Theta may reflect the gaps between them ("},
		{ties, InputOptions{Number: 3}, Options{}, 3, "There are only 3 distinct rows to learn theta from"},
	} {
		f, err := Learn(t.Context(), c.x, c.in, c.o, LearnOptions{Priors: &Priors{}})
		if err != nil {
			t.Fatal(err)
		}
		if f.Model.M() != c.m || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], c.want) {
			t.Errorf("%d pseudo-inputs, notes %q, want %d, %q", f.Model.M(), f.Notes, c.m, c.want)
		}
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
