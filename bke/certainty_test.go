package bke

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// With one sample the witness is its embedding.
func TestWitnessOfOneSample(t *testing.T) {
	x := mat.NewDense(30, 1, nil)
	for i := range 30 {
		x.Set(i, 0, math.Sin(float64(i*i)))
	}
	m := oneColumn(t, x.RawMatrix().Data, []float64{-0.8, -0.3, 0.1, 0.6, 0.9}, Options{})
	p := Params{Theta: []float64{0.4}, Tau2: 0.05}
	points := Grid(11, x)
	for _, noise := range []Noise{CLT, IID} {
		w, err := NewWitness(m, x, nil, []Params{p}, WitnessOptions{Noise: noise})
		if err != nil {
			t.Fatal(err)
		}
		fn, err := w.Functions(points, 4000, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		e, err := m.Embedding(x, p, EmbeddingOptions{Noise: noise})
		if err != nil {
			t.Fatal(err)
		}
		mean, sd, err := e.At(points)
		if err != nil {
			t.Fatal(err)
		}
		for j := range mean {
			if d := math.Abs(fn.Mean[j] - mean[j]); d > 1e-9 {
				t.Errorf("%v: mean %v at point %d, want %v", noise, fn.Mean[j], j, mean[j])
			}
			if d := math.Abs(fn.SD[j] - sd[j]); d > 1e-7 {
				t.Errorf("%v: sd %v at point %d, want %v", noise, fn.SD[j], j, sd[j])
			}
			// The mean of 4000 draws is within 6 of its standard errors (2e-9 a point).
			drawn := 0.0
			for i := range 4000 {
				drawn += fn.Values.At(i, j) / 4000
			}
			if math.Abs(drawn-mean[j]) > 6*sd[j]/math.Sqrt(4000)+1e-9 {
				t.Errorf("%v: mean of the draws %v at point %d, want %v", noise, drawn, j, mean[j])
			}
		}
	}
}

// Certainty is the level at which the simultaneous band begins to hold zero everywhere.
func TestCertainty(t *testing.T) {
	f := &Functions{Pointwise: newPointwise(mat.NewDense(2, 1, []float64{0, 1}), 2, 1)}
	f.Mean, f.SD = []float64{1, -3}, []float64{1, 2}
	// In units of SD the means are 1 and 1.5 from zero, and the draws are 0.5, 1, 2 and 1.4 from
	// the means.
	f.Values = mat.NewDense(4, 2, []float64{1.5, -3, 1, -5, 3, -3, 1, -0.2})
	if c := f.Certainty(); c != 0.75 {
		t.Errorf("certainty %v, want 0.75", c)
	}
	for _, c := range []struct {
		level    float64
		excludes bool
	}{{0.74, true}, {0.76, false}} {
		b, err := f.Band(c.level)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Share() > 0; got != c.excludes {
			t.Errorf("band of level %v excludes zero: %v, want %v", c.level, got, c.excludes)
		}
	}
}
