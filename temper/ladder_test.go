package temper

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/hmc"
)

// TestEqualise: if the rejection of a pair is the distance of its ends in a known function, rungs
// converge to equal distances of it.
func TestEqualise(t *testing.T) {
	for name, f := range map[string]func(float64) float64{
		"log":    func(b float64) float64 { return 4 * math.Log1p(1e6*b) / math.Log1p(1e6) },
		"linear": func(b float64) float64 { return 3 * b },
		"step":   func(b float64) float64 { return 1.5 * (1 + math.Tanh(20*(b-0.7))) },
	} {
		betas := pilot(pilotRungs)
		var reject []float64
		for range 6 {
			reject = reject[:0]
			for i := 1; i < len(betas); i++ {
				reject = append(reject, math.Min(1, f(betas[i])-f(betas[i-1])))
			}
			betas = equalise(betas, reject, 8)
		}
		reject = reject[:0]
		for i := 1; i < len(betas); i++ {
			reject = append(reject, f(betas[i])-f(betas[i-1]))
		}
		if len(betas) != 8 || betas[0] != 0 || betas[7] != 1 {
			t.Fatalf("%s: betas %v", name, betas)
		}
		for _, r := range reject {
			near(t, name, r, barrier(reject)/7, 0.02)
		}
	}
}

func TestEqualiseAlwaysIncreases(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		betas := pilot(2 + r.IntN(12))
		reject := make([]float64, len(betas)-1)
		for i := range reject {
			reject[i] = math.Pow(r.Float64(), 1+10*r.Float64())
			if r.IntN(4) == 0 {
				reject[i] = float64(r.IntN(2))
			}
		}
		for range 3 {
			betas = equalise(betas, reject, len(betas))
			for i := 1; i < len(betas); i++ {
				if !(betas[i] > betas[i-1]) {
					t.Fatalf("betas %v of rejections %v", betas, reject)
				}
			}
			if betas[0] != 0 || betas[len(betas)-1] != 1 {
				t.Fatalf("betas %v", betas)
			}
		}
	}
}

func TestNumberOfRungs(t *testing.T) {
	for _, c := range []struct {
		reject []float64
		rungs  int
	}{
		{[]float64{0, 0, 0}, 3},
		{[]float64{0.5, 0.5, 0.5}, 4},
		{[]float64{0.9, 0.9, 0.9, 0.9}, 9}, // 2 Lambda = 7.2
		{slices.Repeat([]float64{1}, 99), mostRungs},
	} {
		betas := pilot(len(c.reject) + 1)
		if k := len(equalise(betas, c.reject, 0)); k != c.rungs {
			t.Errorf("%d rungs for Lambda = %v, expected %d", k, barrier(c.reject), c.rungs)
		}
	}
}

func TestRounds(t *testing.T) {
	for warmup, want := range map[int][]int{100: {33, 67}, 350: {50, 100, 200},
		1000: {66, 132, 264, 538}} {
		c := Config{Settings: hmc.Settings{Warmup: warmup}}
		if got := c.rounds(); !slices.Equal(got, want) {
			t.Errorf("rounds of %d are %v, expected %v", warmup, got, want)
		}
	}
}

func TestPredictedRate(t *testing.T) {
	near(t, "without rejection", roundTrips([]float64{0, 0, 0}), 0.5, 0)
	near(t, "two halves", roundTrips([]float64{0.5, 0.5}), 1.0/6, 1e-15)
	near(t, "a wall", roundTrips([]float64{0.5, 1}), 0, 0)
}

// TestRoundTrips: where every exchange is accepted, each of K walkers goes round in 2K scans, so K
// walkers make half a trip per scan, less the first way up.
func TestRoundTrips(t *testing.T) {
	r := system(t, normal(t, 2, 1, 2), normal(t, 2, 1, 2), []float64{0, 0.2, 0.5, 0.9, 1})
	const scans = 1000
	trips := 0
	pos, seen := []int{0, 1, 2, 3, 4}, make([]int, 5) // of walkers, and the end seen last
	for scan := range scans {
		for i := range r.rungs {
			r.rungs[i].eps = 1
		}
		if err := r.scan(context.Background(), false); err != nil {
			t.Fatal(err)
		}
		for w, p := range pos { // by hand: everyone moves
			switch {
			case p%2 == scan%2 && p < 4:
				pos[w]++
			case p%2 != scan%2 && p > 0:
				pos[w]--
			}
			switch {
			case pos[w] == 4 && seen[w] == 1:
				seen[w] = 2
			case pos[w] == 0:
				if seen[w] == 2 {
					trips++
				}
				seen[w] = 1
			}
		}
	}
	if r.tally.trips != trips || math.Abs(float64(trips)-scans/2) > 10 {
		t.Errorf("%d round trips, by hand %d, about half of %d scans", r.tally.trips, trips, scans)
	}
	for i, v := range r.tally.reject {
		near(t, "rejection", v/scans, 0, 1e-14)
		near(t, "stepping stone", r.tally.step[i].log(), 0, 1e-14)
	}
}

// TestRoundTripRate: with independent draws on every rung the predicted rate is exact.
func TestRoundTripRate(t *testing.T) {
	r := toy(t)
	const scans = 100000
	for range scans {
		toyDraws(t, r)
		r.exchange()
	}
	reject := slices.Clone(r.tally.reject)
	for i := range reject {
		reject[i] /= scans
	}
	// Round trips are renewals, more regular than a Poisson process: 5.5 roots are a false alarm in
	// less than 4e-8.
	want := roundTrips(reject) * scans
	near(t, "number of round trips", float64(r.tally.trips), want, 5.5*math.Sqrt(want))
}
