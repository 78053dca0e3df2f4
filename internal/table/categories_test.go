package table

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Columns of text become places among their sorted names, also where numbers came first and where
// values are missing; columns of numbers stay as they are.
func TestCategories(t *testing.T) {
	const text = "site,level,x\nsouth,2,1\n,2.0,2\nnorth,low,3\nsouth,10,4\n"
	got, err := Read(strings.NewReader(text), "f", Options{Missing: KeepMissing, Categories: true})
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for i, want := range [][]float64{{1, 1, 1}, {nan, 1, 2}, {0, 2, 3}, {1, 0, 4}} {
		for j, v := range want {
			if g := got.Data.At(i, j); g != v && !(g != g && v != v) {
				t.Errorf("row %d, column %d: %v, want %v", i, j, g, v)
			}
		}
	}
	if c := got.Categories; len(c) != 3 || c[2] != nil || !slices.Equal(c[0].Names, []string{"north",
		"south"}) || !slices.Equal(c[1].Names, []string{"10", "2", "low"}) || c[1].Text != "low" ||
		c[1].At != 4 {
		t.Errorf("%+v %+v", c[0], c[1])
	}
	for _, n := range got.Notes {
		t.Errorf("%+v", n)
	}
	// A number that is only written in another way is no category, nor is what overflows.
	for _, bad := range []string{"a;b\n1,5;2\n1.5;3\n", "a,b\n1,2\n1e999,3\n", "a,b\n1,2\n3,inf\n"} {
		if _, err := Read(strings.NewReader(bad), "f", Options{Categories: true}); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// Names that occur only in rows that are left out are none.
func TestCategoriesOfDroppedRows(t *testing.T) {
	const text = "x,g\n1,a\n,b\n3,c\n4,a\n"
	got, err := Read(strings.NewReader(text), "f", Options{Missing: DropMissing, Categories: true})
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := got.Data.Dims(); n != 3 || !slices.Equal(got.Categories[1].Names, []string{"a", "c"}) {
		t.Errorf("%d rows, %v", n, got.Categories[1].Names)
	}
}
