package studentt

import (
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"
)

func BenchmarkLogDensity(b *testing.B) {
	m := build(b, kernels.SquaredExponential(1), Params{1, 0.01, 0.1, NIW},
		fixture.Normals(1, 1000, 2, 0))
	e, g, x := m.Evaluator(), make([]float64, 2), []float64{0.1, 0.2}
	b.Run("value", func(b *testing.B) {
		for b.Loop() {
			e.LogDensity(x, nil)
		}
	})
	b.Run("gradient", func(b *testing.B) {
		for b.Loop() {
			e.LogDensity(x, g)
		}
	})
}
