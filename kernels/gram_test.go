package kernels

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestGramAndCrossEqualAt(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{0, 0, 1, 2, -1, 0.5, 1, 2})
	y := mat.NewDense(3, 2, []float64{0, 0, 3, -2, 0.1, 0.2})
	for _, k := range all(0.8, 1.7) {
		var g mat.SymDense
		var c mat.Dense
		if err := Gram(&g, k, x); err != nil {
			t.Fatal(err)
		}
		if err := Cross(&c, k, x, y); err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			for j := range 4 {
				if want := k.At(x.RawRowView(i), x.RawRowView(j)); g.At(i, j) != want {
					t.Errorf("Gram of %T at (%d,%d) = %v, want %v", k, i, j, g.At(i, j), want)
				}
			}
			for j := range 3 {
				if want := k.At(x.RawRowView(i), y.RawRowView(j)); c.At(i, j) != want {
					t.Errorf("Cross of %T at (%d,%d) = %v, want %v", k, i, j, c.At(i, j), want)
				}
			}
		}
	}
}

// A dst with a stride, a transposed or sliced x, and a slice that is wrapped.
func TestGramIntoOtherLayouts(t *testing.T) {
	k := SquaredExponential(1)
	rows := mat.NewDense(2, 3, []float64{0, 1, 3, 9, 9, 9})
	x := rows.Slice(0, 1, 0, 3).T()
	flat := make([]float64, 9)
	if err := Gram(mat.NewSymDense(3, flat), k, x); err != nil {
		t.Fatal(err)
	}
	want := []float64{1, math.Exp(-0.5), math.Exp(-4.5), 0, 1, math.Exp(-2), 0, 0, 1}
	for i, v := range want {
		near(t, fmt.Sprintf("flat[%d]", i), flat[i], v, 1e-15)
	}
	big := mat.NewDense(4, 5, nil)
	if err := Cross(big.Slice(1, 4, 1, 4).(*mat.Dense), k, x, x); err != nil {
		t.Fatal(err)
	}
	near(t, "big", big.At(1, 3), math.Exp(-4.5), 1e-15)
	near(t, "big", big.At(3, 2), math.Exp(-2), 1e-15)
	sum := 0.0
	for j := range 5 {
		sum += big.At(0, j) + big.At(j%4, 0) + big.At(j%4, 4)
	}
	if sum != 0 {
		t.Error("Cross wrote outside of dst")
	}
}

func TestGramErrors(t *testing.T) {
	k := SquaredExponential(1)
	good := mat.NewDense(2, 2, nil)
	bad := mat.NewDense(3, 2, []float64{0, 0, 0, 0, 0, math.NaN()})
	inf := mat.NewDense(1, 2, []float64{math.Inf(-1), 0})
	gram := func(k Kernel, x mat.Matrix) error { return Gram(new(mat.SymDense), k, x) }
	cross := func(k Kernel, x, y mat.Matrix) error { return Cross(new(mat.Dense), k, x, y) }
	checkError(t, gram(k, bad), "x is NaN in row 3, column 2 (counted from 1)")
	checkError(t, cross(k, inf, good), "x is -Inf in row 1, column 1 (counted from 1)")
	checkError(t, cross(k, good, bad), "y is NaN in row 3, column 2 (counted from 1)")
	checkError(t, cross(k, good, mat.NewDense(2, 3, nil)), "y has width 3, want 2 as x")
	checkError(t, gram(k, nil), "x is nil")
	checkError(t, gram(k, new(mat.Dense)), "x has 0 rows and 0 columns")
	checkError(t, gram(nil, good), "kernel is nil")
	checkError(t, gram(Laplacian{[]float64{1, 2, 3}}, good), "3 lengthscales for 2 columns")
	checkError(t, cross(Laplacian{[]float64{0}}, good, good), "lengthscale 1 of Laplacian is 0")
}

func BenchmarkGram(b *testing.B) {
	x := mat.NewDense(500, 2, nil)
	for i := range 500 {
		x.SetRow(i, []float64{math.Sin(float64(i)), math.Cos(float64(i * i))})
	}
	g := mat.NewSymDense(500, nil)
	for b.Loop() {
		if err := Gram(g, SquaredExponential(0.5), x); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(500*501/2), "ns/pair")
}
