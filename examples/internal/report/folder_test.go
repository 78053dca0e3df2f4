package report

import (
	"math"
	"slices"
	"testing"

	"bayeskernel/draws"
)

func TestShares(t *testing.T) {
	got := Shares([]float64{-5, 0, 0.5, 1, 2, 2.5, 9, 9}, []float64{0, 1, 2})
	want := []float64{1. / 8, 2. / 8, 1. / 8, 4. / 8} // a value on an edge is above it
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-15 {
			t.Fatalf("shares %v, want %v", got, want)
		}
	}
}

func TestBands(t *testing.T) {
	run := &draws.Run{Names: []string{"a", "b[1]", "b[2]"}, Chains: []draws.Chain{{}}}
	for i := range 101 {
		v := float64(i)
		run.Chains[0].Values = append(run.Chains[0].Values, []float64{0, v, -v})
	}
	lo, mid, hi, err := Bands(run, "b[1]", 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ got, want []float64 }{{lo, []float64{5, -95}},
		{mid, []float64{50, -50}}, {hi, []float64{95, -5}}} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("quantiles %v, want %v", c.got, c.want)
		}
	}
	if _, _, _, err := Bands(run, "b[2]", 2); err == nil {
		t.Error("columns beyond the last were taken")
	}
}

// Replicates like the data hold them, others do not.
func TestCheck(t *testing.T) {
	y := []float64{0.5, 0.5, 1.5, 1.5}
	same := [][]float64{y, y, y}
	if c, held := Check("", "", y, same, 0, 2, 1); held != 1 || len(c.Series) != 2 {
		t.Errorf("replicates that equal the data hold %v of it", held)
	}
	other := [][]float64{{5, 5, 5, 5}, {6, 6, 6, 6}}
	if _, held := Check("", "", y, other, 0, 2, 1); held > 0.5 {
		t.Errorf("replicates far away hold %v of the data", held)
	}
}
