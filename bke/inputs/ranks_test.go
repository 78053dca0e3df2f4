package inputs

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/internal/rows"
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
		want := 2*len(slices.Compact(slices.Clone(sorted))) <= n
		if got := tiedMostly(cut([][]float64{x})); got != want {
			t.Errorf("%s: tied %v, want %v", name, got, want)
		}
		for _, m := range []int{2, 10, 137} {
			got, want := quantiles(cut([][]float64{x[:n/3], x[n/3:]}), m), fromSorted(sorted, m, want)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d quantiles are %v, want %v", name, m, got, want)
			}
		}
	}
}

// fromSorted is quantiles from the sorted values.
func fromSorted(sorted []float64, m int, tied bool) (z []float64) {
	n := len(sorted)
	for l := 1; l <= m; l++ {
		if tied {
			z = append(z, sorted[int(math.Ceil(float64(n)*(float64(l)-0.5)/float64(m)))-1])
		} else {
			z = append(z, rows.Quantile(sorted, 2*l-1, 2*m))
		}
	}
	if z = slices.Compact(z); len(z) < 2 {
		if values := slices.Compact(slices.Clone(sorted)); len(values) < n {
			return fromSorted(values, m, false)
		}
	}
	return z
}

// Whether at most half of the values are distinct is right however near to half it is: pairs of equal
// values, and one more or one less.
func TestTiedMostly(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	const n = 3 * leastRanks
	for _, less := range []int{0, 1, 1000, 5000, 20000, n / 4} {
		for _, sign := range []int{1, -1} {
			count := n/2 - sign*less // of distinct values
			x := make([]float64, n)
			for i := range x {
				x[i] = r.NormFloat64()
				if i >= count {
					x[i] = x[r.IntN(count)]
				}
			}
			if got, want := tiedMostly(cut([][]float64{x})), count <= n/2; got != want {
				t.Errorf("%d of %d values are distinct: tied %v, want %v", count, n, got, want)
			}
		}
	}
}
