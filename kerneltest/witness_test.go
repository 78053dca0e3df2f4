package kerneltest

import (
	"context"
	"math"
	"strings"
	"testing"

	"bayeskernel/internal/fixture"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
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
	for _, standardize := range []Standardize{StandardizeNever, StandardizeSeveral} {
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

// The standard error is that of two means of independent rows.
func TestWitnessError(t *testing.T) {
	x, y := fixture.Normals(1, 12, 1, 0), fixture.Normals(2, 7, 1, 1)
	r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{Kernel: Lengthscale(1)}))
	_, se, err := r.Witness(x, y, mat.NewDense(1, 1, []float64{0.4}))
	if err != nil {
		t.Fatal(err)
	}
	variance := 0.0
	for _, sample := range []*mat.Dense{x, y} {
		n, _ := sample.Dims()
		var values []float64
		for i := range n {
			d := sample.At(i, 0) - 0.4
			values = append(values, math.Exp(-d*d/2))
		}
		variance += stat.Variance(values, nil) / float64(n)
	}
	if want := math.Sqrt(variance); math.Abs(se[0]-want) > 1e-14 {
		t.Errorf("standard error %v, want %v", se[0], want)
	}
}

func TestWitnessBadInput(t *testing.T) {
	x, y := fixture.Normals(1, 12, 1, 0), fixture.Normals(2, 12, 1, 1)
	two := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{Kernel: Lengthscale(1)}))
	h := fixture.Get[*Result](t)(Independence(context.Background(), x, y, Options{Kernel: Lengthscale(1)}))
	few, point := y.Slice(0, 11, 0, 1), mat.NewDense(1, 2, nil)
	for _, c := range []struct {
		r       *Result
		x, y, p mat.Matrix
		want    string
	}{
		{two, nil, y, x, "x is nil"},
		{two, x, nil, x, "y is nil"},
		{two, x, y, nil, "points is nil"},
		{two, x, few, x, "y has 11 rows, want the 12 of the test"},
		{h, few, y, point, "x has 11 rows"},
		{h, x, few, point, "y has 11 rows"},
		{h, x, y, mat.NewDense(1, 2, []float64{1, math.NaN()}), "NaN"},
		{&Result{}, x, y, x, "the result is empty"},
	} {
		_, _, err := c.r.Witness(c.x, c.y, c.p)
		if err == nil || !strings.HasPrefix(err.Error(), "kerneltest: ") ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}
