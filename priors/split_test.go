package priors

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The density of every distribution is that of its parts, which have the derivative of the whole.
func TestSplit(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	for _, p := range every() {
		density, logNorm := Split(p)
		for range 50 {
			x := 3 * r.NormFloat64() // outside the support as well
			want, dwant := p.LogDensityGrad(x)
			got, dgot := density(x)
			if got+logNorm != want || dgot != dwant {
				t.Errorf("%v at %v: %v + %v with derivative %v, want %v with %v", p, x, got, logNorm,
					dgot, want, dwant)
			}
		}
	}
	if _, logNorm := Split(Normal{0, 3}); math.Abs(logNorm+math.Log(3*math.Sqrt(2*math.Pi))) > 1e-15 {
		t.Errorf("the constant of normal(0,3) is %v, want -log(3 sqrt(2 pi))", logNorm)
	}
}

// twice embeds a distribution of this package and has a density of its own.
type twice struct{ Gamma }

func (d twice) LogDensityGrad(x float64) (logp, dlogp float64) {
	logp, dlogp = d.Gamma.LogDensityGrad(x / 2)
	return logp - math.Ln2, dlogp / 2
}

func TestSplitOfAnEmbeddedDistribution(t *testing.T) {
	p := twice{Gamma{2, 3}}
	density, logNorm := Split(p)
	want, dwant := p.LogDensityGrad(0.7)
	if got, dgot := density(0.7); got != want || dgot != dwant || logNorm != 0 {
		t.Errorf("%v + %v with derivative %v, want %v + 0 with %v", got, logNorm, dgot, want, dwant)
	}
}

func TestSplitDoesNotAllocateLater(t *testing.T) {
	for _, p := range every() {
		density, _ := Split(p)
		if n := testing.AllocsPerRun(100, func() { density(0.5) }); n != 0 {
			t.Errorf("%v: %v allocations for a density, want 0", p, n)
		}
	}
}
