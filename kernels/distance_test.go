package kernels

import (
	"math"
	"testing"
)

// The squared MMD of two samples is half their energy distance, wherever the centre is.
func TestDistanceIsEnergy(t *testing.T) {
	x := [][]float64{{0, 1}, {2, -1}, {0.5, 3}}
	y := [][]float64{{1, 1}, {-2, 0.3}}
	mean := func(a, b [][]float64, f func(u, v []float64) float64) float64 {
		s := 0.0
		for _, u := range a {
			for _, v := range b {
				s += f(u, v) / float64(len(a)*len(b))
			}
		}
		return s
	}
	apart := func(u, v []float64) float64 { return math.Hypot(u[0]-v[0], u[1]-v[1]) }
	want := mean(x, y, apart) - mean(x, x, apart)/2 - mean(y, y, apart)/2
	for _, c := range [][]float64{{0, 0}, {5, -3}} {
		k := Distance{Centre: c}
		if err := k.Check(2); err != nil {
			t.Fatal(err)
		}
		got := mean(x, x, k.At) + mean(y, y, k.At) - 2*mean(x, y, k.At)
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("centre %v: %v, want %v", c, got, want)
		}
	}
	if (Distance{}).Check(2) == nil {
		t.Error("a centre of another dimension passes")
	}
}
