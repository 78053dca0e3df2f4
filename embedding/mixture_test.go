package embedding

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// mixtureOf is a posterior at one point with the given components.
func mixtureOf(means, sds []float64) *Pointwise {
	p := newPointwise(column(0), 1, len(means))
	copy(p.means, means)
	copy(p.sds, sds)
	p.summarise()
	return p
}

func TestMixtureQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	cases := [][2][]float64{
		{{0.3}, {2}}, {{0, 1}, {1, 1}}, {{-5, 5}, {0.1, 0.1}}, {{-100, 100}, {1e-3, 1e-3}},
		{{0, 0, 0}, {1e-3, 1, 1e2}}, {{0, 900}, {1, 1e-6}}, {{1, 1, 1, -900}, {1e-8, 1, 1, 1}},
	}
	for range 20 {
		var means, sds []float64
		for range 1 + r.IntN(30) {
			means = append(means, 3*r.NormFloat64())
			sds = append(sds, math.Exp(2*r.NormFloat64()))
		}
		cases = append(cases, [2][]float64{means, sds})
	}
	for _, c := range cases {
		p := mixtureOf(c[0], c[1])
		for _, level := range []float64{1e-6, 0.01, 0.1, 0.25, 0.4999, 0.5, 0.7, 0.9, 0.999} {
			got, want := p.Quantile(level)[0], bisected(c[0], c[1], level)
			if !(math.Abs(got-want) <= 1e-9*p.SD[0]) {
				// Where the density is next to nothing bisection stops anywhere; the level counts.
				near(t, fmt.Sprint("level of a quantile of ", c), mixtureCDF(c[0], c[1], got),
					level, 1e-13)
			}
		}
		near(t, "probability", p.Positive()[0], 1-mixtureCDF(c[0], c[1], 0), 1e-14)
	}
}

// The far tails of one Gaussian: quantiles from tables of the normal distribution.
func TestMixtureTails(t *testing.T) {
	p := mixtureOf([]float64{1, 1}, []float64{2, 2})
	near(t, "q(1e-12)", p.Quantile(1e-12)[0], 1-2*7.034483825301131, 1e-12)
	near(t, "q(0.1)", p.Quantile(0.1)[0], 1-2*1.2815515655446004, 1e-13)
	near(t, "q(0.975)", p.Quantile(0.975)[0], 1+2*1.959963984540054, 1e-13)
	if q := p.Quantile(0)[0]; !math.IsInf(q, -1) {
		t.Error(q)
	}
	if q := p.Quantile(1)[0]; !math.IsInf(q, 1) {
		t.Error(q)
	}
	for _, level := range []float64{-0.1, 1.1, math.NaN()} {
		if q := p.Quantile(level)[0]; !math.IsNaN(q) {
			t.Error(level, q)
		}
	}
}

// Components without spread.
func TestMixtureOfPoints(t *testing.T) {
	p := mixtureOf([]float64{-1, 0, 2, 3}, []float64{0, 0, 0, 0})
	for _, c := range []struct{ level, want float64 }{{0.1, -1}, {0.4, 0}, {0.6, 2}, {0.9, 3}} {
		near(t, fmt.Sprint("level ", c.level), p.Quantile(c.level)[0], c.want, 1e-10)
	}
	near(t, "probability", p.Positive()[0], 5.0/8, 0)
	p = mixtureOf([]float64{2, 2}, []float64{0, 0})
	near(t, "a single point", p.Quantile(0.3)[0], 2, 0)
}

// Mixtures on which Newton's method stands still, jumps across a spike, or goes to and fro between
// neighbouring numbers.
func TestMixtureSpikes(t *testing.T) {
	for _, c := range []struct {
		means, sds []float64
		level      float64
		lo, hi     float64 // what is between the two is right
	}{
		{[]float64{-1.0567489189095737e6, -1.0567489189095737e6},
			[]float64{0.038425589821519425, 0}, 0.75, -1.05674891890958e6, -1.05674891890957e6},
		{[]float64{-0.2, 5e-5, 6e-5, 3e-3, 8200}, []float64{4e-19, 0, 2e-21, 1e-18, 0.04}, 0.25,
			5e-5 - 1e-9, 5e-5 + 1e-9},
		{[]float64{3, 3, -2e-3, -0.5, 4e-8, 0.05}, []float64{0, 0.5, 0, 0, 0, 5e-8}, 0.5,
			4e-8 - 1e-12, 0.05},
	} {
		got := mixtureOf(c.means, c.sds).Quantile(c.level)[0]
		if !(got >= c.lo && got <= c.hi) {
			t.Errorf("%v, level %v: %v, want it between %v and %v", c, c.level, got, c.lo, c.hi)
		}
	}
}

// mixtureCDF is the distribution function of an equal mixture of Gaussians, as in textbooks.
func mixtureCDF(means, sds []float64, x float64) float64 {
	p := 0.0
	for i, m := range means {
		p += (1 + math.Erf((x-m)/sds[i]/math.Sqrt2)) / 2 / float64(len(means))
	}
	return p
}

func bisected(means, sds []float64, level float64) float64 {
	lo, hi := -1e3, 1e3
	for range 100 {
		mid := (lo + hi) / 2
		if mixtureCDF(means, sds, mid) < level {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
