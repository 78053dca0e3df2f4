package diagnostics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// independent returns standard normal draws.
func independent(r *rand.Rand, chains, draws int) [][]float64 {
	return autoregressive(r, chains, draws, 0)
}

// autoregressive returns stationary chains x_i = phi x_(i-1) + noise with variance 1.
func autoregressive(r *rand.Rand, chains, draws int, phi float64) [][]float64 {
	out := make([][]float64, chains)
	for j := range out {
		out[j] = make([]float64, draws)
		x := r.NormFloat64()
		for i := range out[j] {
			out[j][i] = x
			x = phi*x + math.Sqrt(1-phi*phi)*r.NormFloat64()
		}
	}
	return out
}

// Chains with the same values but for a shift have R-hat in closed form.
func TestNestedClosedForm(t *testing.T) {
	base := []float64{1, 2, 3, 4, 5} // mean 3, variance 2.5
	chains := [][]float64{}
	for _, shift := range []float64{0, 2, 10, 14} {
		c := make([]float64, len(base))
		for i, v := range base {
			c[i] = v + shift
		}
		chains = append(chains, c)
	}
	// Superchains {0, 2} and {10, 14}: means 1 and 12 (variance 60.5), variances between their
	// chains 2 and 8, within them 2.5.
	want := math.Sqrt(1 + 60.5/(2.5+5))
	for _, id := range [][]int{{0, 0, 1, 1}, {7, 7, -3, -3}} {
		if got := RHatNested(chains, id); !closeTo(got, want, 1e-14, 0) {
			t.Errorf("superchains %v: %v, want %v", id, got, want)
		}
	}
	// Each chain its own superchain: variance of 3, 5, 13, 17.
	want = math.Sqrt(1 + 131.0/3/2.5)
	if got := RHatNested(chains, []int{0, 1, 2, 3}); !closeTo(got, want, 1e-14, 0) {
		t.Errorf("singletons: %v, want %v", got, want)
	}
	for _, id := range [][]int{nil, {0, 0, 0, 0}, {0, 0, 0, 1}, {0, 1}, {0, 0, 1, 1, 2}} {
		if got := RHatNested(chains, id); !math.IsNaN(got) {
			t.Errorf("superchains %v: %v, want NaN", id, got)
		}
	}
}

// Two values that are equally frequent have one distance from their median: the spread says
// nothing, the place still does.
func TestRHatTwoValues(t *testing.T) {
	mixing := [][]float64{{0, 1, 0, 1, 1, 0, 1, 0}, {1, 0, 1, 0, 0, 1, 0, 1}}
	if got := RHat(mixing); !(got < 1) {
		t.Errorf("mixing chains: %v, want a value below 1", got)
	}
	stuck := [][]float64{{0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1}}
	if got := RHat(stuck); !math.IsInf(got, 1) {
		t.Errorf("chains that stand still: %v, want +Inf", got)
	}
	stuck = [][]float64{{0.1, 0.1, 0.1, 0.1}, {0.3, 0.3, 0.3, 0.3}, {0.7, 0.7, 0.7, 0.7}}
	if got := RHat(stuck); !math.IsInf(got, 1) {
		t.Errorf("chains that stand still: %v, want +Inf", got)
	}
}

// The two distances of such values from the median, and from the mean, can differ by a rounding of
// the values. That makes no spread: there is still nothing to compare.
func TestTwoValuesRounded(t *testing.T) {
	for _, v := range [][2]float64{{0.1, 0.3}, {0.1, 0.7}, {1.1, 1.3}, {-0.1, 0.6}, {1e9, 1e9 + 0.1}} {
		var stay, mix [][]float64
		for j := range 4 {
			stay = append(stay, make([]float64, 10))
			mix = append(mix, make([]float64, 10))
			for i := range 10 {
				stay[j][i] = v[j%2]
				mix[j][i] = v[(i+i/3+j)%2]
			}
		}
		for name, chains := range map[string][][]float64{"stuck": stay, "mixing": mix} {
			s := load(chains)
			if got := s.rhatFolded(); !math.IsNaN(got) {
				t.Errorf("%s at %v: R-hat of the spread is %v, want NaN", name, v, got)
			}
			if got := ESSSD(chains); !math.IsNaN(got) {
				t.Errorf("%s at %v: ESSSD is %v, want NaN", name, v, got)
			}
		}
	}
}
