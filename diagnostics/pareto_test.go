package diagnostics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Draws from generalised Pareto tails give their shape back. With tails of 3 sqrt(20000) = 424
// draws the estimate has a standard deviation of about (1+k)/sqrt(424); the prior pulls it towards
// 1/2 by a factor of 424/434; the larger of two tails is taken, which adds less than one standard
// deviation. Six of those are allowed.
func TestParetoKKnown(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 3))
	for _, k := range []float64{-0.3, 0, 0.3, 0.7, 1.2} {
		chains := independent(r, 4, 5000)
		for _, c := range chains {
			for i := range c { // symmetric, both tails of shape k
				e := r.ExpFloat64()
				if k != 0 {
					e = math.Expm1(k*e) / k
				}
				c[i] = math.Copysign(e, c[i])
			}
		}
		limit := 6 * (1 + k) / math.Sqrt(424)
		if got := ParetoK(chains); math.Abs(got-k) > limit {
			t.Errorf("shape %v: %.3f, which is off by more than %.3f", k, got, limit)
		}
	}
}

// The larger shape decides, whichever tail it is of; a tail that cannot be fitted is left out.
func TestParetoKTails(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 4))
	heavyRight := mapDraws(independent(r, 4, 500), func(v float64) float64 {
		return math.Exp(3 * v)
	})
	heavyLeft := mapDraws(heavyRight, func(v float64) float64 { return -v })
	right, left := ParetoK(heavyRight), ParetoK(heavyLeft)
	if !(right > 0.8) || math.Abs(left-right) > 0.02 {
		t.Errorf("exp(3 N(0,1)): %v, and mirrored %v", right, left)
	}
	clipped := mapDraws(heavyRight, func(v float64) float64 { return max(v, 1) })
	s := load(clipped)
	if k := s.paretoK(leftTail, 1); !math.IsNaN(k) {
		t.Errorf("tied left tail: %v, want NaN", k)
	}
	if k := ParetoK(clipped); !(k > 0.8) {
		t.Errorf("tied left tail: ParetoK %v, want that of the right tail", k)
	}
}

// At theta = 0 the profile likelihood has a limit, that of the exponential distribution. Of the 34
// grid points for 16 exceedances one is at 1/largest - 1/(3 quartile), which is zero here; the
// estimate is that of exceedances nearby.
func TestFitParetoAtZero(t *testing.T) {
	x := []float64{0.25, 0.5, 0.75, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 2, 2.2, 2.5, 3}
	got, _ := fitPareto(x)
	x[15] += 1e-9
	if want, _ := fitPareto(x); math.IsNaN(got) || !closeTo(got, want, 1e-8, 1) {
		t.Errorf("%v, want nearly %v", got, want)
	}
}

// Values computed in arithmetic of 40 digits from the definition, in another language.
func TestParetoFit(t *testing.T) {
	var ramp, cubes []float64
	for i := range 30 {
		cubes = append(cubes, float64((30-i)*(30-i)*(30-i)))
	}
	for i := range 20 {
		ramp = append(ramp, float64(i+1)/8)
	}
	for _, c := range []struct {
		x        []float64
		k, sigma float64
	}{
		{[]float64{0.25, 0.5, 0.75, 1, 1.125, 1.25, 1.375, 1.4375, 1.5, 1.625, 1.75, 1.875, 2, 2.25,
			2.5, 3.5}, -0.1136271863773035, 2.1448983342490928},
		{ramp, -0.4046214803552287, 2.3161951012940913},
		{cubes, 0.7876858379544237, 2891.9664723639385}, // not in ascending order
		{[]float64{0.5, 1, 2, 4, 8, 16}, 0.4739660771044710, 3.4730069696084849},
	} {
		before := slices.Clone(c.x)
		k, sigma := ParetoFit(c.x)
		if !closeTo(k, c.k, 1e-13, 1) || !closeTo(sigma, c.sigma, 1e-13, 0) {
			t.Errorf("%v: k %.16f, sigma %.16f; want %.16f, %.16f", c.x, k, sigma, c.k, c.sigma)
		}
		if !slices.Equal(before, c.x) {
			t.Error("ParetoFit changed its argument")
		}
	}
	for _, x := range [][]float64{nil, {1, 2, 3, 4, 5}, {1, 1, 1, 1, 2}, {-1, 1, 2, 3, 4, 5},
		{1, 2, 3, 4, math.Inf(1)}, {1, 2, math.NaN(), 4, 5, 6}} {
		if k, sigma := ParetoFit(x); !math.IsNaN(k) || !math.IsNaN(sigma) {
			t.Errorf("%v: k %v, sigma %v, want NaN", x, k, sigma)
		}
	}
}

func TestParetoKTooFew(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 5))
	for _, c := range []struct {
		chains, draws int
		defined       bool
	}{{4, 6, false}, {1, 29, false}, {1, 30, true}, {6, 5, false}, {3, 10, true}} {
		k := ParetoK(independent(r, c.chains, c.draws))
		if math.IsNaN(k) == c.defined {
			t.Errorf("%d chains of %d: %v", c.chains, c.draws, k)
		}
	}
}

func TestParetoKThreshold(t *testing.T) {
	for _, c := range []struct {
		size int
		want float64
	}{
		{10, 0}, {100, 0.5}, {1000, 2.0 / 3}, {2154, 0.69999277}, {2155, 0.7}, {1_000_000, 0.7},
		{1, math.NaN()}, {0, math.NaN()}, {-5, math.NaN()},
	} {
		if got := ParetoKThreshold(c.size); !closeTo(got, c.want, 1e-6, 1) {
			t.Errorf("%d draws: %v, want %v", c.size, got, c.want)
		}
		if c.size < 10 || c.size > 2000 {
			continue
		}
		// So many draws are what this k needs.
		if got := ParetoMinDraws(c.want); !closeTo(got, float64(c.size), 1e-9, 0) {
			t.Errorf("k = %v: %v draws, want %v", c.want, got, c.size)
		}
	}
	for _, c := range [][2]float64{{-2, 10}, {0, 10}, {0.5, 100}, {0.75, 10_000},
		{1, math.Inf(1)}, {3, math.Inf(1)}, {math.NaN(), math.NaN()}} {
		if got := ParetoMinDraws(c[0]); !closeTo(got, c[1], 1e-12, 0) {
			t.Errorf("k = %v: %v draws, want %v", c[0], got, c[1])
		}
	}
}

// The rate against its definition in unstable powers of the number of draws.
func TestParetoRate(t *testing.T) {
	for _, n := range []int{10, 400, 100_000} {
		for _, k := range []float64{0.05, 0.3, 0.49, 0.51, 0.7, 0.9} {
			s, s2k := float64(n), math.Pow(float64(n), 2*k)
			want := (2*(k-1)*s2k*s + (1-2*k)*s2k + s*s) / ((s - 1) * (s - s2k))
			if got := ParetoRate(k, n); !closeTo(got, max(0, want), 1e-9, 1) {
				t.Errorf("k = %v, %d draws: %v, want %v", k, n, got, want)
			}
		}
		half := ParetoRate(0.5, n)
		if side := ParetoRate(0.5+1e-9, n); !closeTo(half, side, 1e-7, 1) {
			t.Errorf("%d draws: %v at k = 1/2, %v beside it", n, half, side)
		}
		for _, k := range []float64{-1, 0, 1, 2} {
			if got := ParetoRate(k, n); (k <= 0 && got != 1) || (k >= 1 && got != 0) {
				t.Errorf("k = %v: rate %v", k, got)
			}
		}
	}
	for _, v := range []float64{ParetoRate(math.NaN(), 10), ParetoRate(0.2, 1), ParetoRate(0.2, 0)} {
		if !math.IsNaN(v) {
			t.Errorf("%v, want NaN", v)
		}
	}
}
