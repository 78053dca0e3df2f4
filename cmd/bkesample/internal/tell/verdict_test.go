package tell

import (
	"testing"

	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/embedding"

	"gonum.org/v1/gonum/mat"
)

// Intervals that touch in the digits shown are one, points are not listed, and each sample is named
// once.
func TestPlaces(t *testing.T) {
	d := &input.Dataset{PName: "P", QName: "Q", Columns: []string{"x"}}
	w := &work.Witness{Points: mat.NewDense(2, 1, []float64{-2, 2})}
	r := &Report{Sampled: &work.Sampled{Study: &work.Study{Data: d}, Witness: w}}
	var many []embedding.Interval
	for i := range 9 {
		many = append(many, embedding.Interval{From: float64(i), To: float64(i) + 0.5, Sign: 1})
	}
	for _, c := range []struct {
		in   []embedding.Interval
		want string
	}{
		{nil, ""},
		{[]embedding.Interval{{From: 1.2341, To: 1.2342, Sign: 1}}, ""},
		{[]embedding.Interval{{From: -1.64, To: -1.4601, Sign: 1}, {From: -1.4599, To: 0.3, Sign: 1}},
			"more of P on [-1.64, 0.3]"},
		{[]embedding.Interval{{From: -1.64, To: -1.46, Sign: 1}, {From: -1.46, To: 0.3, Sign: -1},
			{From: 0.5, To: 0.5001, Sign: -1}, {From: 1, To: 2, Sign: 1}},
			"more of P on [-1.64, -1.46] and [1, 2], and more of Q on [-1.46, 0.3]"},
		{many, "more of P on [0, 0.5], [1, 1.5], [2, 2.5], [3, 3.5], [4, 4.5], [5, 5.5] and 3 more " +
			"intervals"},
	} {
		if got := r.places(c.in); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
