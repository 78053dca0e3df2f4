package features

import (
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"
)

// A million rows in two columns.
func BenchmarkMillionRows(b *testing.B) {
	x := fixture.Normals(1, 1000, 2, 0).RawMatrix().Data
	k := kernels.SquaredExponential(1)
	f, _ := NewFourier(k, 2, FourierOptions{Pairs: 32})
	g, _ := ChooseLandmarks(k, fixture.Normals(2, 1000, 2, 0), 32)
	for name, m := range map[string]Map{"fourier": f, "landmarks": g} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				a := NewMean(m)
				for range 1000 {
					_ = a.Add(x)
				}
			}
		})
	}
	b.Run("cross", func(b *testing.B) {
		for b.Loop() {
			c := NewCross(f, f)
			for range 1000 {
				_ = c.Add(x, x)
			}
		}
	})
}
