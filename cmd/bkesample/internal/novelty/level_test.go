package novelty

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/long"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// P-values by a split are exact. Among 29 ranked rows and a new one of the same continuous distribution
// the rank of the new one is uniform, so p <= k/30 has probability k/30. Counts keep within two-sided
// binomial limits of 99.9% in all, over 3 levels and 2 laws with ties excluded; where values are tied, p
// may only be larger.
func TestSplitLevel(t *testing.T) {
	sets := 400
	if long.Enabled() {
		sets = long.Of(2000, 20000)
	}
	const fitted, ranked = 12, 29
	limit := 3.8 // of normal quantiles: 0.999 for 6 counts together
	for _, law := range []struct {
		name string
		dim  int
		tied bool
		draw func(r *rand.Rand) float64
	}{
		{"exponential", 1, false, func(r *rand.Rand) float64 { return r.ExpFloat64() }},
		{"Cauchy", 3, false, func(r *rand.Rand) float64 { return r.NormFloat64() / r.NormFloat64() }},
		{"small whole numbers", 2, true, func(r *rand.Rand) float64 { return float64(r.IntN(4)) }},
	} {
		r := rand.New(rand.NewPCG(17, uint64(law.dim)))
		counts := map[int]int{1: 0, 3: 0, 15: 0}
		for range sets {
			x := mat.NewDense(fitted+ranked+1, law.dim, nil)
			x.Apply(func(_, _ int, _ float64) float64 { return law.draw(r) }, x)
			found := &result{flags: &flags{scale2: 0.01, beta: 0.01}, part: fitted, fitted: fitted, ranked: ranked,
				kernel: &kerneltest.Chosen{Kernels: []kernels.Kernel{kernels.SquaredExponential(0.5)}}}
			m, err := found.fit(t.Context(), nil, x.Slice(0, fitted+ranked, 0, law.dim).(*mat.Dense))
			if err != nil {
				t.Fatal(err)
			}
			last := mat.DenseCopyOf(x.Slice(fitted+ranked, fitted+ranked+1, 0, law.dim))
			forms, err := m.forms(t.Context(), nil, last)
			if err != nil {
				t.Fatal(err)
			}
			p, err := m.pValues(t.Context(), nil, last, forms)
			if err != nil {
				t.Fatal(err)
			}
			for k := range counts {
				if p[0] <= float64(k)/(ranked+1)+1e-12 {
					counts[k]++
				}
			}
		}
		for k, n := range counts {
			level := float64(k) / (ranked + 1)
			z := (float64(n) - float64(sets)*level) / math.Sqrt(float64(sets)*level*(1-level))
			if z > limit || z < -limit && !law.tied {
				t.Errorf("%s, level %.3f: %d of %d, z = %.1f", law.name, level, n, sets, z)
			}
		}
	}
}
