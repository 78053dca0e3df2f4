package compare

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"bayeskernel/bke/quadrature"
	"bayeskernel/embedding"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"
	"bayeskernel/nuts"

	"gonum.org/v1/gonum/mat"
)

// kind is a pair of samples.
type kind struct {
	name      string
	n, m, dim int // rows of each
	p, q      func(r *rand.Rand, row []float64)
	w, b      bool // weights, blocks
	reject    bool
}

// hot is one of three categories, the first of the given share.
func hot(share float64) func(r *rand.Rand, row []float64) {
	return func(r *rand.Rand, row []float64) {
		k := 0
		if r.Float64() > share {
			k = 1 + r.IntN(2)
		}
		row[k] = 1
	}
}

// counts are whole numbers.
func counts(mean float64) func(r *rand.Rand, row []float64) {
	return func(r *rand.Rand, row []float64) { row[0] = math.Floor(mean * r.ExpFloat64()) }
}

// tails is the Cauchy distribution.
func tails(by float64) func(r *rand.Rand, row []float64) {
	return func(r *rand.Rand, row []float64) { row[0] = by + r.NormFloat64()/r.NormFloat64() }
}

func coin(p float64) func(r *rand.Rand, row []float64) {
	return func(r *rand.Rand, row []float64) {
		if r.Float64() < p {
			row[0] = 1
		}
	}
}

func kinds() []kind {
	return []kind{
		{"n = 20", 20, 20, 1, shifted(0), shifted(2), false, false, true},
		{"n = 5000", 5000, 5000, 1, shifted(0), shifted(.2), false, false, true},
		{"two columns", 80, 80, 2, shifted(0), shifted(1), false, false, true},
		{"five columns", 80, 80, 5, shifted(0), shifted(1.5), false, false, true},
		{"thirty columns", 40, 40, 30, shifted(0), shifted(4), false, false, true},
		{"the same", 80, 80, 1, shifted(0), shifted(0), false, false, false},
		{"the same, three columns", 80, 80, 3, shifted(0), shifted(0), false, false, false},
		{"unequal", 15, 400, 1, shifted(0), shifted(1.5), false, false, true},
		{"counts", 100, 100, 1, counts(3), counts(8), false, false, true},
		{"one-hot", 100, 100, 3, hot(.8), hot(.3), false, false, true},
		{"coins", 100, 100, 1, coin(.2), coin(.8), false, false, true},
		{"Cauchy", 200, 200, 1, tails(0), tails(2), false, false, true},
		{"weights", 80, 80, 1, shifted(0), shifted(1), true, false, true},
		{"blocks", 80, 80, 2, shifted(0), shifted(1), false, true, true},
		{"both", 80, 80, 3, shifted(0), shifted(1.5), true, true, true},
	}
}

// Rows of all sizes and kinds: consistent has the checks.
func TestSamplesOfAllKinds(t *testing.T) {
	weights, blocks := make([]float64, 80), make([]int, 80)
	for i := range weights {
		weights[i], blocks[i] = 1+float64(i%3), i%4
	}
	for _, c := range kinds() {
		p := Sample{Name: "a", X: rowsOf(1, c.n, c.dim, c.p)}
		q := Sample{Name: "b", X: rowsOf(2, c.m, c.dim, c.q)}
		if c.w {
			p.Weights, q.Weights = weights, weights
		}
		if c.b {
			p.Blocks, q.Blocks = blocks, blocks
		}
		r := compared(t, p, q, Options{Seed: 1})
		if r.Test.Reject != c.reject || r.Witness == nil {
			t.Errorf("%s: p = %v, witness %v, notes %q", c.name, r.Test.P, r.Witness != nil, r.Notes)
		}
		if (r.ByColumn != nil) != (c.dim > 2) || len(r.Pairs) > 0 != (c.dim > 2 && c.reject) {
			t.Errorf("%s: %d columns, %d pairs", c.name, len(r.ByColumn), len(r.Pairs))
		}
		if c.reject && c.dim < 30 && len(r.Witness.Where)+len(r.Witness.Places) == 0 {
			t.Errorf("%s: no place is named: %v", c.name, r)
		}
		t.Logf("%s: %s", c.name, r.Verdict())
	}
}

// What there is to say of data that have nothing in them.
func TestDegenerateSamples(t *testing.T) {
	ones := func(_ *rand.Rand, row []float64) { row[0] = 1 }
	x := rowsOf(1, 30, 1, shifted(0))
	for _, c := range []struct {
		name string
		p, q mat.Matrix
	}{
		{"all rows equal", rowsOf(1, 9, 1, ones), rowsOf(1, 8, 1, ones)},
		{"one sample twice", x, x},
		{"one row", rowsOf(1, 1, 1, shifted(0)), x},
		{"two rows each", rowsOf(1, 2, 1, shifted(0)), rowsOf(2, 2, 1, shifted(0))},
		{"all equal in two columns", mat.NewDense(4, 2, nil), mat.NewDense(5, 2, nil)},
		{"a constant column", rowsOf(1, 40, 2, ones), rowsOf(2, 40, 2, ones)},
	} {
		r := compared(t, Sample{X: c.p}, Sample{X: c.q}, Options{})
		if r.Test.Reject {
			t.Errorf("%s: p = %v", c.name, r.Test.P)
		}
	}
}

// The level: at 0.05 no more than 9 of 60 are called different, a binomial tail of 0.0008; the
// permutation p-values are exact, and nothing is named where there is none.
func TestLevel(t *testing.T) {
	rejections := 0
	for set := range uint64(60) {
		p := Sample{X: rowsOf(2*set, 30, 1, shifted(0))}
		q := Sample{X: rowsOf(2*set+1, 30, 1, shifted(0))}
		if compared(t, p, q, Options{Functions: 200, Test: kerneltest.Options{Permutations: 99},
			Seed: set}).Test.Reject {
			rejections++
		}
	}
	if rejections > 9 {
		t.Errorf("%d of 60 are called different", rejections)
	}
}

// bytes are what programs write of a result.
func bytesOf(t *testing.T, r *Result) string {
	b, err := json.Marshal([]any{r.Record(), r.Witness.Functions.Mean, r.Witness.Everywhere.Level,
		r.Witness.Strongest, r.Witness.Band.Lower})
	if err != nil {
		t.Fatal(err)
	}
	return r.String() + string(b)
}

func TestSameBytesForAnyGOMAXPROCS(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, dim := range []int{1, 2, 5} {
		p, q := samples(60, dim, 1.5)
		var want string
		for _, procs := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(procs)
			got := bytesOf(t, compared(t, p, q, Options{Seed: 3}))
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%d columns, %d processors:\n%s\n%s", dim, procs, got, want)
			}
		}
	}
}

// The order of rows changes nothing but which of two equal permutations is drawn, and exchanging
// the samples changes the sign.
func TestExchange(t *testing.T) {
	for _, dim := range []int{1, 2} {
		p, q := samples(100, dim, 1)
		r := compared(t, p, q, Options{Seed: 1})
		s := compared(t, q, p, Options{Seed: 1})
		for j, v := range r.Witness.Functions.Mean {
			if v != -s.Witness.Functions.Mean[j] {
				t.Fatalf("%d columns: %v and %v", dim, v, s.Witness.Functions.Mean[j])
			}
		}
		if r.Witness.Strongest.More != s.Witness.Strongest.More {
			t.Error(r.Witness.Strongest, s.Witness.Strongest)
		}
	}
}

// Regions are in the units of the data: other units of each column move them along. In one column
// the lengthscale differs in its last digits, with which other functions may be drawn: the ends
// move by the Monte Carlo error of the band.
func TestUnits(t *testing.T) {
	for _, dim := range []int{1, 2} {
		p, q := samples(150, dim, 1)
		r := compared(t, p, q, Options{Seed: 1})
		units := []float64{1024, 1.0 / 64}
		change := func(s Sample) Sample {
			x := mat.DenseCopyOf(s.X)
			x.Apply(func(_, j int, v float64) float64 { return v * units[j] }, x)
			s.X = x
			return s
		}
		s := compared(t, change(p), change(q), Options{Seed: 1})
		if r.Test.P != s.Test.P || len(r.Witness.Where) != len(s.Witness.Where) ||
			len(r.Witness.Places) != len(s.Witness.Places) {
			t.Fatalf("%d columns:\n%v\n%v", dim, r, s)
		}
		for i, v := range r.Witness.Where {
			u := s.Witness.Where[i]
			if !(math.Abs(u.From/1024-v.From) < 0.02 && math.Abs(u.To/1024-v.To) < 0.02) {
				t.Error(v, u)
			}
		}
		for i, v := range r.Witness.Places {
			for a, x := range v.At {
				if got := s.Witness.Places[i].At[a] / units[a]; !(math.Abs(got-x) < 1e-9) {
					t.Error(v, s.Witness.Places[i])
				}
			}
		}
	}
}

// Equal weights of any size are none.
func TestEqualWeights(t *testing.T) {
	p, q := samples(60, 1, 1)
	want := compared(t, p, q, Options{})
	p.Weights, q.Weights = slices.Repeat([]float64{3}, 60), slices.Repeat([]float64{3}, 60)
	got := compared(t, p, q, Options{})
	if got.Test.P != want.Test.P || len(got.Witness.Where) != len(want.Witness.Where) {
		t.Fatalf("%v\n%v", got, want)
	}
	for i, v := range want.Witness.Where {
		if u := got.Witness.Where[i]; !(math.Abs(u.From-v.From)+math.Abs(u.To-v.To) < 1e-9) {
			t.Error(u, v)
		}
	}
	if !strings.Contains(got.Verdict(), "(permutation test") {
		t.Error(got.Verdict())
	}
}

// Draws of the caller, other scales, other kernels and other null distributions.
func TestScales(t *testing.T) {
	p, q := samples(200, 1, 0.8)
	chains := compared(t, p, q, Options{Sampler: &nuts.Config{Settings: nuts.Settings{Chains: 2,
		Warmup: 100, Draws: 50}}})
	if chains.Posterior.Run == nil || len(chains.Posterior.Draws) != 100 {
		t.Fatal(len(chains.Posterior.Draws))
	}
	again := compared(t, p, q, Options{Posterior: chains.Posterior})
	if bytesOf(t, again) != bytesOf(t, chains) {
		t.Error("draws of the caller make another result")
	}
	best := chains.Test.Kernel.Rungs[chains.Test.Best]
	if got := chains.Witness.Scale.Rung; got != best || chains.Witness.Scale.Sampled {
		t.Error(got, best)
	}
	for _, s := range []Scale{{Rung: 1}, {Rung: 4}, Paper(), {Sampled: true}} {
		w, err := chains.At(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		consistentWitness(t, chains, w)
		rung := s.Rung
		if rung == 0 {
			rung = 1
		}
		learned := chains.Test.Kernel.Theta[0] * rung
		if !(math.Abs(w.Theta[0]/learned-1) < 0.1) {
			t.Errorf("%v: theta %v, learned %v", s, w.Theta, learned)
		}
	}
	for _, o := range []Options{
		{Test: kerneltest.Options{Kernel: kerneltest.Lengthscale(0.7)}},
		{Test: kerneltest.Options{Kernel: kerneltest.Fixed(kernels.Matern32{Theta: []float64{1}})}},
		{Test: kerneltest.Options{Kernel: kerneltest.Choice{Rule: kerneltest.PlainMedian}}},
		{Test: kerneltest.Options{Kernel: kerneltest.Choice{Rule: kerneltest.PosteriorMean}}},
		{Test: kerneltest.Options{Kernel: kerneltest.Choice{Rule: kerneltest.AggGrid},
			Combine: kerneltest.Aggregate}},
		{Test: kerneltest.Options{Null: statistic.Spectral}},
		{Noise: embedding.IID},
	} {
		r := compared(t, p, q, o)
		if !r.Test.Reject || r.Witness == nil || len(r.Witness.Where) == 0 {
			t.Errorf("%+v: %v", o, r)
		}
		if o.Test.Null != 0 && r.Record().Test.Permutations != 0 {
			t.Error("permutations of another null")
		}
	}
}

// The normal approximation against quadrature, which is exact: the mean of the logarithms in units
// of their standard deviations, and these. With few rows the posterior is skew. The draws have the
// moments of the approximation to 4 standard errors.
func TestApproximationAgainstQuadrature(t *testing.T) {
	for _, c := range []struct {
		n        int
		mean, sd float64 // the largest errors
	}{{20, 0.3, 0.2}, {100, 0.1, 0.03}, {400, 0.1, 0.03}} {
		p, q := samples(c.n, 1, 1)
		r := compared(t, p, q, Options{Seed: 4})
		exact, err := quadrature.Integrate(t.Context(), r.Posterior.Model,
			r.data.o.Test.Kernel.Priors)
		if err != nil {
			t.Fatal(err)
		}
		a := newAround(r.Test.Kernel.Fit.Modes[0])
		var inverse mat.SymDense
		if err := a.root.InverseTo(&inverse); err != nil {
			t.Fatal(err)
		}
		for k, name := range exact.Names {
			want := math.Sqrt(exact.CovLog[k][k])
			sd := math.Sqrt(inverse.At(k, k))
			if !(math.Abs(a.centre[k]-exact.MeanLog[k]) < c.mean*want && math.Abs(sd/want-1) < c.sd) {
				t.Errorf("n = %d, %s: %v ± %v, want %v ± %v", c.n, name, a.centre[k], sd,
					exact.MeanLog[k], want)
			}
			mean, square, count := 0.0, 0.0, float64(len(r.Posterior.Draws))
			for _, h := range r.Posterior.Draws {
				v := (math.Log([]float64{h.Theta[0], h.Tau2}[k]) - a.centre[k]) / sd
				mean += v / count
				square += v * v / count
			}
			if !(math.Abs(mean) < 4/math.Sqrt(count) && math.Abs(square-1) < 4*math.Sqrt(2/count)) {
				t.Errorf("n = %d, %s: draws have mean %v and square %v in units of the approximation",
					c.n, name, mean, square)
			}
		}
	}
}

func TestWrongUse(t *testing.T) {
	p, q := samples(30, 1, 0)
	two, _ := samples(30, 2, 0)
	with := func(s Sample, f func(*Sample)) Sample { f(&s); return s }
	for _, c := range []struct {
		p, q Sample
		o    Options
		want string
	}{
		{Sample{}, q, Options{}, "P"},
		{p, two, Options{}, "1 as a"},
		{p, p, Options{}, "both samples are called a"},
		{with(p, func(s *Sample) { s.Weights = []float64{1} }), q, Options{}, "want 30"},
		{with(p, func(s *Sample) { s.Weights = make([]float64, 30) }), q, Options{}, "positive"},
		{with(p, func(s *Sample) { s.Blocks = []int{1} }), q, Options{}, "want 30"},
		{with(p, func(s *Sample) { s.Blocks = make([]int, 30) }), q, Options{}, "both or none"},
		{p, q, Options{Columns: []string{"x", "y"}}, "want 1"},
		{p, q, Options{Level: 1}, "between 0 and 1"},
		{p, q, Options{Functions: -1}, "functions"},
		{p, q, Options{Grid: 1}, "grid"},
		{p, q, Options{Scale: Scale{Rung: -1}}, "rung"},
		{p, q, Options{Test: kerneltest.Options{Blocks: []int{1}}}, "with the samples"},
		{p, q, Options{Posterior: &Posterior{}}, "no draws"},
		{p, q, Options{Test: kerneltest.Options{Alpha: 2}}, "alpha"},
	} {
		_, err := Samples(t.Context(), c.p, c.q, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Samples(ctx, p, q, Options{}); err == nil {
		t.Error("no error after the context ended")
	}
}
