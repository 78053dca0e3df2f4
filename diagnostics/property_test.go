package diagnostics

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func reversed(a []float64) []float64 {
	a = slices.Clone(a)
	slices.Reverse(a)
	return a
}

// samples returns draws with and without autocorrelation, ties, even length and heavy tails.
func samples() map[string][][]float64 {
	r := rand.New(rand.NewPCG(61, 1))
	out := map[string][][]float64{
		"independent": independent(r, 4, 100),
		"correlated":  autoregressive(r, 3, 151, 0.9),
		"antithetic":  autoregressive(r, 2, 200, -0.7),
		"one chain":   autoregressive(r, 1, 300, 0.3),
	}
	out["ties"] = mapDraws(independent(r, 4, 60), func(v float64) float64 {
		return math.Round(3 * v)
	})
	out["heavy"] = mapDraws(out["independent"], func(v float64) float64 { return v * v * v })
	return out
}

// What is made of ranks and of order does not change, to the bit, under increasing transforms.
func TestMonotoneInvariance(t *testing.T) {
	transforms := map[string]func(float64) float64{
		"exp":   math.Exp,
		"cube":  func(v float64) float64 { return v * v * v },
		"atan":  math.Atan,
		"shift": func(v float64) float64 { return v/3 + 11 },
	}
	quantities := map[string]func([][]float64) float64{
		"R-hat of the bulk": internal(func(s *sample) float64 {
			return rhat(s.bulkScores(), s.half())
		}),
		"ESSBulk":          ESSBulk,
		"ESSTail":          ESSTail,
		"ESSQuantile(0.3)": atQuantile(ESSQuantile, 0.3),
	}
	for name, c := range samples() {
		for transform, g := range transforms {
			moved := mapDraws(c, g)
			for what, f := range quantities {
				if got, want := f(moved), f(c); !closeTo(got, want, 0, 0) {
					t.Errorf("%s, %s: %s is %v, want %v", name, transform, what, got, want)
				}
			}
		}
	}
}

// Shift and scale change no diagnostic, and errors as the scale does. A power of two changes not
// one bit. Otherwise R-hat has a reservation: the two middle draws of an even number are equally
// far from the median, and rounding decides whether their ranks tie, as it decides on all ties
// between the two sides of the median.
func TestAffineInvariance(t *testing.T) {
	for name, c := range samples() {
		for _, scale := range []float64{3, 0.7, 0x1p40, 0x1p-900, 0x1p900} {
			fraction, _ := math.Frexp(scale)
			exact := fraction == 0.5
			shift := 5 * scale
			if exact {
				shift = 0
			}
			moved := mapDraws(c, func(v float64) float64 { return scale*v + shift })
			for what, f := range every {
				size, tol := 1.0, 1e-9
				if strings.HasPrefix(what, "MCSE") {
					size = scale
				}
				switch {
				case exact:
					tol = 0
				case strings.HasSuffix(what, "RHat"):
					tol = 1e-3
					if name == "ties" {
						continue
					}
				}
				if got, want := f(moved), size*f(c); !closeTo(got, want, tol, 0) {
					t.Errorf("%s times %v: %s is %v, want %v", name, scale, what, got, want)
				}
			}
		}
	}
}

// An offset of a million million spreads costs no digit: the draws are multiples of 2^-10, so that
// the offset is added without rounding.
func TestOffset(t *testing.T) {
	for name, c := range samples() {
		c = mapDraws(c, func(v float64) float64 { return math.Round(v*1024) / 1024 })
		moved := mapDraws(c, func(v float64) float64 { return v + 0x1p40 })
		for what, f := range every {
			if strings.HasSuffix(what, "RHat") || strings.HasPrefix(what, "ParetoK") {
				continue // ties at the median, and at the cut of the tails
			}
			if got, want := f(moved), f(c); !closeTo(got, want, 1e-10, 0) {
				t.Errorf("%s: %s is %v, want %v", name, what, got, want)
			}
		}
	}
}

// What treats both sides of the draws alike does not change when they are mirrored.
func TestMirrorInvariance(t *testing.T) {
	for name, c := range samples() {
		mirrored := mapDraws(c, func(v float64) float64 { return -v })
		for _, what := range []string{"RHat", "ESSBulk", "ESSMean", "ESSSD", "MCSEMean", "MCSESD",
			"RHatNested", "EBFMI", "ParetoK", "ESSTail"} {
			if name == "ties" && (what == "ParetoK" || what == "ESSTail") {
				continue // draws at the quantile are on the side of those below it
			}
			if got, want := every[what](mirrored), every[what](c); !closeTo(got, want, 1e-11, 0) {
				t.Errorf("%s: %s is %v mirrored, %v before", name, what, got, want)
			}
		}
	}
}

// Neither the order of the chains nor the direction of time matters.
func TestPermutationInvariance(t *testing.T) {
	for name, c := range samples() {
		permuted := append(slices.Clone(c[1:]), c[0])
		backwards := make([][]float64, len(c))
		for j := range c {
			backwards[j] = reversed(c[j])
		}
		for what, f := range every {
			want := f(c)
			if got := f(permuted); what != "EBFMI" && !closeTo(got, want, 1e-10, 1e-3) {
				t.Errorf("%s, chains permuted: %s is %v, want %v", name, what, got, want)
			}
			if got := f(backwards); !closeTo(got, want, 1e-10, 1e-3) {
				t.Errorf("%s, time reversed: %s is %v, want %v", name, what, got, want)
			}
		}
	}
}

// The arguments are read only.
func TestArgumentsUntouched(t *testing.T) {
	for name, c := range samples() {
		before := mapDraws(c, func(v float64) float64 { return v })
		for _, f := range every {
			f(c)
		}
		for j := range c {
			if !slices.Equal(c[j], before[j]) {
				t.Errorf("%s: chain %d was changed", name, j)
			}
		}
	}
}

// A chain that has not arrived, one that is stuck, and one of another spread are seen.
func TestFaultsAreSeen(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 2))
	for name, spoil := range map[string]func(chain, i int, v float64) float64{
		"shifted":   func(chain, _ int, v float64) float64 { return v + float64(chain/3) },
		"narrower":  func(chain, _ int, v float64) float64 { return v / float64(1+2*(chain/3)) },
		"in motion": func(_, i int, v float64) float64 { return v + float64(i)/500 },
		"Cauchy, shifted": func(chain, _ int, v float64) float64 {
			return math.Tan(math.Pi*(math.Erfc(-v/math.Sqrt2)/2-0.5)) + float64(chain/3)
		},
	} {
		chains := independent(r, 4, 1000)
		if got := RHat(chains); got > RHatLimit(chains, 1) {
			t.Errorf("%s: R-hat %v before", name, got)
		}
		for j, c := range chains {
			for i, v := range c {
				c[i] = spoil(j, i, v)
			}
		}
		if got := RHat(chains); !(got > RHatLimit(chains, 1)) {
			t.Errorf("%s: R-hat %v", name, got)
		}
	}
}
