package magnitude

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Many values are put in the same order as few: signs, zeros, ties, subnormal and huge values, one digit.
func TestArrange(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, value := range map[string]func(i int) float64{
		"normal":   func(int) float64 { return r.NormFloat64() },
		"wide":     func(int) float64 { return r.NormFloat64() * math.Exp(300*r.NormFloat64()) },
		"counts":   func(int) float64 { return float64(r.IntN(7) - 3) },
		"constant": func(int) float64 { return -2.5 },
		"zeros":    func(i int) float64 { return math.Copysign(0, float64(i%2)-0.5) },
		"tiny":     func(int) float64 { return r.NormFloat64() * 5e-324 },
	} {
		x := make([]float64, byDigits+3)
		for i := range x {
			if x[i] = value(i); math.IsInf(x[i], 0) {
				x[i] = math.MaxFloat64
			}
		}
		want := slices.Sorted(slices.Values(x))
		arrange(x)
		if !slices.Equal(x, want) {
			t.Errorf("%s: another order", name)
		}
	}
}

// Places are drawn without replacement, each as often as others: the statistic of 20,000 draws of 3 of 10 is below
// its 99.9% quantile of chi-squared (27.9 with 9 degrees of freedom; that it is above 28 in spite of equal chances has a
// probability below .001, as the drawn places of a draw are negatively correlated).
func TestDrawnOf(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	counts := make([]float64, 10)
	const draws = 20000
	for range draws {
		at := drawnOf(10, 3, r)
		for i, k := range at {
			if counts[k]++; slices.Contains(at[:i], k) {
				t.Fatalf("%v", at)
			}
		}
	}
	chi := 0.0
	for _, c := range counts {
		chi += (c - 3*draws/10) * (c - 3*draws/10) / (3 * draws / 10)
	}
	if chi > 28 {
		t.Errorf("chi-squared %.1f of places %v", chi, counts)
	}
	if all := drawnOf(50, 50, r); !slices.Equal(slices.Sorted(slices.Values(all)), drawnInOrder(50)) {
		t.Errorf("all of 50 are %v", all)
	}
}

func drawnInOrder(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
