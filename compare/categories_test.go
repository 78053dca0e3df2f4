package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The shares of a category are those of the rows, the level that differs most is named, and the numbers beside
// it are tested as without it.
func TestCategories(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sample := func(name string, share float64) Sample {
		x := mat.NewDense(100, 2, nil)
		for i := range 100 {
			c := 2.0
			if float64(i) < 100*share {
				c = float64(i % 2)
			}
			x.SetRow(i, []float64{r.NormFloat64(), c})
		}
		return Sample{Name: name, X: x}
	}
	p, q := sample("P", 0.2), sample("Q", 0.6)
	o := Options{Columns: []string{"x", "feed"}, Levels: [][]string{nil, {"corn", "oats", "rye"}}}
	got := compared(t, p, q, o)
	feed := got.ByColumn[1]
	if len(feed.Levels) != 3 || feed.Levels[2].Name != "rye" || math.Abs(feed.Levels[2].Shares[0]-0.8) > 1e-12 ||
		math.Abs(feed.Levels[0].Shares[1]-0.3) > 1e-12 {
		t.Errorf("%+v", feed.Levels)
	}
	if !strings.HasSuffix(got.Verdict(), ": feed differs on its own (more of P with feed = rye, 80% against 40%).") {
		t.Error(got.Verdict())
	}
	alone := compared(t, p, q, Options{Columns: []string{"x", "feed"}})
	if got.Witness != nil || got.ByColumn[0].Test.P != alone.ByColumn[0].Test.P {
		t.Errorf("%v, %v", got.ByColumn[0].Test.P, alone.ByColumn[0].Test.P)
	}
	record := got.Record()
	if record.ByColumn[0].Levels != nil || len(record.ByColumn[1].Levels) != 3 ||
		record.Test.Kernels[0].Kernel != "se times indicator" {
		t.Errorf("%+v", record)
	}
	only := Options{Columns: []string{"feed"}, Levels: [][]string{{"corn", "oats", "rye"}}}
	column := func(s Sample) Sample {
		return Sample{Name: s.Name, X: s.X.(*mat.Dense).Slice(0, 100, 1, 2)}
	}
	if text := compared(t, column(p), column(q), only).Verdict(); !strings.HasSuffix(text,
		": more of P with feed = rye, 80% against 40%.") {
		t.Error(text)
	}
	o.Levels[1] = o.Levels[1][:2]
	if _, err := Samples(t.Context(), p, q, o); err == nil || err.Error() !=
		"compare: column feed has the value 2 in row 21, want a level from 0 to 1" {
		t.Error(err)
	}
}
