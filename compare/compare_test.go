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

	"bayeskernel/internal/long"
	"bayeskernel/kerneltest"

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
	for k, c := range kinds() {
		if k%2 > 0 && !long.Enabled() {
			continue
		}
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
		if (r.ByColumn != nil) != (c.dim > 1) || len(r.Pairs) > 0 != (c.dim > 2 && c.reject) {
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

// The level: at 0.05 no more than 5 of 25 are called different, a binomial tail of 0.001 (9 of 60, of 0.0008); the
// permutation p-values are exact, and nothing is named where there is none.
func TestLevel(t *testing.T) {
	rejections := 0
	sets, most := uint64(25), 5
	if long.Enabled() {
		sets, most = 60, 9
	}
	for set := range sets {
		p := Sample{X: rowsOf(2*set, 30, 1, shifted(0))}
		q := Sample{X: rowsOf(2*set+1, 30, 1, shifted(0))}
		if compared(t, p, q, Options{Functions: 200, Test: kerneltest.Options{Permutations: 99},
			Seed: set}).Test.Reject {
			rejections++
		}
	}
	if rejections > most {
		t.Errorf("%d of %d are called different", rejections, sets)
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
		for _, procs := range []int{1, 5} {
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

// Equal weights of any size are none. The ends of intervals come from functions drawn with a
// covariance that is nearly singular for the longer lengthscales: a rounding error in the mean
// of 1e-16 moves them by 1e-9.
func TestEqualWeights(t *testing.T) {
	p, q := samples(60, 1, 1)
	want := compared(t, p, q, Options{})
	p.Weights, q.Weights = slices.Repeat([]float64{3}, 60), slices.Repeat([]float64{3}, 60)
	got := compared(t, p, q, Options{})
	if got.Test.P != want.Test.P || len(got.Witness.Where) != len(want.Witness.Where) {
		t.Fatalf("%v\n%v", got, want)
	}
	for i, v := range want.Witness.Where {
		if u := got.Witness.Where[i]; !(math.Abs(u.From-v.From)+math.Abs(u.To-v.To) < 1e-7) {
			t.Error(u, v)
		}
	}
	if !strings.Contains(got.Verdict(), "(permutation test") {
		t.Error(got.Verdict())
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
