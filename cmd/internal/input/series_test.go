package input

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Rows of a random walk that is drawn back are told to be alike; independent rows, in any order, are not. A
// correlation of 40 independent values is above 0.5, 3.2 standard deviations, with probability 7e-4, two are with 5e-7, and
// in any of 4000 trials with 0.002.
func TestSeries(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	walk := func(n int, keep float64) *mat.Dense {
		out, v := mat.NewDense(n, 1, nil), 0.0
		for i := range n {
			v = keep*v + r.NormFloat64()
			out.Set(i, 0, v)
		}
		return out
	}
	said := func(p, q *mat.Dense) string {
		return strings.Join((&Dataset{P: p, Q: q, Columns: []string{"x"}}).series(), " ")
	}
	if s := said(walk(200, 0.9), walk(200, 0.9)); !strings.HasPrefix(s, "Rows that follow each other are alike in x (correlation 0.") {
		t.Errorf("of a time series: %q", s)
	}
	ordered := walk(200, 0)
	slices.Sort(ordered.RawMatrix().Data)
	if s := said(ordered, ordered); s != "" {
		t.Errorf("of rows in order: %q", s)
	}
	if s := said(walk(200, 0.9), walk(200, 0)); s != "" {
		t.Errorf("of one time series: %q", s)
	}
	sorted := mat.NewDense(150, 1, nil)
	for i := range 150 {
		sorted.Set(i, 0, float64(i/50*2)+r.NormFloat64()/2)
	}
	if s := said(sorted, sorted); s != "" {
		t.Errorf("of three groups that stand together: %q", s)
	}
	both := mat.NewDense(200, 2, nil)
	both.Augment(walk(200, 0.9), walk(200, 0.9))
	x, y := mat.DenseCopyOf(both.Slice(0, 200, 0, 1)), mat.DenseCopyOf(both.Slice(0, 200, 1, 2))
	pairs := &Pairs{Dataset: &Dataset{P: x, Columns: []string{"x", "y"}}, X: x, Y: y}
	if s := strings.Join(pairs.series(both), " "); !strings.Contains(s, "alike in x (correlation 0.") || !strings.Contains(s, " and y (") {
		t.Errorf("of two series: %q", s)
	}
	for range 4000 {
		if s := said(walk(40, 0), walk(40, 0)); s != "" {
			t.Fatalf("of independent rows: %q", s)
		}
	}
}
