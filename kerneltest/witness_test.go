package kerneltest

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The mean of the witness over the rows of x, less that over the rows of y, is the biased squared
// MMD. For pairs, the sum of the witness over all pairs of rows, weighted by what they share beyond
// their means, is HSIC: here by its definition at a single point.
func TestWitness(t *testing.T) {
	x, y := mat.NewDense(30, 2, nil), mat.NewDense(20, 2, nil)
	for i := range 30 {
		x.SetRow(i, []float64{math.Sin(float64(i)), 10 * math.Cos(float64(2*i))})
	}
	for i := range 20 {
		y.SetRow(i, []float64{1.5 * math.Sin(float64(3*i)), 5 * math.Cos(float64(5*i))})
	}
	for _, standardize := range []bool{false, true} {
		o := Options{Kernel: Lengthscale(1.3), Standardize: standardize, Permutations: 19}
		r, err := TwoSample(context.Background(), x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		atX, se, err := r.Witness(x, y, x)
		if err != nil {
			t.Fatal(err)
		}
		atY, _, err := r.Witness(x, y, y)
		if err != nil {
			t.Fatal(err)
		}
		if got := meanOf(atX) - meanOf(atY); math.Abs(got-r.Biased) > 1e-12 {
			t.Errorf("the witness has squared norm %v, want %v", got, r.Biased)
		}
		if !(se[0] > 0) {
			t.Errorf("standard error %v", se[0])
		}
	}
	// Pairs: mean over the rows of the witness at (x_i, y_i), each part centred, by double loops.
	half := y.Slice(0, 20, 0, 1)
	other := x.Slice(0, 20, 0, 1)
	r, err := Independence(context.Background(), half, other, Options{Kernel: Lengthscale(0.8),
		Permutations: 19})
	if err != nil {
		t.Fatal(err)
	}
	point := mat.NewDense(1, 2, []float64{0.3, -0.2})
	got, _, err := r.Witness(half, other, point)
	if err != nil {
		t.Fatal(err)
	}
	joint, kx, ky := 0.0, 0.0, 0.0
	for i := range 20 {
		k := math.Exp(-math.Pow(half.At(i, 0)-0.3, 2) / (2 * 0.8 * 0.8))
		l := math.Exp(-math.Pow(other.At(i, 0)+0.2, 2) / (2 * 0.8 * 0.8))
		joint, kx, ky = joint+k*l/20, kx+k/20, ky+l/20
	}
	if want := joint - kx*ky; math.Abs(got[0]-want) > 1e-14 {
		t.Errorf("witness of the pairs is %v, want %v", got[0], want)
	}
	if _, _, err := r.Witness(half, other, half); err == nil {
		t.Error("points of the wrong width were taken")
	}
}
