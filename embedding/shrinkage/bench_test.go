package shrinkage

import (
	"context"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"
)

// Leave-one-out over 100 lambdas from one decomposition, of 5000 rows.
func BenchmarkLeaveOneOut(b *testing.B) {
	lambdas, scores := make([]float64, 100), make([]float64, 100)
	for i := range lambdas {
		lambdas[i] = float64(i + 1)
	}
	for _, c := range []struct {
		name       string
		dim        int
		theta, tol float64
	}{{"2 columns", 2, 1, 0}, {"10 columns, tolerance 0.01", 10, 4, 0.01}} {
		x := fixture.Normals(1, 5000, c.dim, 0)
		k := kernels.SquaredExponential(c.theta)
		var p *Problem
		b.Run(c.name+", decompose", func(b *testing.B) {
			for b.Loop() {
				p, _ = NewRows(context.Background(), k, x, c.tol)
			}
			b.ReportMetric(float64(p.rank), "rank")
		})
		b.Run(c.name+", scores", func(b *testing.B) {
			for b.Loop() {
				p.SpectralScores(scores, lambdas, TrueLeaveOneOut)
			}
		})
	}
}
