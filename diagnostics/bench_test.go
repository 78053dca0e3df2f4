package diagnostics

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The size in the name is chains times draws.
func BenchmarkSummarize(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("4x%d", n), func(b *testing.B) {
			chains := autoregressive(rand.New(rand.NewPCG(71, 1)), 4, n, 0.5)
			b.ReportAllocs()
			for b.Loop() {
				Summarize(chains)
			}
		})
	}
}

// Chains so slow that every effective sample size needs lags beyond the direct ones.
func BenchmarkSummarizeSlow(b *testing.B) {
	chains := autoregressive(rand.New(rand.NewPCG(71, 2)), 4, 1000, 0.99)
	b.ReportAllocs()
	for b.Loop() {
		Summarize(chains)
	}
}

// The same numbers, one function at a time.
func BenchmarkOneByOne(b *testing.B) {
	chains := autoregressive(rand.New(rand.NewPCG(71, 1)), 4, 1000, 0.5)
	b.ReportAllocs()
	for b.Loop() {
		Mean(chains)
		MCSEMean(chains)
		SD(chains)
		Quantile(chains, 0.05)
		Quantile(chains, 0.5)
		Quantile(chains, 0.95)
		MCSESD(chains)
		MCSEQuantile(chains, 0.05)
		MCSEQuantile(chains, 0.5)
		MCSEQuantile(chains, 0.95)
		ParetoK(chains)
		Check(chains)
		RHat(chains)
		ESSBulk(chains)
		ESSTail(chains)
	}
}
