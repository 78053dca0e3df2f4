package kernels

import (
	"math"
	"testing"
)

// The periodic kernel against its formula, its period, and derivatives against differences.
func TestPeriodic(t *testing.T) {
	k := Periodic{Period: 1.7, Theta: 0.8}
	x, y := []float64{0.3, -1.1}, []float64{1.9, 0.4}
	s := 0.0
	for i := range x {
		s += math.Pow(math.Sin(math.Pi*math.Abs(x[i]-y[i])/1.7), 2)
	}
	if got, want := k.At(x, y), math.Exp(-2*s/0.64); math.Abs(got-want) > 1e-15 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := k.At([]float64{x[0] + 1.7, x[1] - 3.4}, y); math.Abs(got-k.At(x, y)) > 1e-14 {
		t.Errorf("a period apart %v, want %v", got, k.At(x, y))
	}
	const h = 1e-5
	_, p, l := k.Slopes(x, y)
	for name, c := range map[string]struct {
		got float64
		at  func(h float64) float64
	}{
		"period": {p, func(h float64) float64 { return Periodic{1.7 + h, 0.8}.At(x, y) }},
		"theta":  {l, func(h float64) float64 { return Periodic{1.7, 0.8 + h}.At(x, y) }},
	} {
		if want := (c.at(h) - c.at(-h)) / (2 * h); math.Abs(c.got-want) > 1e-8 {
			t.Errorf("derivative in %s is %v, by differences %v", name, c.got, want)
		}
	}
	g := make([]float64, 2)
	k.AddGradient(g, 2, x, y)
	for i := range x {
		up, down := []float64{x[0], x[1]}, []float64{x[0], x[1]}
		up[i] += h
		down[i] -= h
		if want := (k.At(up, y) - k.At(down, y)) / h; math.Abs(g[i]-want) > 1e-8 {
			t.Errorf("derivative in x[%d] is %v, by differences %v", i, g[i], want)
		}
	}
	if err := k.Check(2); err != nil {
		t.Error(err)
	}
	if (Periodic{0, 1}).Check(1) == nil || (Periodic{1, math.Inf(1)}).Check(1) == nil {
		t.Error("a period of 0 or a lengthscale of +Inf passes")
	}
}
