package frame

import (
	"math"
	"strings"
	"testing"
)

// With KeepMissing a missing value is NaN and its row stays; text is an error as ever.
func TestKeepMissing(t *testing.T) {
	got, err := readNumbers(strings.NewReader("a,b\n1,2\n,3\n4,NA\n"), "f", Options{Missing: KeepMissing})
	if err != nil {
		t.Fatal(err)
	}
	want := [][2]float64{{1, 2}, {math.NaN(), 3}, {4, math.NaN()}}
	if n, _ := got.Data.Dims(); n != len(want) || got.Dropped != 0 {
		t.Fatalf("%d rows, %d dropped", n, got.Dropped)
	}
	for i, row := range want {
		for j, v := range row {
			if g := got.Data.At(i, j); g != v && !(g != g && v != v) {
				t.Errorf("row %d, column %d: %v, want %v", i, j, g, v)
			}
		}
	}
	if _, err := readNumbers(strings.NewReader("a,b\n1,2\nx,3\n"), "f", Options{Missing: KeepMissing}); err == nil {
		t.Error("no error for text")
	}
}
