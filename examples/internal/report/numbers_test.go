package report

import "testing"

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}} {
		if got := Median(c.v); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.v, got, c.want)
		}
	}
}
