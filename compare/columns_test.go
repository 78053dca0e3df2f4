package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// Worked by hand: the sorted p-values times 4, 3, 2, 1 are .04, .06, .06, .04, and none may fall.
func TestHolm(t *testing.T) {
	got := holm([]float64{0.03, 0.01, 0.04, 0.02})
	want := []float64{0.06, 0.04, 0.06, 0.06}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) < 1e-15) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
	if got := holm([]float64{0.5, 0.6, 1}); got[0] != 1 || got[1] != 1 || got[2] != 1 {
		t.Error(got)
	}
}

// By hand: means 2 and 5, variances 1 and 1, so 3 standard deviations and an error of
// sqrt(1/3+1/3).
func TestShift(t *testing.T) {
	v, se := shift([]float64{4, 5, 6}, []float64{1, 2, 3}, nil, nil)
	if !(math.Abs(v-3) < 1e-15 && math.Abs(se-math.Sqrt(2.0/3)) < 1e-15) {
		t.Error(v, se)
	}
	w := []float64{1.0 / 3, 1.0 / 3, 1.0 / 3}
	if u, s := shift([]float64{4, 5, 6}, []float64{1, 2, 3}, w, w); !(math.Abs(u-v) < 1e-12 &&
		math.Abs(s-se) < 1e-12) {
		t.Error(u, s)
	}
	if v, se := shift([]float64{1, 1}, []float64{1, 1}, nil, nil); v != 0 || se != 0 {
		t.Error(v, se)
	}
}

// The columns that differ are found, and the strength of a pair is the statistic of the kernel with
// the lengthscales of both columns, computed from its definition.
func TestColumnsAndPairs(t *testing.T) {
	p, q := samples(100, 4, 1)
	r := compared(t, p, q, Options{Columns: []string{"w", "x", "y", "z"}})
	if c := r.ByColumn[0]; c.Name != "w" || !(c.Corrected < 0.05) || !(c.Shift < -0.5) {
		t.Errorf("%+v", c)
	}
	if w := r.ByColumn[0].Witness; w == nil || len(w.Where) == 0 || w.columns[0] != "w" {
		t.Errorf("%+v", w)
	}
	for _, c := range r.ByColumn[1:] {
		if c.Corrected < 0.05 { // a false alarm of probability 0.05 on a reseed
			t.Errorf("column %s: %v", c.Name, c.Corrected)
		}
	}
	best := r.Pairs[0]
	if best.Index[0] != 0 || best.Columns[0] != "w" {
		t.Error(best.Columns)
	}
	if w := best.Witness; len(w.Axes) != 2 || w.Functions != nil || w.Where != nil || w.Places != nil {
		t.Errorf("%+v", w)
	}
	var all, two mat.Dense
	all.Stack(p.X, q.X)
	two.Augment(all.Slice(0, 200, 0, 1), all.Slice(0, 200, best.Index[1], best.Index[1]+1))
	a, b := r.ByColumn[0].Test.Kernel.Theta, r.ByColumn[best.Index[1]].Test.Kernel.Theta
	strength := 0.0
	for rung := range 2 {
		var gram mat.SymDense
		k := kernels.SquaredExponential(a[rung], b[rung])
		if err := kernels.Gram(&gram, k, &two); err != nil {
			t.Fatal(err)
		}
		s, err := statistic.NewMMD(&gram, 100)
		if err != nil {
			t.Fatal(err)
		}
		u, _ := s.Unbiased()
		v, _ := s.NullVariance()
		strength = max(strength, u/math.Sqrt(v))
	}
	if !(math.Abs(best.Strength/strength-1) < 1e-9) {
		t.Errorf("strength %v, want %v", best.Strength, strength)
	}
	if alone := compared(t, p, q, Options{Together: true}); alone.ByColumn != nil ||
		alone.Pairs != nil {
		t.Error("columns that were not asked for")
	}
}

// A difference in the shape of one column, spread along the other: a place is named for both columns together or, where
// there is none, in the column.
func TestPlaceInOneColumn(t *testing.T) {
	rejected, named, first := 0, 0, (*Result)(nil)
	for set := range uint64(3) {
		p := Sample{Name: "a", X: rowsOf(2*set, 200, 2, shifted(0))}
		q := Sample{Name: "b", X: rowsOf(2*set+1, 200, 2, func(r *rand.Rand, row []float64) {
			row[0] = math.Sqrt(0.5) * (r.ExpFloat64() - r.ExpFloat64())
			row[1] = r.NormFloat64()
		})}
		r := compared(t, p, q, Options{Seed: set})
		if !r.Test.Reject {
			continue
		}
		if rejected++; len(r.Record().Places) > 0 {
			named++
		}
		if first == nil && r.ByColumn[0].Corrected <= r.Test.Alpha {
			first = r
		}
	}
	if named == 0 || named < rejected-1 {
		t.Errorf("a place is named in %d of %d data sets in which the test rejects", named, rejected)
	}
	if first == nil {
		t.Fatal("no column differs on its own in 6 data sets")
	}
	first.Witness.Places = first.columnPlaces()
	if text := "near x1 = "; !strings.Contains(first.Verdict(), text) {
		t.Errorf("%s, want %q in it", first.Verdict(), text)
	}
}

// The 40 columns differ a little each, or one of them much; pairs are of the strongest columns.
func TestManyColumns(t *testing.T) {
	p, q := samples(60, 40, 3)
	r := compared(t, p, q, Options{})
	if len(r.ByColumn) != 40 || !(r.ByColumn[0].Corrected < 0.05) {
		t.Fatal(r)
	}
	if r.Test.Reject && r.Pairs[0].Index[0] != 0 {
		t.Error(r.Pairs[0].Columns)
	}
	if text := r.Verdict(); strings.Count(text, "x4 = ") > 0 && !strings.Contains(text, "…") {
		t.Error(text)
	}
}
