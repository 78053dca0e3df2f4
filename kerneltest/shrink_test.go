package kerneltest

import (
	"context"
	"math"
	"slices"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/internal/permute"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/bayesfactor"

	"gonum.org/v1/gonum/mat"
)

// shrunkTest is a test under way with the given kernels, their amplitudes and weights of rows.
func shrunkTest(x, y *mat.Dense, weights []float64, theta, amplitudes []float64, rank int) *twoSample {
	m, dim := x.Dims()
	n, _ := y.Dims()
	t := &twoSample{m: m, n: n, dim: dim, weights: weights, amplitudes: amplitudes,
		rows:   slices.Concat(x.RawMatrix().Data, y.RawMatrix().Data),
		limits: limits{denseRows, ExactRows, keptBytes, rank}}
	for _, v := range theta {
		t.kernels = append(t.kernels, kernels.SquaredExponential(v))
	}
	t.begin()
	return t
}

// The biased statistic of the shrunk kernel is a log Bayes factor up to a factor and a constant:
// with other labels both change alike.
func TestShrunkStatisticIsTheLogBayesFactor(t *testing.T) {
	x, y := fixture.Normals(1, 30, 2, 0.5), fixture.Normals(2, 50, 2, 0)
	const theta, s = 1.3, 2.0
	var all mat.Dense
	all.Stack(x, y)
	var statistics, factors []float64
	for shift := range 4 {
		rows := mat.NewDense(80, 2, nil)
		for i := range 80 {
			rows.SetRow(i, all.RawRowView((i+7*shift)%80))
		}
		a, b := rows.Slice(0, 30, 0, 2).(*mat.Dense), rows.Slice(30, 80, 0, 2).(*mat.Dense)
		test := shrunkTest(mat.DenseCopyOf(a), mat.DenseCopyOf(b), nil, []float64{theta}, []float64{s},
			80)
		f, err := test.form(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if f.gram == nil {
			t.Fatal("the kernel has a factor of low rank, want the whole matrix")
		}
		m := 0.0
		for i := range 80 {
			for j := range 80 {
				c := func(i int) float64 {
					if i < 30 {
						return 1.0 / 30
					}
					return -1.0 / 50
				}
				m += c(i) * c(j) * f.gram.At(i, j)
			}
		}
		statistics = append(statistics, m)
		e, err := bayesfactor.DensityAt(a, b, theta, s)
		if err != nil {
			t.Fatal(err)
		}
		factors = append(factors, e.LogBF)
	}
	kappa := (1.0/30 + 1.0/50) / 79
	for i := 1; i < 4; i++ {
		got, want := (statistics[i]-statistics[0])/(2*kappa), factors[i]-factors[0]
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("the statistic changes by %v, the log Bayes factor by %v", got, want)
		}
	}
}

// Shrunk as a factor of full rank and as a matrix, with weights and without, a kernel has the
// same statistics and the same standard deviation.
func TestShrunkFactorAndMatrix(t *testing.T) {
	x, y := fixture.Normals(3, 25, 2, 0.5), fixture.Normals(4, 35, 2, 0)
	weights := make([]float64, 60)
	for i := range weights {
		weights[i] = 0.5 + float64(i%7)/6
	}
	for _, w := range [][]float64{nil, weights} {
		whole := shrunkTest(x, y, w, []float64{0.8}, []float64{3}, 60)
		low := shrunkTest(x, y, w, []float64{0.8}, []float64{3}, 60)
		factor, err := newTiles(low.kernels[0], low.rows, 2).sortedFactor(context.Background(), 1e-14, 60,
			nil)
		if err != nil {
			t.Fatal(err)
		}
		low.plain = shared{low.kernels[0], factor}
		whole.plain = shared{whole.kernels[0], nil}
		design, err := permute.NewDesign(60, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		signs, err := design.Signs(25, 0, 20)
		if err != nil {
			t.Fatal(err)
		}
		var values [2][]float64
		var norms [2]float64
		for i, test := range []*twoSample{whole, low} {
			f, err := test.form(context.Background(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if (f.factor != nil) != (test == low) {
				t.Fatal("the form is not as was meant")
			}
			test.o.Unbiased = true
			totals, err := test.sampleTotals(context.Background(), signs)
			if err != nil {
				t.Fatal(err)
			}
			if values[i], _, err = f.values(context.Background(), permute.Best(), signs, totals); err != nil {
				t.Fatal(err)
			}
			if norms[i], err = f.norm(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		for b := range values[0] {
			if math.Abs(values[0][b]-values[1][b]) > 1e-10 {
				t.Errorf("statistic %d is %v of the matrix and %v of the factor", b, values[0][b],
					values[1][b])
			}
		}
		if math.Abs(norms[0]/norms[1]-1) > 1e-8 {
			t.Errorf("standard deviation is %v of the matrix and %v of the factor", norms[0], norms[1])
		}
	}
}

// Rule bayes sees a fine correlation that the coarse variances hide.
func TestBayesRule(t *testing.T) {
	x, y := fixture.Normals(5, 250, 2, 0), fixture.Normals(6, 250, 2, 0)
	for i := range 250 {
		y.Set(i, 1, 0.5*y.At(i, 0)+math.Sqrt(0.75)*y.At(i, 1))
	}
	r, err := TwoSample(context.Background(), x, y, Options{Kernel: Choice{Rule: Bayes},
		Permutations: 199})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Reject || len(r.Candidates) != 3 || r.Candidates[0].Amplitude != 2 {
		t.Errorf("p-value %v, candidates %+v", r.P, r.Candidates)
	}
	again, err := TwoSample(context.Background(), x, y, Options{Kernel: r.Kernel.Choice(),
		Permutations: 199})
	if err != nil {
		t.Fatal(err)
	}
	if again.P != r.P || again.Statistic != r.Statistic {
		t.Errorf("with the same kernels the p-value is %v, want %v", again.P, r.P)
	}
	if _, _, err := r.Witness(x, y, mat.NewDense(1, 2, nil)); err != nil {
		t.Error(err)
	}
}
