package kerneltest

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/internal/permute"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// weightedMMD is the statistic of one arrangement by loops.
func weightedMMD(at func(i, j int) float64, a []float64, first func(i int) bool,
	unbiased bool) float64 {
	var x, y, x2, y2, xx, yy, xy float64
	for i, w := range a {
		if first(i) {
			x, x2 = x+w, x2+w*w
		} else {
			y, y2 = y+w, y2+w*w
		}
	}
	for i, w := range a {
		for j, v := range a {
			k := w * v * at(i, j)
			switch {
			case first(i) != first(j):
				xy += k / 2
			case i == j && unbiased:
			case first(i):
				xx += k
			default:
				yy += k
			}
		}
	}
	if unbiased {
		return xx/(x*x-x2) + yy/(y*y-y2) - 2*xy/(x*y)
	}
	return xx/(x*x) + yy/(y*y) - 2*xy/(x*y)
}

// However a kernel is held, and with weights and without, every permutation's statistic is that of
// loops, and so are the statistics of the data.
func TestFormsAgainstLoops(t *testing.T) {
	const m, n = 120, 90
	r := rand.New(rand.NewPCG(1, 2))
	z := rounded(1, m+n, 1, 0.01)
	a := make([]float64, m+n)
	for i := range a {
		a[i] = 0.2 + r.ExpFloat64()
	}
	for name, l := range map[string]limits{
		"matrix":      {dense: 1000, exact: 1000, kept: keptBytes, rank: 50},
		"tiles":       {dense: 10, exact: 1000, rank: 0},
		"factor":      {dense: 10, exact: 1000, kept: keptBytes, rank: 50},
		"approximate": {dense: 10, exact: 10, rank: 3},
	} {
		for _, weights := range [][]float64{nil, a} {
			for _, unbiased := range []bool{false, true} {
				for _, k := range []kernels.Kernel{se(40), kernels.Product{scale(3), se(40)}} {
					checkForms(t, name, l, k, z, m, weights, unbiased)
				}
			}
		}
	}
}

func checkForms(t *testing.T, name string, l limits, k kernels.Kernel, z *mat.Dense, m int,
	weights []float64, unbiased bool) {
	t.Helper()
	ctx := context.Background()
	all, _ := z.Dims()
	o, _ := Options{Permutations: 29, Seed: 6, Unbiased: unbiased}.Complete(all)
	test := &twoSample{m: m, n: all - m, dim: 1, rows: z.RawMatrix().Data, o: o, limits: l,
		kernels: []kernels.Kernel{k}, weights: weights, chosen: &Chosen{Theta: []float64{1}}}
	if name == "factor" { // 60 rows for each feature are more than there are
		low := fixture.Get[*statistic.Factor](t)(newTiles(k, test.rows, 1).sortedFactor(ctx,
			factorTolerance, 50, nil))
		f := &form{t: test, tiles: newTiles(k, test.rows, 1), factor: newWeightedFactor(low, weights)}
		f.diag = f.factor.diag
		test.held = []*form{f}
	}
	res := fixture.Get[*Result](t)(test.permutation(ctx))
	gram := fixture.Gram(t, k, z)
	at := gram.At
	if name == "approximate" {
		f := fixture.Get[*statistic.Factor](t)(newTiles(k, test.rows, 1).sortedFactor(ctx,
			factorTolerance, 3, nil))
		var c mat.Dense
		whole := f.Features()
		for i := range all {
			for k, v := range f.Mean() {
				whole.Set(i, k, whole.At(i, k)+v)
			}
		}
		c.Mul(whole, whole.T())
		at = c.At
		if res.TraceError != f.TraceError() || res.TraceError == 0 {
			t.Errorf("%s: trace error %v, want %v", name, res.TraceError, f.TraceError())
		}
	}
	ones := weights
	if ones == nil {
		ones = mat.NewVecDense(all, nil).RawVector().Data
		for i := range ones {
			ones[i] = 1
		}
	}
	design, _ := permute.NewDesign(all, 6, nil)
	signs, _ := design.Signs(m, 0, 30)
	bar := 1e-9
	for b, got := range append([]float64{res.Statistic}, res.Draws...) {
		want := weightedMMD(at, ones, func(i int) bool { return signs.First(b, i) }, unbiased)
		if math.Abs(got-want) > bar {
			t.Fatalf("%s, weights %v, unbiased %v: statistic %d is %v, want %v", name, weights != nil,
				unbiased, b, got, want)
		}
	}
	first := func(i int) bool { return i < m }
	for _, u := range []bool{false, true} {
		got, want := res.Biased, weightedMMD(at, ones, first, u)
		if u {
			got = res.Unbiased
		}
		if math.Abs(got-want) > bar {
			t.Errorf("%s, weights %v: unbiased %v: %v, want %v", name, weights != nil, u, got, want)
		}
	}
	if want := effect(at, ones, m); math.Abs(res.Ratio-want) > 1e-6*math.Abs(want) {
		t.Errorf("%s, weights %v: ratio %v, want %v", name, weights != nil, res.Ratio, want)
	}
}

// effect is the ratio by loops.
func effect(at func(i, j int) float64, a []float64, m int) float64 {
	first := func(i int) bool { return i < m }
	x, y := total(a[:m]), total(a[m:])
	witness := make([]float64, len(a))
	for i := range a {
		for j, v := range a {
			if j < m {
				witness[i] += v * at(i, j) / x
			} else {
				witness[i] -= v * at(i, j) / y
			}
		}
	}
	v := 0.0
	for _, part := range [][2]int{{0, m}, {m, len(a)}} {
		w, h := a[part[0]:part[1]], witness[part[0]:part[1]]
		all, second, mean, s := total(w), 0.0, 0.0, 0.0
		for i := range w {
			mean += w[i] / all * h[i]
			second += w[i] * w[i] / (all * all)
		}
		for i := range w {
			s += w[i] * w[i] / (all * all) * (h[i] - mean) * (h[i] - mean)
		}
		v += 4 * s / (1 - second)
	}
	return weightedMMD(at, a, first, true) / math.Sqrt(v)
}

// The units of several kernels are the same however they are held, and close to the standard
// deviation over permutations, with weights too.
func TestNormsOfForms(t *testing.T) {
	const m, n = 150, 100
	z := fixture.Normals(3, m+n, 1, 0)
	r := rand.New(rand.NewPCG(1, 9))
	a := make([]float64, m+n)
	for i := range a {
		a[i] = 0.5 + r.Float64()
	}
	for _, weights := range [][]float64{nil, a} {
		for _, combine := range []Combination{Largest, Fuse} {
			for _, theta := range []float64{0.5, 5} {
				o, _ := Options{Permutations: 999, Combine: combine}.Complete(m + n)
				test := &twoSample{m: m, n: n, dim: 1, rows: z.RawMatrix().Data, o: o,
					kernels: []kernels.Kernel{se(theta), se(1)}, weights: weights,
					limits: limits{dense: 1000, exact: 1000}}
				ctx := context.Background()
				test.begin()
				dense := fixture.Get[*form](t)(test.form(ctx, 0))
				low := fixture.Get[*statistic.Factor](t)(dense.tiles.sortedFactor(ctx, 1e-12, 100, nil))
				f := &form{t: test, tiles: dense.tiles, factor: newWeightedFactor(low, weights)}
				one, two := fixture.Get[float64](t)(dense.norm(ctx)), fixture.Get[float64](t)(f.norm(ctx))
				if d := math.Abs(one/two - 1); d > 1e-6 && weights == nil || d > 0.02 {
					t.Errorf("weights %v, %v, theta %v: unit %v of the matrix, %v of the factor",
						weights != nil, combine, theta, one, two)
				}
				if combine == Fuse {
					continue
				}
				design, _ := permute.NewDesign(m+n, 1, nil)
				test.design = design
				table := fixture.Get[*table](t)(test.draw(ctx, 0, 1000, 1000))
				if sd := math.Sqrt(stat.Variance(table.values[0], nil)); math.Abs(sd/one-1) > 0.15 {
					t.Errorf("weights %v, theta %v: unit %v, standard deviation %v", weights != nil,
						theta, one, sd)
				}
			}
		}
	}
}

// Equal weights are no weights.
func TestEqualWeights(t *testing.T) {
	x, y := fixture.Normals(1, 30, 2, 0), fixture.Normals(2, 20, 2, 0.5)
	o := Options{Kernel: Fixed(se(0.5), se(2)), Permutations: 99}
	want := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
	o.WeightsX, o.WeightsY = make([]float64, 30), make([]float64, 20)
	for i := range o.WeightsX {
		o.WeightsX[i] = 7
	}
	for i := range o.WeightsY {
		o.WeightsY[i] = 7
	}
	got := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
	for k, c := range got.Candidates {
		if math.Abs(c.Statistic-want.Candidates[k].Statistic) > 1e-11 {
			t.Errorf("kernel %d: %v, want %v", k, c.Statistic, want.Candidates[k].Statistic)
		}
	}
	if math.Abs(got.P-want.P) > 0.05 || math.Abs(got.Ratio-want.Ratio) > 1e-9 {
		t.Errorf("p %v and effect %v, want %v and %v", got.P, got.Ratio, want.P, want.Ratio)
	}
	at := mat.NewDense(1, 2, []float64{0.3, 0.1})
	a, sa, err := want.Witness(x, y, at)
	b, sb, err2 := got.Witness(x, y, at)
	if err != nil || err2 != nil || math.Abs(a[0]-b[0]) > 1e-12 || math.Abs(sa[0]/sb[0]-1) > 1e-9 {
		t.Errorf("witness %v +- %v, want %v +- %v", b, sb, a, sa)
	}
}

func TestWeightErrors(t *testing.T) {
	x, y := fixture.Normals(1, 4, 1, 0), fixture.Normals(2, 3, 1, 0)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{WeightsX: []float64{1, 2}}, "2 weights of the rows of x, want 4"},
		{Options{WeightsY: []float64{1, 2, 0}}, "weight of row 3 of y is 0"},
		{Options{WeightsY: []float64{1, 2, math.NaN()}}, "weight of row 3 of y is NaN"},
		{Options{WeightsY: []float64{1, 2, 3}, Null: statistic.Spectral}, "null is spectral with weights"},
	} {
		_, err := TwoSample(context.Background(), x, y, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	_, err := Independence(context.Background(), x, x, Options{WeightsX: []float64{1, 1, 1, 1}})
	if err == nil || !strings.Contains(err.Error(), "weights of rows with a test of independence") {
		t.Errorf("error %v", err)
	}
}

// With weights that depend on the row, the pairs of row and weight are exchangeable and the level
// is exact: of 400 tests at level 0.05 the 99.9% interval is for 8 to 36.
func TestLevelWithWeights(t *testing.T) {
	const reps = 400
	rejected := 0
	for rep := range reps {
		x, y := fixture.Normals(uint64(rep), 12, 1, 0), fixture.Normals(uint64(rep)+9999, 8, 1, 0)
		o := Options{Kernel: Fixed(se(0.5), se(2)), Permutations: 99, Seed: uint64(rep)}
		for i := range 12 {
			o.WeightsX = append(o.WeightsX, math.Exp(x.At(i, 0)))
		}
		for i := range 8 {
			o.WeightsY = append(o.WeightsY, math.Exp(y.At(i, 0)))
		}
		if fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o)).Reject {
			rejected++
		}
	}
	if lo, hi := interval(reps, 0.05, 0.999); rejected < lo || rejected > hi {
		t.Errorf("%d of %d rejected, want %d to %d", rejected, reps, lo, hi)
	}
}
