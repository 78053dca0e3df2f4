package priors

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// chiSquare returns the p-value of n draws counted in 64 cells of equal probability.
func chiSquare(p Prior, r *rand.Rand, n int) float64 {
	const cells = 64
	var edges [cells - 1]float64
	for i := range edges {
		edges[i] = p.Quantile(float64(i+1) / cells)
	}
	var count [cells]int
	for range n {
		x, lo, hi := p.Rand(r), 0, cells-1
		for lo < hi {
			if mid := (lo + hi) / 2; x < edges[mid] {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		count[lo]++
	}
	chi, want := 0.0, float64(n)/cells
	for _, c := range count {
		chi += (float64(c) - want) * (float64(c) - want) / want
	}
	return mathext.GammaIncRegComp((cells-1)/2.0, chi/2)
}

// Twenty tests at 1e-8 each: reseeded, one of them fails by chance with probability 2e-7.
func TestRandDistribution(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	cases := append(every(), Gamma{0.02, 1}, Gamma{1.2, 1}, Gamma{400, 1}, InvGamma{0.4, 1},
		StudentT{0.5, 0, 1}, StudentT{60, 0, 1}, Beta{0.05, 0.1}, Beta{40, 0.8})
	for _, p := range cases {
		if p == (Flat{}) {
			continue
		}
		if pv := chiSquare(p, r, 40_000); pv < 1e-8 {
			t.Errorf("%v: the draws do not have its quantiles: p = %.2g", p, pv)
		}
	}
}

// A wrong sampler must be seen by the test above.
func TestRandDistributionHasPower(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	for _, p := range []Prior{biased{Gamma{1.2, 1}}, biased{Normal{0, 1}}, biased{Beta{2, 3}}} {
		if pv := chiSquare(p, r, 40_000); pv > 1e-8 {
			t.Errorf("%v: 10 per cent off and not noticed: p = %.2g", p, pv)
		}
	}
}

type biased struct{ Prior }

func (b biased) Rand(r *rand.Rand) float64 { return 1.1 * b.Prior.Rand(r) }

func TestRandIsDeterministicAndDoesNotAllocate(t *testing.T) {
	for _, p := range every() {
		a, b := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		for range 100 {
			if x, y := p.Rand(a), p.Rand(b); x != y && !math.IsNaN(x) {
				t.Fatalf("%v: %v and %v from the same source", p, x, y)
			}
		}
		if n := testing.AllocsPerRun(100, func() { p.Rand(a) }); n != 0 {
			t.Errorf("%v: %v allocations for a draw, want 0", p, n)
		}
	}
}

func TestRandExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, p := range []Prior{Beta{1e-3, 1e-3}, Beta{1e-3, 1e6}, Gamma{1e-3, 1}, Gamma{1e9, 1},
		StudentT{0.05, 0, 1}, InvGamma{1e-3, 1}, LogNormal{0, 500}, HalfCauchy{1e300},
		Uniform{-1.7e308, 1.7e308}, Uniform{1, math.Nextafter(1, 2)}} {
		lo, hi := p.Support()
		for range 2000 {
			if x := p.Rand(r); !(x >= lo && x <= hi) {
				t.Fatalf("%v: drew %v", p, x)
			}
		}
	}
	// Parameters which Check refuses must not hang.
	for _, p := range []Prior{Gamma{math.NaN(), 1}, Gamma{math.Inf(1), 1}, Gamma{-1, 1}, Beta{},
		StudentT{}, InvGamma{}, Flat{}} {
		if x := p.Rand(r); !math.IsNaN(x) {
			t.Errorf("%v: drew %v, want NaN", p, x)
		}
	}
}
