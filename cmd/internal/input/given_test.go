package input

import (
	"slices"
	"testing"
)

// Each file numbers its categories: the same number may stand for two names.
func TestCategoriesOfTwoFiles(t *testing.T) {
	a := Covariates{{Name: "ward", Values: []float64{0, 1, 0}, Text: true, names: []string{"east", "west"}},
		{Name: "age", Values: []float64{1, 2, 3}}}
	b := Covariates{{Name: "ward", Values: []float64{0, 1}, Text: true, names: []string{"north", "west"}},
		{Name: "age", Values: []float64{4, 5}}}
	both := a.stack(b)
	if want := []float64{0, 1, 0, 2, 1}; !slices.Equal(both[0].Values, want) || !both[0].Text {
		t.Errorf("%v, want %v", both[0].Values, want)
	}
	if want := []float64{1, 2, 3, 4, 5}; !slices.Equal(both[1].Values, want) || both[1].Text {
		t.Errorf("%v, want %v", both[1].Values, want)
	}
	numbers := Covariates{{Name: "ward", Values: []float64{7, 8}}}
	both = a[:1].stack(numbers)
	if want := []float64{0, 1, 0, 2, 3}; !slices.Equal(both[0].Values, want) {
		t.Errorf("%v, want %v", both[0].Values, want)
	}
}
