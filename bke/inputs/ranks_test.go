package inputs

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// By way of buckets the quantiles are those of the sorted values, to the bit, for smooth, tied and rounded
// values, heavy tails, values that are nearly all the same, and ranges that are out of range.
func TestRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	const n = leastRanks + 17
	for name, draw := range map[string]func(i int) float64{
		"normal":   func(int) float64 { return r.NormFloat64() },
		"rounded":  func(int) float64 { return math.Round(2e4 * r.NormFloat64()) },
		"counts":   func(int) float64 { return math.Round(3 * r.ExpFloat64()) },
		"signs":    func(int) float64 { return math.Copysign(math.Round(r.Float64()), r.NormFloat64()) },
		"heavy":    func(int) float64 { return math.Tan(math.Pi * (r.Float64() - 0.5)) },
		"nearly":   func(i int) float64 { return float64(i / (n - 40) * i) },
		"constant": func(int) float64 { return 3 },
		"huge":     func(int) float64 { return 1.7e308 * (2*r.Float64() - 1) },
		"tiny":     func(int) float64 { return 5e-324 * math.Round(9*r.Float64()) },
		"half":     func(i int) float64 { return math.Floor(float64(i+1) / 2) },
	} {
		x := make([]float64, n)
		for i := range x {
			x[i] = draw(i)
		}
		r.Shuffle(n, func(i, j int) { x[i], x[j] = x[j], x[i] })
		sorted := slices.Sorted(slices.Values(x))
		if got, want := newRanks(x).tied(), 2*len(slices.Compact(slices.Clone(sorted))) <= n; got != want {
			t.Errorf("%s: tied %v, want %v", name, got, want)
		}
		for _, m := range []int{2, 10, 137} {
			got, want := quantiles(newRanks(x), m), quantiles(sortedRanks(sorted), m)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d quantiles are %v, want %v", name, m, got, want)
			}
		}
	}
}
