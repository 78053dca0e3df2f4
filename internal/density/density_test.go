package density

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// example is a family at one set of parameters, with a log density written by others.
type example struct {
	f    *Family
	a    Params
	want func(y float64) float64
}

// ofCauchy is distuv's t distribution with one degree of freedom.
func ofCauchy(location, scale float64) func(y float64) float64 {
	return distuv.StudentsT{Mu: location, Sigma: scale, Nu: 1}.LogProb
}

// sech2 is the logistic density by the hyperbolic cosine: that of distuv is wrong in gonum 0.17.
func sech2(location, scale float64) func(y float64) float64 {
	return func(y float64) float64 {
		return -math.Log(4*scale) - 2*math.Log(math.Cosh((y-location)/(2*scale)))
	}
}

// half is the density of the size of a value with a density that is even.
func half(of func(y float64) float64) func(y float64) float64 {
	return func(y float64) float64 { return of(y) + math.Ln2 }
}

// negBinomial multiplies up from p(0) = (phi/(mu+phi))^phi.
func negBinomial(mu, phi float64) func(y float64) float64 {
	return func(y float64) float64 {
		lp := phi * math.Log(phi/(mu+phi))
		for k := 0.0; k < y; k++ {
			lp += math.Log((k + phi) / (k + 1) * mu / (mu + phi))
		}
		return lp
	}
}

func examples() []example {
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	return []example{
		{Normal(), Params{0.3, 2}, distuv.Normal{Mu: 0.3, Sigma: 2}.LogProb},
		{Normal(), Params{-40, 0.01}, distuv.Normal{Mu: -40, Sigma: 0.01}.LogProb},
		{StudentT(), Params{3.5, 1, 0.7}, distuv.StudentsT{Mu: 1, Sigma: 0.7, Nu: 3.5}.LogProb},
		{StudentT(), Params{30, -2, 3}, distuv.StudentsT{Mu: -2, Sigma: 3, Nu: 30}.LogProb},
		{Cauchy(), Params{0.5, 2}, ofCauchy(0.5, 2)},
		{Logistic(), Params{-1, 0.6}, sech2(-1, 0.6)},
		{DoubleExponential(), Params{0.4, 1.5}, distuv.Laplace{Mu: 0.4, Scale: 1.5}.LogProb},
		{HalfNormal(), Params{1.7}, half(distuv.Normal{Sigma: 1.7}.LogProb)},
		{HalfCauchy(), Params{2.5}, half(ofCauchy(0, 2.5))},
		{LogNormal(), Params{0.2, 0.8}, distuv.LogNormal{Mu: 0.2, Sigma: 0.8}.LogProb},
		{Gamma(), Params{2.5, 1.4}, distuv.Gamma{Alpha: 2.5, Beta: 1.4}.LogProb},
		{Gamma(), Params{0.4, 3}, distuv.Gamma{Alpha: 0.4, Beta: 3}.LogProb},
		{InvGamma(), Params{3, 2}, distuv.InverseGamma{Alpha: 3, Beta: 2}.LogProb},
		{Exponential(), Params{0.8}, distuv.Exponential{Rate: 0.8}.LogProb},
		{Weibull(), Params{1.6, 2.2}, distuv.Weibull{K: 1.6, Lambda: 2.2}.LogProb},
		{Beta(), Params{2, 3.5}, distuv.Beta{Alpha: 2, Beta: 3.5}.LogProb},
		{Beta(), Params{0.6, 0.8}, distuv.Beta{Alpha: 0.6, Beta: 0.8}.LogProb},
		{Uniform(), Params{-1, 2.5}, distuv.Uniform{Min: -1, Max: 2.5}.LogProb},
		{Bernoulli(), Params{0.3}, distuv.Bernoulli{P: 0.3}.LogProb},
		{BernoulliLogit(), Params{logit(0.3)}, distuv.Bernoulli{P: 0.3}.LogProb},
		{BernoulliLogit(), Params{logit(0.9)}, distuv.Bernoulli{P: 0.9}.LogProb},
		{Binomial(), Params{12, 0.35}, distuv.Binomial{N: 12, P: 0.35}.LogProb},
		{Binomial(), Params{300, 0.6}, distuv.Binomial{N: 300, P: 0.6}.LogProb},
		{BinomialLogit(), Params{12, logit(0.35)}, distuv.Binomial{N: 12, P: 0.35}.LogProb},
		{BinomialLogit(), Params{9, logit(0.8)}, distuv.Binomial{N: 9, P: 0.8}.LogProb},
		{Poisson(), Params{3.2}, distuv.Poisson{Lambda: 3.2}.LogProb},
		{Poisson(), Params{120}, distuv.Poisson{Lambda: 120}.LogProb},
		{PoissonLog(), Params{math.Log(3.2)}, distuv.Poisson{Lambda: 3.2}.LogProb},
		{NegBinomial2(), Params{4, 1.3}, negBinomial(4, 1.3)},
		{NegBinomial2(), Params{30, 80}, negBinomial(30, 80)},
		{NegBinomial2Log(), Params{math.Log(4), 1.3}, negBinomial(4, 1.3)},
	}
}

// cdf is the probability of at most y.
func (e example) cdf(y float64, a *Params) float64 {
	var g Grad
	return math.Exp(e.f.Below(y, a, &g))
}

// rand has a stream of its own for each family and parameters, whatever other rows there are.
func (e example) rand(seed uint64) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, e.f.Name, e.a)
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// values draws values inside the support.
func (e example) values(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = e.f.Rand(r, &e.a)
	}
	return out
}

func TestLogDensity(t *testing.T) {
	for _, e := range examples() {
		r := e.rand(1)
		for _, y := range e.values(r, 60) {
			var g, w Grad
			got, want := e.f.LogDensity(y, &e.a, &g, &w), e.want(y)
			if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
				t.Errorf("%s%v at %v: log density %v, want %v", e.f.Name, e.a, y, got, want)
			}
		}
		lo, hi := e.f.Support(&e.a)
		for _, y := range []float64{lo - 1, hi + 1} {
			var g, w Grad
			if math.IsInf(y, 0) {
				continue
			}
			if lp := e.f.LogDensity(y, &e.a, &g, &w); !math.IsInf(lp, -1) {
				t.Errorf("%s%v at %v: log density %v, want -Inf", e.f.Name, e.a, y, lp)
			}
		}
	}
}

// slope is the derivative by five points: its error is of order h^4 and eps/h.
func slope(f func(x float64) float64, x float64) float64 {
	return slopeWithin(math.Inf(1), f, x)
}

// slopeWithin is slope for a function that may be steep room away from x.
func slopeWithin(room float64, f func(x float64) float64, x float64) float64 {
	h := 1e-3 * math.Min(math.Min(1, room), math.Max(math.Abs(x), 1e-3))
	return (8*(f(x+h)-f(x-h)) - (f(x+2*h) - f(x-2*h))) / (12 * h)
}

func TestPartials(t *testing.T) {
	for _, e := range examples() {
		r := e.rand(2)
		if e.a[0] == -40 {
			continue // too narrow for differences
		}
		for _, y := range e.values(r, 40) {
			lo, hi := e.f.Support(&e.a)
			if !e.f.Discrete && (y-lo < 0.02 || hi-y < 0.02) ||
				e.f.Name == "double_exponential" && math.Abs(y-e.a[0]) < 0.02 {
				continue // the derivatives jump or grow without bound
			}
			var g, w, g2 Grad
			e.f.LogDensity(y, &e.a, &g, &w)
			close := func(what string, got, want float64) {
				if !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))) {
					t.Errorf("%s%v at %v: derivative in %s is %v, by differences %v", e.f.Name, e.a, y, what,
						got, want)
				}
			}
			if !e.f.Discrete {
				close("y", g[0], slopeWithin(math.Min(y-lo, hi-y), func(v float64) float64 { return e.f.LogDensity(v, &e.a, &g2, &w) }, y))
			}
			for k, p := range e.f.Params {
				if p.Domain == Count {
					continue
				}
				close(p.Name, g[k+1], slope(func(v float64) float64 {
					b := e.a
					b[k] = v
					return e.f.LogDensity(y, &b, &g2, &w)
				}, e.a[k]))
			}
		}
	}
}

// The distribution function starts at 0 and ends at 1, and rises by the integral of the density: so
// the density integrates to 1.
func TestCDF(t *testing.T) {
	for _, e := range examples() {
		r := e.rand(3)
		density := func(y float64) float64 {
			var g, w Grad
			return math.Exp(e.f.LogDensity(y, &e.a, &g, &w))
		}
		lo, hi := e.f.Support(&e.a)
		below := lo
		if e.f.Discrete {
			below = lo - 1
		}
		if c := e.cdf(below, &e.a); math.Abs(c) > 1e-15 {
			t.Errorf("%s%v: the CDF at %v is %v, want 0", e.f.Name, e.a, below, c)
		}
		if c := e.cdf(hi, &e.a); math.Abs(c-1) > 1e-15 {
			t.Errorf("%s%v: the CDF at %v is %v, want 1", e.f.Name, e.a, hi, c)
		}
		ys := e.values(r, 12)
		slices.Sort(ys)
		for i := range len(ys) - 1 {
			a, b := ys[i], ys[i+1]
			want := 0.0
			if e.f.Discrete {
				for y := a + 1; y <= b; y++ {
					want += density(y)
				}
			} else if e.f.Name == "double_exponential" && a < e.a[0] && b > e.a[0] {
				want = quad.Fixed(density, a, e.a[0], 100, nil, 0) +
					quad.Fixed(density, e.a[0], b, 100, nil, 0)
			} else {
				const parts = 30
				for k := range parts {
					want += quad.Fixed(density, a+(b-a)*float64(k)/parts, a+(b-a)*float64(k+1)/parts, 20,
						nil, 0)
				}
			}
			if got := e.cdf(b, &e.a) - e.cdf(a, &e.a); !(math.Abs(got-want) <= 1e-9) {
				t.Errorf("%s%v from %v to %v: the CDF rises by %v, the density integrates to %v", e.f.Name,
					e.a, a, b, got, want)
			}
			if e.f.Above != nil {
				var g Grad
				if got := math.Exp(e.f.Above(b, &e.a, &g)) + e.cdf(b, &e.a); !(math.Abs(got-1) <= 1e-12) {
					t.Errorf("%s%v at %v: both tails add up to %v", e.f.Name, e.a, b, got)
				}
			}
		}
	}
}

// Between is the integral, relative to its size, in either tail: to 1e-9 where the density is
// integrated numerically.
func TestBetween(t *testing.T) {
	for _, e := range examples() {
		if e.f.Discrete {
			for _, c := range [][2]float64{{0, 0}, {1, 3}, {0, 2}, {2, math.Inf(1)}, {0.5, 2.5},
				{70, math.Inf(1)}} {
				lo, hi := e.f.Support(&e.a)
				want := 0.0
				for y := math.Max(lo, math.Ceil(c[0])); y <= math.Min(c[1], math.Min(hi, 4000)); y++ {
					want += math.Exp(e.want(y))
				}
				var g, w Grad
				got := e.f.Between(c[0], c[1], &e.a, &g, &w)
				if want > 0 && !(math.Abs(got-math.Log(want)) <= 1e-9*(1+math.Abs(math.Log(want)))) {
					t.Errorf("%s%v from %v to %v: log probability %v, want %v", e.f.Name, e.a, c[0], c[1], got,
						math.Log(want))
				}
			}
			continue
		}
		if e.f.Above == nil {
			continue
		}
		// Quantiles far out, on both sides.
		for _, tail := range []float64{1e-3, 1e-12, 1e-40} {
			for _, up := range []bool{false, true} {
				a, b := e.tailInterval(tail, up)
				if math.IsNaN(a) {
					continue
				}
				want := 0.0
				const parts = 200
				for k := range parts {
					want += quad.Fixed(func(y float64) float64 { return math.Exp(e.want(y)) },
						a+(b-a)*float64(k)/parts, a+(b-a)*float64(k+1)/parts, 10, nil, 0)
				}
				var g, w Grad
				got := e.f.Between(a, b, &e.a, &g, &w)
				if !(math.Abs(got-math.Log(want)) <= 1e-8) {
					t.Errorf("%s%v from %v to %v: log probability %v, want %v", e.f.Name, e.a, a, b, got,
						math.Log(want))
				}
			}
		}
	}
}

// tailInterval is an interval whose nearer end has about that much probability beyond it, NaN where
// it is too near to the end of the support.
func (e example) tailInterval(tail float64, up bool) (a, b float64) {
	f := e.cdf
	if up {
		f = func(y float64, a *Params) float64 {
			var g Grad
			return math.Exp(e.f.Above(y, a, &g))
		}
	}
	lo, hi := e.f.Support(&e.a)
	from, to := math.Max(lo, -1e6), math.Min(hi, 1e6)
	if f(from, &e.a) > tail && f(to, &e.a) > tail {
		return math.NaN(), 0
	}
	for range 200 {
		mid := from + (to-from)/2
		if (f(mid, &e.a) > tail) == up {
			from = mid
		} else {
			to = mid
		}
	}
	at := from
	width := 0.1 * math.Max(1e-3, math.Min(1, math.Abs(at)))
	if up {
		if at+width > hi {
			return math.NaN(), 0
		}
		return at, at + width
	}
	if at-width <= lo || at < 0.01 && lo == 0 {
		return math.NaN(), 0
	}
	return at - width, at
}

// Draws against the distribution function: Kolmogorov-Smirnov for continuous families, where the
// distance exceeds 2.69/sqrt n by chance with probability 1e-6, and chi-square at 1e-6 for counts.
// Were the seeds changed, one of the 31 would fail with probability 3e-5.
func TestRand(t *testing.T) {
	const n = 20_000
	for _, e := range examples() {
		r := e.rand(4)
		ys := e.values(r, n)
		slices.Sort(ys)
		if !e.f.Discrete {
			worst := 0.0
			for i, y := range ys {
				c := e.cdf(y, &e.a)
				worst = math.Max(worst, math.Max(math.Abs(c-float64(i)/n), math.Abs(c-float64(i+1)/n)))
			}
			if !(worst <= 2.69/math.Sqrt(n)) {
				t.Errorf("%s%v: draws are %v from the CDF", e.f.Name, e.a, worst)
			}
			continue
		}
		chi, cells, seen := 0.0, 0.0, 0
		last, expected, observed := -1.0, 0.0, 0.0
		for y := 0.0; seen < n; y++ {
			p := e.cdf(y, &e.a)
			expected += n * (p - max(0, e.cdf(last, &e.a)))
			last = y
			for seen < n && ys[seen] <= y {
				seen++
				observed++
			}
			if expected >= 25 && n*(1-p) >= 25 || n*(1-p) < 1e-9 && expected > 0 {
				chi += (observed - expected) * (observed - expected) / expected
				cells++
				expected, observed = 0, 0
			}
		}
		if rest := expected + n*(1-e.cdf(last, &e.a)); rest > 1e-6 {
			chi += (observed - rest) * (observed - rest) / rest
			cells++
		}
		if p := mathext.GammaIncRegComp((cells-1)/2, chi/2); !(p > 1e-6) {
			t.Errorf("%s%v: chi-square %v in %v cells, p = %.2g", e.f.Name, e.a, chi, cells, p)
		}
	}
}

// The log of a rising factorial is a sum of logs, added here with the rounding of each carried along.
func TestRising(t *testing.T) {
	for _, phi := range []float64{1e-3, 0.7, 30, 99, 101, 5e3, 1e8, 1e14, 1e24} {
		for _, y := range []float64{0, 1, 5, 12, 13, 400, 20_000} {
			sum, slope, carry := 0.0, 0.0, 0.0
			for k := 0.0; k < y; k++ {
				v := math.Log(phi+k) - carry
				next := sum + v
				carry, sum = (next-sum)-v, next
				slope += 1 / (phi + k)
			}
			l, dl := rising(y, phi)
			if !(math.Abs(l-sum) <= 2e-14*(1+math.Abs(sum))) || !(math.Abs(dl-slope) <= 1e-12*slope) {
				t.Errorf("rising(%v, %v) = %v with slope %v, want %v with %v", y, phi, l, dl, sum, slope)
			}
		}
	}
}

// Known values: Digamma(1) = -gamma, Digamma(1/2) = -gamma - 2 log 2, and Gauss's at 1/4.
func TestDigamma(t *testing.T) {
	const gamma = 0.57721566490153286060651209008240243
	for _, c := range [][2]float64{{1, -gamma}, {0.5, -gamma - 2*math.Ln2}, {2, 1 - gamma},
		{0.25, -gamma - math.Pi/2 - 3*math.Ln2}, {0.75, -gamma + math.Pi/2 - 3*math.Ln2},
		{11, 7381.0/2520 - gamma}} {
		if got := Digamma(c[0]); math.Abs(got-c[1]) > 2e-15*(1+math.Abs(c[1])) {
			t.Errorf("Digamma(%v) = %v, want %v", c[0], got, c[1])
		}
	}
}

func TestExpitSoftplus(t *testing.T) {
	for _, x := range []float64{-800, -40, -1, 0, 1e-9, 2, 40, 800} {
		if got, want := Expit(x)+Expit(-x), 1.0; math.Abs(got-want) > 1e-15 {
			t.Errorf("expit(%v) + expit(%v) = %v", x, -x, got)
		}
		if got := Softplus(x) - Softplus(-x); math.Abs(got-x) > 1e-15*math.Max(1, math.Abs(x)) {
			t.Errorf("softplus(%v) - softplus(%v) = %v", x, -x, got)
		}
		if math.Abs(x) < 30 {
			if got, want := Softplus(x), math.Log(1+math.Exp(x)); math.Abs(got-want) > 1e-15*(1+want) {
				t.Errorf("softplus(%v) = %v, want %v", x, got, want)
			}
		}
	}
}
