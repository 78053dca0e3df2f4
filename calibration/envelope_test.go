package calibration

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestGamma compares with pointwise levels computed elsewhere, to the six digits to which they were
// recorded: the largest at which a uniform sample stays inside with probability 1-alpha.
func TestGamma(t *testing.T) {
	for _, c := range []struct {
		n, k         int
		alpha, gamma float64
	}{
		{100, 20, 0.05, 0.00854836}, {100, 20, 0.01, 0.00147567},
		{100, 20, 1e-3, 1.28489e-4}, {100, 20, 1e-4, 1.25792e-5},
		{50, 20, 0.05, 0.0103076}, {50, 20, 0.01, 0.00160711},
		{50, 20, 1e-3, 1.74175e-4}, {50, 20, 1e-4, 2.001e-5},
		{100, 50, 0.05, 0.00466712}, {100, 50, 0.01, 8.79888e-4},
		{100, 50, 1e-3, 7.67559e-5}, {100, 50, 1e-4, 7.40635e-6},
		{200, 20, 0.05, 0.00624212}, {200, 20, 0.01, 0.00104759},
		{200, 20, 1e-3, 9.62556e-5}, {200, 20, 1e-4, 1.08392e-5},
	} {
		e, err := NewEnvelope(c.n, c.k, c.alpha)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(e.Gamma/c.gamma-1) > 5e-6 {
			t.Errorf("n=%d k=%d alpha=%g: gamma %.8g, reference %g", c.n, c.k, c.alpha, e.Gamma,
				c.gamma)
		}
		if !(e.Leaving <= c.alpha) || len(e.Lower) != c.k || len(e.Upper) != c.k {
			t.Errorf("n=%d k=%d alpha=%g: leaving %g", c.n, c.k, c.alpha, e.Leaving)
		}
	}
}

// recursion is the probability of leaving by the chain of binomials, an independent way to it.
func recursion(n, k int, lo, hi []int) float64 {
	f := map[int]float64{0: 1}
	for i := 0; i < k-1; i++ {
		p := 1 / float64(k-i) // (z_{i+1} - z_i) / (1 - z_i) with z_i = i/k
		next := map[int]float64{}
		for c, w := range f {
			for d := 0; c+d <= n; d++ {
				if c+d < lo[i] || c+d > hi[i] {
					continue
				}
				a, _ := math.Lgamma(float64(n-c) + 1)
				b, _ := math.Lgamma(float64(d) + 1)
				e, _ := math.Lgamma(float64(n-c-d) + 1)
				next[c+d] += w * math.Exp(a-b-e+float64(d)*math.Log(p)+
					float64(n-c-d)*math.Log1p(-p))
			}
		}
		f = next
	}
	stay := 0.0
	for _, w := range f {
		stay += w
	}
	return 1 - stay
}

func TestLeavingByRecursion(t *testing.T) {
	for _, c := range []struct {
		n, k  int
		alpha float64
	}{{100, 20, 0.05}, {37, 7, 0.01}, {60, 20, 0.3}, {1, 2, 0.5}, {3, 4, 0.9}} {
		e, err := NewEnvelope(c.n, c.k, c.alpha)
		if err != nil {
			t.Fatal(err)
		}
		want := recursion(c.n, c.k, e.Lower, e.Upper)
		if math.Abs(e.Leaving-want) > 1e-11 {
			t.Errorf("%+v: leaving %.15g, by the chain of binomials %.15g", c, e.Leaving, want)
		}
	}
}

// everySample calls f with the cumulative counts of all k^n equally probable samples.
func everySample(n, k int, f func(counts []int)) (total int) {
	bins := make([]int, n)
	counts := make([]int, k)
	for {
		clear(counts)
		for _, b := range bins {
			for i := b; i < k; i++ {
				counts[i]++
			}
		}
		f(counts)
		total++
		j := 0
		for ; j < n; j++ {
			if bins[j]++; bins[j] < k {
				break
			}
			bins[j] = 0
		}
		if j == n {
			return total
		}
	}
}

func (e *Envelope) contains(counts []int) bool {
	for i, c := range counts {
		if c < e.Lower[i] || c > e.Upper[i] {
			return false
		}
	}
	return true
}

// TestEverySample enumerates all samples of small sizes: the probability of leaving is exact, the
// next wider Gamma would leave too often, the p-value is a p-value, and it is at most alpha exactly
// where the envelope is left.
func TestEverySample(t *testing.T) {
	for _, c := range []struct{ n, k int }{{1, 2}, {5, 3}, {6, 4}, {8, 2}, {4, 6}, {6, 5}} {
		g := newGrid(c.n, c.k)
		for _, alpha := range []float64{1e-4, 0.01, 0.05, 0.2, 0.5, 0.9} {
			e := g.envelope(alpha)
			left, smaller, disagree := 0, 0, 0
			total := everySample(c.n, c.k, func(counts []int) {
				out := !e.contains(counts)
				if out {
					left++
				}
				p, _ := g.pValue(counts)
				if p <= alpha {
					smaller++
				}
				if (p <= alpha) != out {
					disagree++
				}
			})
			got := float64(left) / float64(total)
			if math.Abs(got-e.Leaving) > 1e-12 || e.Leaving > alpha {
				t.Errorf("%+v alpha %g: %g of all samples leave, Leaving is %g", c, alpha, got,
					e.Leaving)
			}
			if disagree > 0 || float64(smaller) > alpha*float64(total)*(1+1e-12) {
				t.Errorf("%+v alpha %g: %d samples with p <= alpha, %d left, %d disagree", c, alpha,
					smaller, left, disagree)
			}
			if wider := g.leavingAt(e.Gamma); wider <= alpha {
				t.Errorf("%+v alpha %g: Gamma %g is not the largest, leaving is still %g", c, alpha,
					e.Gamma, wider)
			}
		}
	}
}

// TestUniformSamples simulates. The number of samples that leave is binomial with the stated
// probability: 5.5 standard errors, false alarm 4e-8 for each of 3.
func TestUniformSamples(t *testing.T) {
	const samples = 20000
	r := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct {
		n, k  int
		alpha float64
	}{{100, 20, 0.05}, {50, 20, 0.01}, {200, 50, 0.2}} {
		e, err := NewEnvelope(c.n, c.k, c.alpha)
		if err != nil {
			t.Fatal(err)
		}
		left := 0
		counts := make([]int, c.k)
		for range samples {
			clear(counts)
			for range c.n {
				counts[int(r.Float64()*float64(c.k))]++
			}
			for i := 1; i < c.k; i++ {
				counts[i] += counts[i-1]
			}
			if !e.contains(counts) {
				left++
			}
		}
		z := (float64(left) - samples*e.Leaving) / math.Sqrt(samples*e.Leaving*(1-e.Leaving))
		if math.Abs(z) > 5.5 {
			t.Errorf("%+v: %d of %d left, expected %.0f: z = %.1f", c, left, samples,
				samples*e.Leaving, z)
		}
	}
}

// TestSmallP checks p-values far below rounding against a closed form: all n values in one half
// have level 2 * 2^-n at the middle, and no other sample of two bins is as far out but its mirror.
func TestSmallP(t *testing.T) {
	for _, n := range []int{10, 100, 500, 1000} {
		want := math.Ldexp(1, 1-n)
		for _, counts := range [][]int{{0, n}, {n, n}} {
			if p, at := newGrid(n, 2).pValue(counts); math.Abs(p/want-1) > 1e-9 || at != 1 {
				t.Errorf("n=%d %v: p = %g at %d, expected %g at 1", n, counts, p, at, want)
			}
		}
	}
	// Too small for a float64 is 0, not NaN.
	if p, _ := newGrid(2000, 20).pValue(make([]int, 20)); p != 0 {
		t.Errorf("all of 2000 values in the last bin: p = %g", p)
	}
}

func TestEnvelopeErrors(t *testing.T) {
	for _, c := range []struct {
		n, k  int
		alpha float64
	}{{0, 20, .05}, {-1, 20, .05}, {10, 1, .05}, {10, 20, 0}, {10, 20, 1}, {10, 20, math.NaN()}} {
		if e, err := NewEnvelope(c.n, c.k, c.alpha); err == nil {
			t.Errorf("%+v: no error, got %+v", c, e)
		}
	}
}

// TestSymmetry: the mirror image of a sample is as far out as the sample.
func TestSymmetry(t *testing.T) {
	for _, alpha := range []float64{0.3, 0.05, 1e-6} {
		e, err := NewEnvelope(123, 12, alpha)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < e.K-1; i++ {
			if e.Lower[i] != e.N-e.Upper[e.K-2-i] {
				t.Errorf("alpha %g: lower bound %d at %d, upper bound %d at its mirror", alpha,
					e.Lower[i], i+1, e.Upper[e.K-2-i])
			}
		}
	}
}
