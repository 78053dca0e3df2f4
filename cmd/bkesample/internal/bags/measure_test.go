package bags

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/cmd/internal/input"
)

// The interval of a share holds that of independent normal errors 90% of the time: of 4000 samples a share outside .88 to .92 has
// a probability of 2e-5.
func TestShareInterval(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 12))
	for _, n := range []int{12, 40} {
		held, runs := 0, 4000
		for range runs {
			y, with, without, sum := make([]float64, n), make([]float64, n), make([]float64, n), 0.0
			for i := range y {
				e := 0.5 * r.NormFloat64()
				y[i] = math.Sqrt(0.75)*r.NormFloat64() + e
				with[i] = e * e
				sum += y[i]
			}
			for i, v := range y {
				d := v - (sum-v)/float64(n-1)
				without[i] = d * d
			}
			if lower, upper := shareInterval(with, without); lower <= 0.75 && 0.75 <= upper {
				held++
			}
		}
		if share := float64(held) / float64(runs); math.Abs(share-0.9) > 0.02 {
			t.Errorf("%d bags: intervals hold the share in %.3f of samples", n, share)
		}
	}
	if lower, upper := shareInterval([]float64{0, 0}, []float64{1, 2}); lower != 1 || upper != 1 {
		t.Errorf("without an error: %v to %v", lower, upper)
	}
}

// The factor of the closed form's intervals is not that of intervals that come from chains.
func TestFactorOfChains(t *testing.T) {
	for _, drawn := range []float64{0, 1.1} {
		r := &result{flags: &flags{level: 0.9}, data: &input.Bags{}, drawn: drawn, new: []prediction{{mean: 2, lower: 1, upper: 3}}}
		for range 40 {
			r.bags = append(r.bags, prediction{truth: 2, lower: -1, upper: 1})
		}
		r.calibrate()
		want := 1.0
		if drawn == 0 {
			want = 2
		}
		if r.wider != 2 || r.bags[0].upper != 2 || r.new[0].upper != 2+want {
			t.Errorf("chains %v: factor %v, known %v, new %v", drawn, r.wider, r.bags[0], r.new[0])
		}
	}
}
