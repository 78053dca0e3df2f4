package kerneltest

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/internal/long"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// drawn returns samples of these sizes; each value is made by the function of a random source and the
// number of its sample.
func drawn(seed uint64, dim int, sizes []int, value func(r *rand.Rand, g int) float64) []mat.Matrix {
	r := rand.New(rand.NewPCG(seed, 24))
	var out []mat.Matrix
	for g, n := range sizes {
		x := mat.NewDense(n, dim, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return value(r, g) }, x)
		out = append(out, x)
	}
	return out
}

func normal(r *rand.Rand, _ int) float64 { return r.NormFloat64() }

// pairwise is the sum over pairs of samples of W_g W_h/W times the weighted unbiased squared MMD, by
// loops.
func pairwise(samples []mat.Matrix, weights [][]float64, k func(x, y []float64) float64) float64 {
	mean := func(g, h int) float64 {
		a, b, s, norm := samples[g], samples[h], 0.0, 0.0
		n, _ := a.Dims()
		m, _ := b.Dims()
		for i := range n {
			for j := range m {
				if g != h || i != j {
					w := weights[g][i] * weights[h][j]
					s += w * k(mat.Row(nil, i, a), mat.Row(nil, j, b))
					norm += w
				}
			}
		}
		return s / norm
	}
	all, in := 0.0, make([]float64, len(samples))
	for g := range samples {
		in[g] = total(weights[g])
		all += in[g]
	}
	out := 0.0
	for g := range samples {
		for h := range g {
			out += in[g] * in[h] / all * (mean(g, g) + mean(h, h) - 2*mean(g, h))
		}
	}
	return out
}

func ones(samples []mat.Matrix) [][]float64 {
	var out [][]float64
	for _, x := range samples {
		out = append(out, slices.Repeat([]float64{1}, rowsOf(x)))
	}
	return out
}

func TestSeveralAgainstLoops(t *testing.T) {
	samples := drawn(1, 2, []int{7, 4, 9}, func(r *rand.Rand, g int) float64 {
		return math.Round(4*r.NormFloat64())/4 + float64(g)/3
	})
	se := kernels.SquaredExponential(0.8)
	distance := func(x, y []float64) float64 { return -math.Hypot(x[0]-y[0], x[1]-y[1]) / 2 }
	weights := ones(samples)
	r := rand.New(rand.NewPCG(5, 5))
	for g := range weights {
		for i := range weights[g] {
			weights[g][i] = 0.5 + r.Float64()
		}
	}
	for _, c := range []struct {
		name    string
		kernel  kernels.Kernel
		at      func(x, y []float64) float64
		weights [][]float64
	}{
		{"squared exponential", se, se.At, nil},
		{"distance", kernels.Distance{Centre: []float64{0.2, -1}}, distance, nil},
		{"weighted", se, se.At, weights},
	} {
		o := Options{Kernel: Fixed(c.kernel), Standardize: StandardizeNever, SampleWeights: c.weights}
		got := fixture.Get[*Result](t)(Several(context.Background(), samples, o))
		w := c.weights
		if w == nil {
			w = ones(samples)
		} else { // the library works with weights of mean 1
			mean := (total(w[0]) + total(w[1]) + total(w[2])) / 20
			w = [][]float64{slices.Clone(w[0]), slices.Clone(w[1]), slices.Clone(w[2])}
			for g := range w {
				for i := range w[g] {
					w[g][i] /= mean
				}
			}
		}
		want := pairwise(samples, w, c.at)
		if math.Abs(got.Unbiased-want) > 1e-8*math.Abs(want) {
			t.Errorf("%s: %v, want %v", c.name, got.Unbiased, want)
		}
	}
}

// The distribution of the p-value of few rows, from all arrangements.
func TestSeveralAgainstAllArrangements(t *testing.T) {
	values := []float64{0.1, 0.9, 1.7, 2.2, 3.5, 4.1}
	take := func(order []int) []mat.Matrix {
		var out []mat.Matrix
		for g := range 3 {
			out = append(out, mat.NewDense(2, 1, []float64{values[order[2*g]], values[order[2*g+1]]}))
		}
		return out
	}
	se := kernels.SquaredExponential(1)
	var all []float64
	var visit func(order []int, left []int)
	visit = func(order, left []int) {
		if len(left) == 0 {
			s := take(order)
			all = append(all, pairwise(s, ones(s), se.At))
			return
		}
		for i, v := range left {
			rest := append(slices.Clone(left[:i]), left[i+1:]...)
			visit(append(slices.Clone(order), v), rest)
		}
	}
	visit(nil, []int{0, 1, 2, 3, 4, 5})
	observed := all[0] // 0.1, 0.9 | 1.7, 2.2 | 3.5, 4.1
	exact := 0.0
	for _, v := range all {
		if v >= observed-1e-12 {
			exact++
		}
	}
	exact /= float64(len(all))
	r := fixture.Get[*Result](t)(Several(context.Background(), take([]int{0, 1, 2, 3, 4, 5}),
		Options{Kernel: Fixed(se), Permutations: 20000, Alpha: 0.2}))
	if math.Abs(r.P-exact) > 5*math.Sqrt(exact*(1-exact)/20000) { // once in a million seeds
		t.Errorf("p = %v, want %v", r.P, exact)
	}
	r = fixture.Get[*Result](t)(Several(context.Background(), take([]int{0, 1, 2, 3, 4, 5}), Options{Alpha: 0.01}))
	if !strings.Contains(strings.Join(r.Notes, " "), "below 0.067") { // 6 of 90 arrangements are the same
		t.Errorf("notes %q, want the smallest p-value, 6/90", r.Notes)
	}
}

// With two samples the kernels of TwoSample have its statistics times mn/N.
func TestSeveralOfTwo(t *testing.T) {
	for seed := range uint64(4) {
		s := drawn(seed, 1, []int{25, 40}, func(r *rand.Rand, g int) float64 {
			return r.NormFloat64() * (1 + 0.3*float64(g))
		})
		o := Options{Seed: seed, Kernel: Choice{Rule: Bayes}}
		two := fixture.Get[*Result](t)(TwoSample(context.Background(), s[0], s[1], o))
		several := fixture.Get[*Result](t)(Several(context.Background(), s, o))
		if len(several.Candidates) != len(two.Candidates)+1 {
			t.Fatalf("%d kernels, want those of TwoSample and one more", len(several.Candidates))
		}
		for k, c := range two.Candidates {
			want := c.Statistic * 25 * 40 / 65
			if math.Abs(several.Candidates[k].Statistic-want) > 1e-3*(math.Abs(want)+0.1) {
				t.Errorf("kernel %d: %v, want %v", k, several.Candidates[k].Statistic, want)
			}
			// 999 permutations of each: five standard errors of a difference.
			p, q := c.P, several.Candidates[k].P
			if math.Abs(p-q) > 5*math.Sqrt(2*p*(1-p)/999)+2e-3 {
				t.Errorf("kernel %d: p = %v, want about %v", k, q, p)
			}
		}
	}
}

func TestSeveralDoesNotDependOnProcessors(t *testing.T) {
	s := drawn(3, 2, []int{15, 20, 12}, normal)
	o := Options{Permutations: 199}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	a := fixture.Get[*Result](t)(Several(context.Background(), s, o))
	runtime.GOMAXPROCS(5)
	b := fixture.Get[*Result](t)(Several(context.Background(), s, o))
	if !slices.Equal(a.Draws, b.Draws) || a.Statistic != b.Statistic {
		t.Error("the result depends on the number of processors")
	}
}

func TestSeveralCombinations(t *testing.T) {
	s := drawn(4, 1, []int{30, 20, 25}, func(r *rand.Rand, g int) float64 {
		return r.NormFloat64() + float64(g)
	})
	for _, o := range []Options{
		{Kernel: Choice{Rule: FuseGrid}, Combine: Fuse},
		{Kernel: Choice{Rule: AggGrid}, Combine: Aggregate},
		{Kernel: Choice{Rule: Ladder}}, {Stop: 50},
	} {
		if r := fixture.Get[*Result](t)(Several(context.Background(), s, o)); !r.Reject {
			t.Errorf("%v of %v: p = %v of samples a standard deviation apart", o.Combine, o.Kernel.Rule, r.P)
		}
	}
}

// What all rows of a block have in common makes no difference.
func TestSeveralWithinBlocks(t *testing.T) {
	const days = 20
	rejected := 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		var day []float64
		for range days {
			day = append(day, 10*r.NormFloat64())
		}
		var samples []mat.Matrix
		var blocks []int
		for g := range 3 {
			x := mat.NewDense(days, 1, nil)
			for i := range days {
				x.Set(i, 0, day[i]+r.NormFloat64()+float64(g))
				blocks = append(blocks, i)
			}
			samples = append(samples, x)
		}
		o := Options{Blocks: blocks, Seed: seed, Permutations: 199}
		if fixture.Get[*Result](t)(Several(context.Background(), samples, o)).Reject {
			rejected++
		}
	}
	if rejected < 18 {
		t.Errorf("%d of 20 rejected where blocks hide the difference, want 18", rejected)
	}
}

func TestSeveralRefuses(t *testing.T) {
	s := drawn(1, 1, []int{5, 5, 5}, normal)
	for _, c := range []struct {
		samples []mat.Matrix
		o       Options
		want    string
	}{
		{s[:1], Options{}, "there is 1 sample, want at least 2"},
		{[]mat.Matrix{s[0], mat.NewDense(1, 1, nil)}, Options{}, "sample 2 has 1 row, want at least 2"},
		{[]mat.Matrix{s[0], mat.NewDense(4, 2, nil)}, Options{}, "sample 2 has width 2, want 1"},
		{s, Options{WeightsX: []float64{1}}, "want SampleWeights"},
		{s, Options{SampleWeights: [][]float64{{1}}}, "weights of 1 samples, want 3"},
		{s, Options{SampleWeights: [][]float64{{1}, nil, nil}}, "1 weights of the rows of sample 1, want 5"},
		{s, Options{Blocks: []int{1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3}}, "no block has rows of two"},
		{s, Options{Null: 2}, "want permutation"},
	} {
		_, err := Several(context.Background(), c.samples, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// Of the replicates the share rejected at level 0.05 is within limits that a sound
// test leaves once in a thousand reseeds.
func TestLevelOfSeveral(t *testing.T) {
	reps := 120
	if long.Enabled() {
		reps = long.Of(500, 2000)
	}
	ties := func(r *rand.Rand, _ int) float64 { return math.Round(r.NormFloat64()) }
	heavy := func(r *rand.Rand, _ int) float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()) }
	for _, c := range []struct {
		name  string
		dim   int
		sizes []int
		value func(*rand.Rand, int) float64
		days  int
		long  bool
	}{
		{"1 column, unequal", 1, []int{8, 15, 22}, normal, 0, false},
		{"1 column, ties", 1, []int{12, 12, 12, 12}, ties, 0, true},
		{"3 columns, heavy tails", 3, []int{10, 20, 15}, heavy, 0, true},
		{"10 columns", 10, []int{15, 15, 15}, normal, 0, true},
		{"in blocks", 1, []int{8, 15, 22}, normal, 5, true},
	} {
		if c.long && !long.Enabled() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			lo, hi := interval(reps, 0.05, 0.999)
			rejected := 0
			for rep := range reps {
				s := drawn(uint64(rep)+1000, c.dim, c.sizes, c.value)
				o := Options{Permutations: 99, Seed: uint64(rep)}
				if c.days > 0 {
					for g := range s {
						for i := range c.sizes[g] {
							o.Blocks = append(o.Blocks, (i*(g+1)+rep)%c.days)
							s[g].(*mat.Dense).Set(i, 0, s[g].At(i, 0)+2*float64(o.Blocks[len(o.Blocks)-1]))
						}
					}
				}
				if fixture.Get[*Result](t)(Several(context.Background(), s, o)).Reject {
					rejected++
				}
			}
			t.Logf("%d of %d rejected (%d to %d)", rejected, reps, lo, hi)
			if rejected < lo || rejected > hi {
				t.Errorf("%d of %d rejected, want %d to %d", rejected, reps, lo, hi)
			}
		})
	}
}

func BenchmarkSeveral(b *testing.B) {
	for _, c := range []struct {
		name   string
		dim, n int
	}{{"100 rows each, 1 column", 1, 100}, {"300 rows each, 5 columns", 5, 300}, {"3000 rows each, 2 columns", 2, 3000}} {
		b.Run(c.name, func(b *testing.B) {
			s := drawn(1, c.dim, []int{c.n, c.n, c.n}, normal)
			for b.Loop() {
				if _, err := Several(context.Background(), s, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
