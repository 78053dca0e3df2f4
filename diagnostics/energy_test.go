package diagnostics

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestEBFMIDirect(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 1))
	for _, n := range []int{4, 5, 50, 999} {
		for _, phi := range []float64{0, 0.95} {
			energy := autoregressive(r, 1, n, phi)[0]
			m := naiveMean(energy)
			var change, spread float64
			for i, e := range energy {
				spread += (e - m) * (e - m)
				if i > 0 {
					change += (e - energy[i-1]) * (e - energy[i-1])
				}
			}
			want := (change / float64(n)) / (spread / float64(n-1))
			if got := EBFMI(energy); !closeTo(got, want, 1e-12, 0) {
				t.Errorf("%d energies, phi %v: %v, want %v", n, phi, got, want)
			}
			moved := mapDraws([][]float64{energy}, func(v float64) float64 { return 1e9 + v })
			if got := EBFMI(moved[0]); !closeTo(got, want, 1e-6, 0) {
				t.Errorf("%d energies, phi %v, far from zero: %v, want %v", n, phi, got, want)
			}
			large := mapDraws([][]float64{energy}, func(v float64) float64 { return v * 0x1p1000 })
			if got := EBFMI(large[0]); got != EBFMI(energy) {
				t.Errorf("%d huge energies, phi %v: %v, want %v", n, phi, got, EBFMI(energy))
			}
		}
	}
}

func TestEBFMIClosedForm(t *testing.T) {
	const n = 100.0
	line, zigzag := make([]float64, n), make([]float64, n)
	for i := range line {
		line[i] = 5 + 3*float64(i)
		zigzag[i] = float64(i % 2)
	}
	// A line of slope 1 changes by 1 and has variance n(n+1)/12; a zigzag of 0 and 1 changes by 1
	// and has variance n/4/(n-1).
	if got, want := EBFMI(line), (n-1)/n/(n*(n+1)/12); !closeTo(got, want, 1e-13, 0) {
		t.Errorf("line: %v, want %v", got, want)
	}
	if got, want := EBFMI(zigzag), (n-1)/n/(n/4/(n-1)); !closeTo(got, want, 1e-13, 0) {
		t.Errorf("zigzag: %v, want %v", got, want)
	}
	for _, energy := range [][]float64{
		nil, {1}, {1, 2, 3}, {4, 4, 4, 4, 4}, {1, 2, math.NaN(), 3, 4}, {1, 2, math.Inf(1), 3, 4},
	} {
		if got := EBFMI(energy); !math.IsNaN(got) {
			t.Errorf("%v: %v, want NaN", energy, got)
		}
	}
}

// Independent normal energies: von Neumann's ratio, mean 2 and variance 4(n-2)/(n²-1) up to a
// factor (1-1/n)². With n = 20,000 the limit of 0.08 is 5.6 standard deviations: a reseed fails
// with probability 2e-8. An autoregression has 2(1-phi).
func TestEBFMIIndependent(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 2))
	if got := EBFMI(independent(r, 1, 20_000)[0]); math.Abs(got-2) > 0.08 {
		t.Errorf("independent energies: %v, want about 2", got)
	}
	if got := EBFMI(autoregressive(r, 1, 20_000, 0.9)[0]); math.Abs(got-0.2) > 0.04 {
		t.Errorf("energies with autocorrelation 0.9: %v, want about 0.2", got)
	}
}
