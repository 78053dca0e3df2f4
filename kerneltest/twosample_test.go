package kerneltest

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/bke/inputs"
	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// nearP compares a p-value of permutations with another, in units of the Monte Carlo error of both.
// Five standard errors are passed once in 2e6 reseeds.
func nearP(t *testing.T, where string, got float64, count int, want,
	wantCount float64) float64 {
	t.Helper()
	sd := math.Sqrt(want * (1 - want) * (1/float64(count) + 1/wantCount))
	floor := 2/float64(count) + 2/wantCount // where nothing was seen in the tail
	d := math.Abs(got-want) / max(sd, floor)
	if !(d < 5) {
		t.Errorf("%s: p-value %v, want %v: %.1f standard errors", where, got, want, d)
	}
	return d
}

func TestReferencePermutationTwoSamples(t *testing.T) {
	var all map[string]fixture.Reference
	fixture.JSON(t, "statistic/testdata/reference.json", &all)
	worst, count := 0.0, 0
	for name, set := range all {
		if set.Kind != "two-sample" {
			continue
		}
		x, y := fixture.CSV(t, "statistic/testdata/"+name+"_x.csv"), fixture.CSV(t, "statistic/testdata/"+name+"_y.csv")
		for ell, ref := range set.Ell {
			theta := fixture.Get[float64](t)(strconv.ParseFloat(ell, 64))
			r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{
				Kernel: Lengthscale(theta), Permutations: 9999, Seed: 1,
				Standardize: StandardizeNever,
			}))
			worst = max(worst, nearP(t, name+" "+ell, r.P, 10000, ref["perm_p_mc"].(float64),
				ref["perm_p_mc_B"].(float64)))
			if d := math.Abs(r.Biased - ref["mmd2_b"].(float64)); d > 1e-12 {
				t.Errorf("%s %s: biased differs by %v", name, ell, d)
			}
			if d := math.Abs(r.Unbiased - ref["mmd2_u"].(float64)); d > 1e-12 {
				t.Errorf("%s %s: unbiased differs by %v", name, ell, d)
			}
			if d := math.Abs(r.Statistic - r.Biased); d > 1e-11 {
				t.Errorf("%s %s: statistic %v, biased %v", name, ell, r.Statistic, r.Biased)
			}
			count++
		}
	}
	if count != 15 {
		t.Errorf("%d cases, want 15", count)
	}
	t.Logf("largest difference: %.1f standard errors", worst)
}

// All ways to divide six rows, of which some are equal, against the exact p-value.
func TestAllDivisions(t *testing.T) {
	z := mat.NewDense(6, 1, []float64{0, 1, 0, 3, 1, 4})
	k := se(1.2)
	for _, unbiased := range []bool{false, true} {
		for _, m := range []int{2, 3} {
			observed := naiveMMD(k, z, func(i int) bool { return i < m }, unbiased)
			count, ways := 0, 0
			for mask := range 1 << 6 {
				inX := func(i int) bool { return mask>>i&1 == 1 }
				size := 0
				for i := range 6 {
					size += mask >> i & 1
				}
				if size != m {
					continue
				}
				ways++
				if naiveMMD(k, z, inX, unbiased) >= observed-1e-12 {
					count++
				}
			}
			x, y := z.Slice(0, m, 0, 1), z.Slice(m, 6, 0, 1)
			r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{
				Kernel: Fixed(k), Permutations: 19999, Unbiased: unbiased,
			}))
			nearP(t, "six rows", r.P, 20000, float64(count)/float64(ways), 1e12)
		}
	}
}

// Every permutation's statistic, with and without a stored Gram matrix, against loops.
func TestDrawsAgainstLoops(t *testing.T) {
	x, y := fixture.Normals(1, 13, 2, 0), fixture.Normals(2, 9, 2, 0.3)
	z := fixture.Pooled(x, y)
	linear := product{}
	for _, k := range []kernels.Kernel{se(0.8), kernels.Mean{se(0.2), se(2)}, linear} {
		for _, unbiased := range []bool{false, true} {
			o := Options{Kernel: Fixed(k), Permutations: 99, Seed: 4, Unbiased: unbiased,
				Standardize: StandardizeNever}
			r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
			design, _ := o.Complete(22)
			test := &twoSample{m: 13, n: 9, dim: 2, rows: z.RawMatrix().Data, o: design,
				kernels: []kernels.Kernel{k}, chosen: &Chosen{Theta: []float64{1}}, limits: limits{dense: 22, exact: 22}}
			if _, err := test.permutation(context.Background()); err != nil {
				t.Fatal(err)
			}
			signs, _ := test.design.Signs(13, 0, 100)
			for b, got := range append([]float64{r.Statistic}, r.Draws...) {
				want := naiveMMD(k, z, func(i int) bool { return signs.First(b, i) }, unbiased)
				if math.Abs(got-want) > 1e-10 {
					t.Errorf("%T: statistic %d is %v, want %v", k, b, got, want)
				}
			}
		}
	}
}

// product is a kernel without a constant diagonal.
type product struct{}

func (product) At(x, y []float64) float64 { return x[0]*y[0] + x[1]*y[1] + 1 }
func (product) Check(int) error           { return nil }

// With more rows than denseRows no matrix is stored: the numbers are the same.
func TestManyRows(t *testing.T) {
	const m, n = 2100, 2000
	x, y := fixture.Normals(1, m, 1, 0), fixture.Normals(2, n, 1, 0.05)
	k := se(0.5)
	s := fixture.Get[*statistic.MMD](t)(statistic.NewMMD(fixture.Gram(t, k, fixture.Pooled(x, y)), m))
	var last int
	o := Options{Kernel: Fixed(k), Null: statistic.Permutation, Permutations: 99,
		Progress: func(_ string, done, total int) { last = max(last, 1000*done/total) }}
	r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
	e := fixture.Get[float64](t)(s.SignalToNoise())
	if math.Abs(r.Biased-s.Biased()) > 1e-13 || math.Abs(r.Statistic-s.Biased()) > 1e-11 ||
		math.Abs(r.Unbiased-fixture.Get[float64](t)(s.Unbiased())) > 1e-13 ||
		math.Abs(r.Ratio-e) > 1e-8 {
		t.Errorf("%v %v %v, want %v and ratio %v", r.Biased, r.Unbiased, r.Ratio,
			s.Biased(), e)
	}
	if last != 1000 {
		t.Errorf("progress ended at %d of 1000", last)
	}
	low := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{Kernel: Fixed(k),
		Null: statistic.Spectral}))
	if low.Null != statistic.Spectral || math.Abs(low.P-r.P) > 5*math.Sqrt(low.P/100)+0.02 {
		t.Errorf("null %v, p-value %v, by permutation %v", low.Null, low.P, r.P)
	}
}

func TestAsymptotic(t *testing.T) {
	x, y := fixture.Normals(1, 40, 1, 0), fixture.Normals(2, 40, 1, 0.4)
	s := fixture.Get[*statistic.MMD](t)(statistic.NewMMD(fixture.Gram(t, se(1), fixture.Pooled(x, y)), 40))
	for _, null := range []statistic.Null{statistic.Spectral, statistic.Pearson, statistic.Gamma} {
		r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{
			Kernel: Lengthscale(1), Null: null}))
		want := fixture.Get[statistic.Tail](t)(s.Tail(null))
		if math.Abs(r.P-want.P) > 1e-9 || r.Null != null || r.PError != 0 || r.Draws != nil ||
			r.Reject != (want.P <= 0.05) {
			t.Errorf("%v: p-value %v, want %v", null, r.P, want.P)
		}
	}
}

// Results do not depend on the number of processors.
func TestProcessors(t *testing.T) {
	x, y := fixture.Normals(1, 100, 1, 0), fixture.Normals(2, 80, 1, 0.2)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, o := range []Options{
		{}, {Kernel: Choice{Rule: Learned}},
		{Kernel: Choice{Rule: AggGrid, Bandwidths: 2}, Combine: Aggregate},
		{Kernel: Choice{Rule: PosteriorMean, Quantiles: 8, Inputs: inputs.Options{Number: 6}},
			Stop: 50},
	} {
		var one, hone *Result
		for _, procs := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(procs)
			r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
			h := fixture.Get[*Result](t)(Independence(context.Background(), x.Slice(0, 80, 0, 1), y, o))
			for _, c := range []*Chosen{r.Kernel, h.Kernel, h.KernelY} {
				c.Model, c.Fit = nil, nil
			}
			if one == nil {
				one, hone = r, h
			}
			if !reflect.DeepEqual(r, one) || !reflect.DeepEqual(h, hone) {
				t.Errorf("%v: results differ on %d processors", o.Kernel.Rule, procs)
			}
		}
	}
}

// Ties, identical samples, one row, no variance, sizes that differ: each has an answer.
func TestOddSamples(t *testing.T) {
	tied := rounded(3, 12, 1, 1)
	for _, c := range []struct {
		name string
		x, y *mat.Dense
		p    float64 // what it must be; 0 means anything above 0
	}{
		{"identical", fixture.Normals(1, 9, 2, 0), fixture.Normals(1, 9, 2, 0), 1},
		{"tied and identical", tied, tied, 1},
		{"constant and equal", mat.NewDense(5, 1, nil), mat.NewDense(7, 1, nil), 1},
		{"one row each", fixture.Normals(1, 1, 3, 0), fixture.Normals(2, 1, 3, 0), 1},
		{"one row against many", fixture.Normals(1, 1, 1, 9), fixture.Normals(2, 30, 1, 0), 0},
		{"many against one row", fixture.Normals(2, 30, 1, 0), fixture.Normals(1, 1, 1, 9), 0},
		{"constants that differ", mat.NewDense(6, 1, nil),
			mat.NewDense(6, 1, []float64{1, 1, 1, 1, 1, 1}), 0},
		{"two values", rounded(1, 20, 1, 9), mat.NewDense(2, 1, []float64{0, 1}), 0},
	} {
		for rule := Default; rule < Given; rule++ {
			o := Options{Kernel: Choice{Rule: rule, Quantiles: 4}, Permutations: 199}
			r, err := TwoSample(context.Background(), c.x, c.y, o)
			m, _ := c.x.Dims()
			n, _ := c.y.Dims()
			if err != nil {
				if min(m, n) == 1 && strings.Contains(err.Error(), "want at least 2 in each") {
					continue // several kernels
				}
				t.Errorf("%s, %v: %v", c.name, rule, err)
				continue
			}
			if !(r.P > 0 && r.P <= 1) || c.p > 0 && r.P != c.p || math.IsNaN(r.Biased) {
				t.Errorf("%s, %v: p-value %v, want %v", c.name, rule, r.P, c.p)
			}
			if c.name == "constants that differ" && r.P > 0.03 {
				t.Errorf("%s, %v: p-value %v, want one near 1/200", c.name, rule, r.P)
			}
		}
	}
}

func TestTwoSampleErrors(t *testing.T) {
	x, y := fixture.Normals(1, 10, 1, 0), fixture.Normals(2, 8, 1, 0)
	nan := mat.NewDense(2, 1, []float64{1, math.NaN()})
	fixed := Lengthscale(1)
	two := Fixed(se(1), se(2))
	for _, c := range []struct {
		x, y mat.Matrix
		o    Options
		want string
	}{
		{nil, y, Options{}, "x is nil"},
		{x, nan, Options{}, "y is NaN in row 2"},
		{x, fixture.Normals(2, 8, 2, 0), Options{}, "y has width 2, want 1"},
		{x, y, Options{Alpha: 1}, "alpha is 1"},
		{x, y, Options{Permutations: 9}, "no p-value reaches alpha 0.05: want at least 19"},
		{x, y, Options{Permutations: -1}, "permutations are -1"},
		{x, y, Options{Permutations: math.MaxInt},
			"permutations are " + strconv.Itoa(math.MaxInt) + ", want at most 1000000000"},
		{x, y, Options{Permutations: math.MaxInt, Kernel: two, Combine: Aggregate}, "want at most 1000"},
		{x, y, Options{Permutations: math.MaxInt, Kernel: fixed, Stop: math.MaxInt},
			"want at most 1000"},
		{x, y, Options{Alpha: 1e-300}, "alpha is 1e-300, want at least 1e-09"},
		{x, y, Options{Alpha: 1e-300, Kernel: two, Combine: Aggregate}, "alpha is 1e-300, want"},
		{x, y, Options{Alpha: 1e-8, Permutations: 2e8, Kernel: two, Combine: Aggregate},
			"less than 1e+09 permutations"},
		{x, y, Options{Stop: -1}, "stop is -1"},
		{x, y, Options{Sharpness: -1}, "sharpness is -1"},
		{x, y, Options{Sharpness: 1e308, Combine: Fuse, Kernel: two},
			"sharpness is 1e+308, want a number from 1e-100 to 1e+100"},
		{x, y, Options{Sharpness: 1e-300}, "sharpness is 1e-300"},
		{x, y, Options{Sharpness: math.NaN()}, "sharpness is NaN"},
		{x, y, Options{Kernel: two, Weights: []float64{1, 2}},
			"there are 2 weights with combination largest"},
		{x, y, Options{Kernel: two, Combine: Fuse, Weights: []float64{1}}, "combination fuse"},
		{x, y, Options{Kernel: fixed, Combine: Aggregate, Weights: []float64{1, 2}},
			"there are 2 weights, want one for each of 1 kernels"},
		{x, y, Options{Blocks: []int{1}}, "blocks have 1 labels, want one for each of 18 rows"},
		{x, y, Options{Blocks: []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}},
			"no block has rows of both"},
		{x, y, Options{Null: statistic.Spectral, Kernel: two}, "null is spectral with 2 kernels"},
		{x, y, Options{Null: statistic.Spectral, Kernel: fixed, Unbiased: true}, "unbiased"},
		{x, y, Options{Null: statistic.Spectral, Kernel: fixed, Stop: 5}, "early stop"},
		{x, y, Options{Null: statistic.Spectral, Kernel: fixed, Blocks: make([]int, 18)}, "with blocks"},
		{x, y, Options{Null: statistic.Gamma, Kernel: fixed}, "as many in each"},
		{x, y, Options{Null: statistic.GammaKCI, Kernel: fixed}, "null of an MMD is gamma-kci"},
		{x, y, Options{Null: 99}, "unknown null"},
		{x, y, Options{Combine: 9}, "unknown combination"},
		{x, y, Options{KernelY: fixed}, "kernel for y"},
		{x, y, Options{Kernel: two, Combine: Aggregate, Weights: []float64{1}},
			"there are 1 weights"},
		{x, y, Options{Kernel: two, Combine: Aggregate, Weights: []float64{1, 0}}, "weight 2 is 0"},
		{x, y, Options{Kernel: two, Combine: Aggregate, Stop: 5}, "stop is 5"},
		{x, fixture.Normals(1, 1, 1, 0), Options{Unbiased: true}, "10 and 1 rows"},
	} {
		_, err := TwoSample(context.Background(), c.x, c.y, c.o)
		if err == nil || !strings.HasPrefix(err.Error(), "kerneltest: ") ||
			!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, f := range []func(context.Context, mat.Matrix, mat.Matrix, Options) (*Result, error){
		TwoSample, Independence,
	} {
		for _, c := range []Choice{{}, fixed} {
			_, err := f(ctx, x, fixture.Normals(3, 10, 1, 0), Options{Kernel: c})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error of a cancelled test is %v", err)
			}
		}
	}
}
