package shrinkage

import (
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"
)

// Leave-one-out over 100 lambdas from one decomposition, 5000 rows in two columns.
func BenchmarkLeaveOneOut(b *testing.B) {
	x := fixture.Normals(1, 5000, 2, 0)
	k := kernels.SquaredExponential{Theta: []float64{1}}
	var p *Problem
	b.Run("decompose", func(b *testing.B) {
		for b.Loop() {
			p, _ = NewRows(k, x)
		}
		b.ReportMetric(float64(p.rank), "rank")
	})
	lambdas, scores := make([]float64, 100), make([]float64, 100)
	for i := range lambdas {
		lambdas[i] = float64(i + 1)
	}
	b.Run("scores", func(b *testing.B) {
		for b.Loop() {
			p.SpectralScores(scores, lambdas, TrueLeaveOneOut)
		}
	})
}
