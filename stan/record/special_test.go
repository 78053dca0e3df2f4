package record

import (
	"math"
	"testing"
)

// Bessel functions far out: K of R's besselK, and I of order 1/2, which is sqrt(2/(pi x)) sinh(x).
func TestBesselFar(t *testing.T) {
	for _, c := range []struct{ n, x, want float64 }{
		{0, 1e-3, 7.0236888005623817e+00}, {0, 0.5, 9.2441907122766587e-01}, {0, 30, 2.1324774964630563e-14},
		{0, 150, 7.3363714061076450e-67}, {0, 400, 1.1997800432009759e-175}, {0, 690, 1.0360107463557402e-301},
		{3, 1e-3, 7.9999990000001249e+09}, {3, 0.5, 6.2057909529930264e+01}, {3, 30, 2.4713310636589928e-14},
		{3, 150, 7.5590392277713915e-67}, {3, 400, 1.2133366976347053e-175}, {3, 690, 1.0427844874668682e-301},
		{0, 1000, 0}, {2, 1e12, 0}, {2, math.Inf(1), 0}, {2, 0, math.Inf(1)},
	} {
		if got := besselK(c.n, c.x); got != c.want && !(math.Abs(got-c.want) <= 1e-13*c.want) {
			t.Errorf("K of order %v at %v is %v, want %v", c.n, c.x, got, c.want)
		}
	}
	for _, x := range []float64{3, 1e4, 0.9e8, 1.1e8, 1e15, 1e40} {
		l, _, dx := logBesselI(0.5, x)
		want := x + math.Log1p(-math.Exp(-2*x)) - math.Log(2*math.Pi*x)/2
		if slope := 1/math.Tanh(x) - 0.5/x; !(math.Abs(l-want) <= 1e-13*want) || !(math.Abs(dx-slope) <= 1e-13) {
			t.Errorf("log I of order 1/2 at %v is %v with slope %v, want %v and %v", x, l, dx, want, slope)
		}
	}
	// The slope in the order where the sum gives way to the expansion.
	_, before, _ := logBesselI(7e7, 7.1e7)
	_, after, _ := logBesselI(7.1e7, 7.2e7)
	if !(math.Abs(before-after) < 1e-3) {
		t.Errorf("slopes in the order: %v and %v", before, after)
	}
	for _, v := range []float64{besselK(1, math.NaN()), besselI(1, math.NaN())} {
		if !math.IsNaN(v) {
			t.Errorf("at what is not a number: %v", v)
		}
	}
}
