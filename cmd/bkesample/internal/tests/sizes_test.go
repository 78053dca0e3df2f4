package tests

import (
	"context"
	"strings"
	"testing"

	"bayeskernel/cmd/internal/input"
	"bayeskernel/compare"
	"bayeskernel/kerneltest"
	"bayeskernel/magnitude"

	"gonum.org/v1/gonum/mat"
)

func column(v ...float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }

// Of 64 rows a sample, a t-test at level .05 finds half a standard deviation with probability .8 (Cohen,
// 1988), and of pairs as much in 32 by the normal approximation.
func TestNext(t *testing.T) {
	s := &Sizes{Result: &magnitude.Result{Rows: [2]int{64, 64}}}
	r := &compare.Result{Test: &kerneltest.Result{Alpha: 0.05}}
	if got := strings.Join(s.next(r), ""); !strings.Contains(got, "With 64 and 64 rows") ||
		!strings.Contains(got, "shifted by 0.495 standard deviations four") {
		t.Error(got)
	}
	s.Result = &magnitude.Result{Rows: [2]int{32, 32}, Paired: true}
	if got := strings.Join(s.next(r), ""); !strings.Contains(got, "With 32 pairs") ||
		!strings.Contains(got, "0.495 standard deviations of the differences") {
		t.Error(got)
	}
	r.Test.Reject = true
	if got := s.next(r); got != nil {
		t.Error(got)
	}
}

// Blocks of one row of each sample are pairs, in whatever order they stand; others leave no sizes.
func TestSizesOfBlocks(t *testing.T) {
	d := &input.Dataset{P: column(1, 2, 4, 7, 9, 12), Q: column(11.5, 8, 6.5, 3, 1.5, 0), PName: "p", QName: "q",
		Columns: []string{"x"}, Blocks: []int{0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0}}
	s, err := NewSizes(context.Background(), d, false, 1)
	if err != nil || s.Result == nil || !s.Result.Paired {
		t.Fatalf("%v, %+v", err, s)
	}
	// The differences are 1, 0.5, 1, 0.5, 1 and 0.5.
	if m := s.Result.Columns[0].Mean; m.Estimate != 0.75 || !(m.Lower > 0.4 && m.Upper < 1.1) {
		t.Errorf("%+v", m)
	}
	d.Blocks[11] = 5
	if s, err = NewSizes(context.Background(), d, false, 1); err != nil || s.Result != nil ||
		!strings.Contains(s.Why, "blocks of one row") {
		t.Errorf("%v, %+v", err, s)
	}
}

// One sample has no sizes, and nothing is shown.
func TestSizesOfOne(t *testing.T) {
	s, err := NewSizes(context.Background(), &input.Dataset{P: column(1, 2)}, false, 1)
	if err != nil || s != nil || s.Record() != nil || s.Blocks() != nil {
		t.Errorf("%v, %+v", err, s)
	}
}
