package priors

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/internal/fixture"
)

// number is a reference number written as a string; beyond float64 it becomes an infinity.
type number float64

func (n *number) UnmarshalJSON(b []byte) error {
	x, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return err
	}
	*n = number(x)
	return nil
}

func load(t *testing.T, file string, rows any) {
	t.Helper()
	fixture.JSON(t, "testdata/"+file, rows)
}

// named makes the prior of a reference row.
func named(t *testing.T, name string, params []float64) Prior {
	t.Helper()
	p, err := Parse(textual(name, params...))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// every is one of each kind of prior.
func every() []Prior {
	return []Prior{Beta{2, 3}, Exponential{0.5}, Flat{}, Gamma{1, 1}, Gamma{0.3, 2}, Gamma{7, 3},
		HalfCauchy{5}, HalfNormal{2.5}, InvGamma{3, 2}, LogNormal{0.5, 0.75}, Normal{-1, 2},
		StudentT{4, 1, 2.5}, Uniform{-3, 2.5}}
}

func TestDensityReference(t *testing.T) {
	var rows []struct {
		Prior          string
		Params         []float64
		X, LogP, DLogP number
	}
	load(t, "densities.json", &rows)
	seen := make(map[string]float64)
	for _, r := range rows {
		p := named(t, r.Prior, r.Params)
		logp, dlogp := p.LogDensityGrad(float64(r.X))
		if only := p.LogDensity(float64(r.X)); only != logp {
			t.Errorf("%v at %v: LogDensity %v, LogDensityGrad %v", p, r.X, only, logp)
		}
		// The terms that add up to the log density may be as large as the shape times its log:
		// an error of some units in the last place of the largest of them is as good as it gets.
		terms := math.Abs(float64(r.LogP))
		for _, v := range r.Params {
			if strings.Contains(r.Prior, "gamma") || r.Prior == "beta" {
				terms = max(terms, v*math.Log(1+v))
			}
		}
		tol := 1e-14 * max(1, terms)
		if d := math.Abs(logp - float64(r.LogP)); d > tol && logp != float64(r.LogP) {
			t.Errorf("%v at %v: log density %v, want %v (off by %.2g, within %.2g)",
				p, r.X, logp, r.LogP, d, tol)
		}
		if math.IsInf(logp, -1) {
			continue
		}
		// Both terms of the beta's and the gamma's derivatives are no larger than this.
		scale := math.Abs(float64(r.DLogP))
		switch d := p.(type) {
		case Beta:
			scale = max(scale, d.A/float64(r.X), d.B/(1-float64(r.X)))
		case Gamma:
			scale = max(scale, d.Rate)
		case InvGamma:
			scale = max(scale, d.Shape/float64(r.X))
		case LogNormal:
			scale = max(scale, 1e3/float64(r.X))
		case Normal:
			scale = max(scale, 1e-9/d.SD) // x - Mean cancels
		}
		// Below 1e-300 a slope may underflow to 0.
		tol = 2e-15*scale + 1e-300
		if d := math.Abs(dlogp - float64(r.DLogP)); d > tol && dlogp != float64(r.DLogP) {
			t.Errorf("%v at %v: derivative %v, want %v (off by %.2g)", p, r.X, dlogp, r.DLogP, d)
		}
		seen[r.Prior] = max(seen[r.Prior], math.Abs(logp-float64(r.LogP))/max(1, terms))
	}
	if len(seen) != len(families())-1 {
		t.Errorf("the reference covers %d kinds of prior, want all %d but flat",
			len(seen), len(families()))
	}
	t.Logf("worst relative errors: %v", seen)
}

// By the trapezoidal rule after the double exponential substitution of Takahasi and Mori (1974).
func TestDensityIntegratesToOne(t *testing.T) {
	for _, p := range every() {
		if p == (Flat{}) {
			continue
		}
		lo, hi := p.Support()
		const step = 1.0 / 64
		sum := 0.0
		for i := -64 * 8; i <= 64*8; i++ {
			u := float64(i) * step
			var x, w float64
			switch s, c := math.Pi/2*math.Sinh(u), math.Pi/2*math.Cosh(u); {
			case finite(lo) && finite(hi):
				e := math.Exp(-2 * math.Abs(s))
				x, w = e/(1+e), 2*c*e/(1+e)/(1+e)
				if s > 0 {
					x = 1 - x
				}
				x, w = lo+(hi-lo)*x, w*(hi-lo)
			case finite(lo):
				x, w = lo+math.Exp(s), math.Exp(s)*c
			default:
				x, w = math.Sinh(s), math.Cosh(s)*c
			}
			if f := math.Exp(p.LogDensity(x)) * w * step; f > 0 && finite(f) {
				sum += f
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%v: the density integrates to %.12f, want 1", p, sum)
		}
	}
}

func TestOutsideSupport(t *testing.T) {
	for _, p := range every() {
		lo, hi := p.Support()
		bad := []float64{math.Inf(-1), math.Inf(1)}
		if finite(lo) {
			bad = append(bad, lo-1, lo-1e300, math.Nextafter(lo, -1e9))
		}
		if finite(hi) {
			bad = append(bad, hi+1, hi+1e300, math.Nextafter(hi, 1e9))
		}
		for _, x := range bad {
			if got := p.LogDensity(x); !math.IsInf(got, -1) {
				t.Errorf("%v: log density %v at %v, want -Inf", p, got, x)
			}
		}
		logp, dlogp := p.LogDensityGrad(math.NaN())
		if !math.IsNaN(logp) || !math.IsNaN(dlogp) {
			t.Errorf("%v: %v, %v at NaN, want NaN", p, logp, dlogp)
		}
	}
}

// No value of any prior may give +Inf, nor a NaN, whatever its parameters.
func TestNeverInfinite(t *testing.T) {
	values := []float64{0, 5e-324, 1e-310, 1e-300, 1e-20, 0.5, 1 - 2.0*0x1p-53, 1, 2, 1e20, 1e300,
		math.MaxFloat64}
	params := []float64{1e-300, 1e-5, 0.5, 1, 2, 1e5, 1e150}
	for _, a := range params {
		for _, b := range params {
			for _, p := range []Prior{Beta{a, b}, Exponential{a}, Gamma{a, b}, HalfCauchy{a},
				HalfNormal{a}, InvGamma{a, b}, LogNormal{a, b}, Normal{a, b}, StudentT{a, 1, b},
				StudentT{a, b, 1}, Uniform{-a, b}} {
				if p.Check() != nil {
					continue
				}
				for _, x := range values {
					for _, y := range []float64{x, -x} {
						if logp := p.LogDensity(y); math.IsNaN(logp) || math.IsInf(logp, 1) {
							t.Errorf("%v: log density %v at %v", p, logp, y)
						}
					}
				}
			}
		}
	}
}

func TestDensityAtTheEnds(t *testing.T) {
	inf := math.Inf(-1)
	for _, c := range []struct {
		p    Prior
		x    float64
		want float64
	}{
		{Gamma{1, 3}, 0, math.Log(3)},
		{Gamma{2, 3}, 0, inf},
		{Gamma{0.5, 3}, 0, inf}, // the density is infinite
		{Exponential{3}, 0, math.Log(3)},
		{InvGamma{1, 1}, 0, inf},
		{LogNormal{0, 1}, 0, inf},
		{HalfNormal{1}, 0, math.Log(math.Sqrt(2 / math.Pi))},
		{HalfCauchy{2}, 0, -math.Log(math.Pi)},
		{Beta{1, 2}, 0, math.Log(2)},
		{Beta{1, 2}, 1, inf},
		{Beta{2, 1}, 1, math.Log(2)},
		{Beta{0.5, 0.5}, 0, inf},
		{Beta{0.5, 0.5}, 1, inf},
		{Uniform{-1, 3}, -1, -math.Log(4)},
		{Uniform{-1, 3}, 3, -math.Log(4)},
		{Uniform{-1.5e308, 1.5e308}, 1, -math.Log(1.5e308) - math.Ln2},
		{Flat{}, -1e300, 0},
	} {
		got, slope := c.p.LogDensityGrad(c.x)
		if !(math.Abs(got-c.want) <= 1e-14*max(1, math.Abs(c.want)) || got == c.want) {
			t.Errorf("%v at %v: log density %v, want %v", c.p, c.x, got, c.want)
		}
		if finite(got) && !finite(slope) {
			t.Errorf("%v at %v: derivative %v, want a finite one", c.p, c.x, slope)
		}
	}
}

func TestCheck(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, p := range every() {
		if err := p.Check(); err != nil {
			t.Errorf("%v: %v", p, err)
		}
	}
	for _, c := range []struct {
		p    Prior
		want string
	}{
		{Gamma{}, "priors: gamma(0,0): shape is 0, want a positive number"},
		{Gamma{1, -2}, "priors: gamma(1,-2): rate is -2, want a positive number"},
		{Gamma{1, nan}, "priors: gamma(1,NaN): rate is NaN, want a finite number"},
		{Gamma{1e308, 1e308}, "priors: gamma(1e+308,1e+308): too extreme to be normalised " +
			"in double precision"},
		{InvGamma{inf, 1}, "priors: inv_gamma(+Inf,1): shape is +Inf, want a finite number"},
		{Exponential{}, "priors: exponential(0): rate is 0, want a positive number"},
		{Normal{nan, 1}, "priors: normal(NaN,1): mean is NaN, want a finite number"},
		{Normal{}, "priors: normal(0,0): sd is 0, want a positive number"},
		{HalfNormal{-1}, "priors: half_normal(-1): scale is -1, want a positive number"},
		{LogNormal{0, 0}, "priors: lognormal(0,0): sigma is 0, want a positive number"},
		{StudentT{0, 1, 1}, "priors: student_t(0,1,1): df is 0, want a positive number"},
		{StudentT{1, -inf, 1}, "priors: student_t(1,-Inf,1): location is -Inf, want a finite number"},
		{StudentT{1, 1, 0}, "priors: student_t(1,1,0): scale is 0, want a positive number"},
		{HalfCauchy{}, "priors: half_cauchy(0): scale is 0, want a positive number"},
		{Beta{1, 0}, "priors: beta(1,0): b is 0, want a positive number"},
		{Uniform{1, 1}, "priors: uniform(1,1): lo is 1 and hi is 1, want lo < hi"},
		{Uniform{nan, 1}, "priors: uniform(NaN,1): lo is NaN, want a finite number"},
		{Uniform{0, inf}, "priors: uniform(0,+Inf): hi is +Inf, want a finite number"},
	} {
		if err := c.p.Check(); err == nil || err.Error() != c.want {
			t.Errorf("%v: error %v\nwant %s", c.p, err, c.want)
		}
	}
}

func TestDensityAllocates(t *testing.T) {
	for _, p := range every() {
		if n := testing.AllocsPerRun(100, func() { p.LogDensityGrad(0.5) }); n != 0 {
			t.Errorf("%v: %v allocations for a density, want 0", p, n)
		}
	}
}
