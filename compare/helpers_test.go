package compare

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// rowsOf draws n rows of some columns.
func rowsOf(seed uint64, n, dim int, fill func(r *rand.Rand, row []float64)) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 5))
	out := mat.NewDense(n, dim, nil)
	for i := range n {
		fill(r, out.RawRowView(i))
	}
	return out
}

// shifted is the standard normal distribution with the mean of the first column moved.
func shifted(by float64) func(r *rand.Rand, row []float64) {
	return func(r *rand.Rand, row []float64) {
		for a := range row {
			row[a] = r.NormFloat64()
		}
		row[0] += by
	}
}

// samples are two of n rows that differ by a shift of the first column.
func samples(n, dim int, by float64) (p, q Sample) {
	return Sample{Name: "a", X: rowsOf(1, n, dim, shifted(0))},
		Sample{Name: "b", X: rowsOf(2, n, dim, shifted(by))}
}

func compared(t testing.TB, p, q Sample, o Options) *Result {
	t.Helper()
	r, err := Samples(t.Context(), p, q, o)
	if err != nil {
		t.Fatal(err)
	}
	consistent(t, r)
	return r
}

// consistent checks what must hold of any result: nothing contradicts the test, intervals lie where
// the band excludes 0 and nowhere else, places are rows where it does, and JSON has what it must.
func consistent(t testing.TB, r *Result) {
	t.Helper()
	if r.Test.Reject != (r.Test.P <= r.Test.Alpha) {
		t.Error("reject is not p <= alpha")
	}
	b, err := json.Marshal(r.Record())
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Test struct {
			P            *float64
			Reject       *bool
			Statistic    *float64
			Kernels      []map[string]any
			Permutations *int
		}
		Where, Places []map[string]any
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if got.Test.P == nil || got.Test.Reject == nil || got.Test.Statistic == nil ||
		got.Test.Permutations == nil || len(got.Test.Kernels) != len(r.Test.Candidates) ||
		got.Where == nil || got.Places == nil {
		t.Errorf("incomplete: %s", b)
	}
	if !r.Test.Reject && len(got.Where)+len(got.Places) > 0 {
		t.Errorf("the test does not reject, but places are named: %s", b)
	}
	if w := r.Witness; w != nil {
		consistentWitness(t, r, w)
	}
	for _, c := range r.ByColumn {
		if !(c.Corrected >= c.Test.P && c.Corrected <= 1) {
			t.Errorf("column %s: p %v, corrected %v", c.Name, c.Test.P, c.Corrected)
		}
	}
	if r.Verdict() == "" || len(r.String()) <= len(r.Verdict()) {
		t.Error("no words")
	}
}

func consistentWitness(t testing.TB, r *Result, w *Witness) {
	t.Helper()
	f := w.Functions
	excludes := w.Everywhere.Excludes()
	for j, in := range w.Among {
		if !in && (excludes[j] != 0 || !math.IsInf(w.Everywhere.Lower[j], -1)) {
			t.Errorf("point %d is not among the data and has a band", j)
		}
		inside := 0
		for _, v := range w.Where {
			if x := f.Points.At(j, 0); v.From <= x && x <= v.To {
				inside = v.Sign
			}
		}
		if r.places == nil && len(r.Columns) == 1 && r.Test.Reject && inside != excludes[j] {
			t.Errorf("point %v: sign %d, in an interval of sign %d", f.Points.At(j, 0), excludes[j],
				inside)
		}
	}
	for i, v := range w.Where {
		if !(v.From <= v.To) || i > 0 && v.From < w.Where[i-1].To ||
			i > 0 && v.From == w.Where[i-1].To && v.Sign == w.Where[i-1].Sign {
			t.Errorf("intervals %v", w.Where)
		}
	}
	named, alone := false, false
	for _, p := range w.Places {
		if len(p.Columns) < len(r.Columns) {
			alone = true
			consistentColumn(t, r, p)
			continue
		}
		named = true
		if r.places != nil {
			if !r.data.hasRow(p.At) {
				t.Errorf("place %v is no row", p)
			}
			continue
		}
		j := 0
		for !equal(f.Points.RawRowView(j), p.At) {
			j++
		}
		if excludes[j] != p.Sign {
			t.Errorf("place %v: the band has sign %d", p, excludes[j])
		}
	}
	some := false
	for _, s := range excludes {
		some = some || s != 0
	}
	if r.places == nil && r.Test.Reject && len(r.Columns) > 1 && named != some || named && alone {
		t.Errorf("the band excludes 0 somewhere: %v, and a place is named: %v", some, named)
	}
	if len(w.Where)+len(w.Places) == 0 && slices.ContainsFunc(w.Sides(), func(side int) bool { return side != 0 }) {
		t.Error("no place is named, and some are coloured")
	}
	if text := r.AtStrongest(); r.places != nil && text != "" && !strings.Contains(text, r.data.point(w.Likely)) {
		t.Errorf("%s, the clearest place is %v", text, w.Likely.At)
	}
	if r.places != nil && len(r.Columns) == 1 && len(w.Where) > 0 && (w.Likely.At[0] < w.Where[0].From ||
		w.Likely.At[0] > w.Where[len(w.Where)-1].To) {
		t.Errorf("the clearest place is %v, intervals %v", w.Likely.At, w.Where)
	}
}

// hasRow reports whether a sample has the row.
func (d *data) hasRow(row []float64) bool {
	for _, s := range d.samples {
		for i := range s.n {
			if equal(s.x.RawRowView(i), row) {
				return true
			}
		}
	}
	return false
}

// consistentColumn checks a place in a single column.
func consistentColumn(t testing.TB, r *Result, p Place) {
	t.Helper()
	for _, c := range r.ByColumn {
		if len(p.Columns) != 1 || c.Name != p.Columns[0] {
			continue
		}
		if c.Witness == nil || !(c.Corrected <= r.Test.Alpha) {
			t.Errorf("place %v of a column with p = %v", p, c.Corrected)
			continue
		}
		inside := false
		for _, v := range c.Witness.Where {
			inside = inside || v.From <= p.At[0] && p.At[0] <= v.To && v.More == p.More
		}
		if !inside {
			t.Errorf("place %v, intervals %v", p, c.Witness.Where)
		}
		return
	}
	t.Errorf("place %v: no such column", p)
}

func equal(a, b []float64) bool {
	for i, v := range a {
		if v != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}
