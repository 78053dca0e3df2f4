package kerneltest

import (
	"context"
	"math"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

func se(theta ...float64) kernels.Kernel { return kernels.SquaredExponential(theta...) }

// Every path of the tiles gives the Gram matrix of package kernels.
func TestTiles(t *testing.T) {
	for _, c := range []struct {
		name string
		k    kernels.Kernel
		dim  int
		unit float64
	}{
		{"one column", se(0.7), 1, 1},
		{"three columns", se(0.7), 3, 1},
		{"ARD", se(0.7, 2, 0.3), 3, 1},
		{"mean", kernels.Mean{se(0.3), se(0.9), se(3)}, 2, 1},
		{"mean of others", kernels.Mean{se(0.3), kernels.Laplacian{Theta: []float64{1}}}, 2, 1},
		{"Matern", kernels.Matern32(2), 2, 1},
		{"huge units", se(0.7e250), 2, 1e250},
		{"tiny units", se(0.7e-250), 2, 1e-250},
	} {
		var x mat.Dense
		x.Scale(c.unit, fixture.Normals(3, 150, c.dim, 0))
		want := fixture.Gram(t, c.k, &x)
		tl := newTiles(c.k, x.RawMatrix().Data, c.dim)
		got := fixture.Get[*mat.SymDense](t)(tl.gram(context.Background()))
		sums := fixture.Get[*rowSums](t)(tl.rowSums(context.Background(), 40, nil, nil))
		toX, toY, squares := sums.toX, sums.toY, sums.squares
		var worst, allSquares float64
		raw := got.RawSymmetric().Data
		for i := range 150 {
			var a, b float64
			for j := range 150 {
				w := want.At(i, j)
				worst = max(worst, math.Abs(raw[i*150+j]-w))
				switch {
				case i == j:
					continue
				case j < 40:
					a += w
				default:
					b += w
				}
				allSquares += w * w
			}
			worst = max(worst, math.Abs(toX[i]-a)/150, math.Abs(toY[i]-b)/150)
		}
		if !(worst < 1e-12) || math.Abs(squares-allSquares) > 1e-12*allSquares {
			t.Errorf("%s: differs by %.2g, squares %v and %v", c.name, worst, squares, allSquares)
		}
	}
}

func TestMean(t *testing.T) {
	x, y := []float64{1, 2}, []float64{0.5, 2.5}
	k := kernels.Mean{se(1), se(2)}
	if got, want := k.At(x, y), (math.Exp(-0.25)+math.Exp(-0.0625))/2; math.Abs(got-want) > 1e-15 {
		t.Errorf("At = %v, want %v", got, want)
	}
	if k.Check(2) != nil || (kernels.Mean{}).Check(2) == nil || (kernels.Mean{se(-1)}).Check(2) == nil {
		t.Errorf("Check accepts what it should not, or the other way round")
	}
}
