package priors

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestQuantileReference(t *testing.T) {
	var rows []struct {
		Prior  string
		Params []float64
		P, X   number
	}
	load(t, "quantiles.json", &rows)
	worst := make(map[string]float64)
	for _, r := range rows {
		p, want := named(t, r.Prior, r.Params), float64(r.X)
		got := p.Quantile(float64(r.P))
		// gonum's incomplete gamma and beta functions are good to about 1e-13; an error of theirs
		// is multiplied by probability over density, which is x/shape for a small shape.
		tol := 2e-13
		switch p.(type) {
		case Beta, Gamma, InvGamma:
			tol /= min(1, r.Params[0])
		}
		d := math.Abs(got - want)
		if l, ok := p.(StudentT); ok {
			want -= l.Location
		}
		if n, ok := p.(Normal); ok {
			want -= n.Mean
		}
		if !(d <= tol*math.Abs(want)+1e-15) {
			t.Errorf("%v: quantile %v at %v, want %v (off by %.2g)",
				p, got, r.P, r.X, d/math.Abs(want))
		}
		if want != 0 {
			worst[r.Prior] = max(worst[r.Prior], d/math.Abs(want))
		}
	}
	t.Logf("worst relative errors: %v", worst)
}

func TestQuantileClosedForms(t *testing.T) {
	for _, p := range []float64{1e-200, 1e-9, 0.03, 0.25, 0.5, 0.6, 0.8, 0.99, 1 - 1e-9} {
		for _, c := range []struct {
			prior Prior
			want  float64
		}{
			{Gamma{1, 4}, -math.Log1p(-p) / 4},
			{InvGamma{1, 3}, -3 / math.Log(p)},
			{Beta{3, 1}, math.Pow(p, 1.0/3)},
			{Beta{1, 1e5}, -math.Expm1(math.Log1p(-p) / 1e5)},
			{Beta{0.5, 0.5}, math.Pow(math.Sin(p*math.Pi/2), 2)},
			{StudentT{1, 2, 3}, 2 - 3/math.Tan(p*math.Pi)},
			{StudentT{2, 0, 1}, (2*p - 1) / math.Sqrt(2*p*(1-p))},
			{HalfCauchy{2}, 2 * math.Tan(p*math.Pi/2)},
			{Uniform{-1, 7}, -1 + 8*p},
		} {
			if !finite(c.want) || p == 1e-200 && c.want < 1e-250 {
				continue
			}
			got, size := c.prior.Quantile(p), math.Abs(c.want)
			tol := 1e-12 * size
			switch d := c.prior.(type) {
			case Beta:
				// The closed forms lose the upper tail. mathext.RegIncBeta loses what log B(A, B)
				// cancels: three log gammas of up to n log n, each right to a unit or two.
				n := d.A + d.B
				tol = max(tol, 1e-15/(1-p)*size, 3e-16*n*math.Log(n)*size)
			case HalfCauchy, StudentT:
				tol = max(tol, 1e-15/(1-p)*size, 1e-15) // the latter at the centre
			case Uniform:
				tol = 1e-15
			}
			if d := math.Abs(got - c.want); !(d <= tol) {
				t.Errorf("%v: quantile %v at %v, want %v", c.prior, got, p, c.want)
			}
		}
	}
}

// The distribution functions of gonum, composed with our quantiles, must be the identity.
func TestQuantileInvertsCDF(t *testing.T) {
	for _, c := range []struct {
		prior Prior
		cdf   func(float64) float64
	}{
		{Gamma{0.3, 2}, distuv.Gamma{Alpha: 0.3, Beta: 2}.CDF},
		{Gamma{200, 0.1}, distuv.Gamma{Alpha: 200, Beta: 0.1}.CDF},
		{InvGamma{3, 2}, distuv.InverseGamma{Alpha: 3, Beta: 2}.CDF},
		{Exponential{3}, distuv.Exponential{Rate: 3}.CDF},
		{Normal{1, 3}, distuv.Normal{Mu: 1, Sigma: 3}.CDF},
		{LogNormal{1, 3}, distuv.LogNormal{Mu: 1, Sigma: 3}.CDF},
		{StudentT{4, 1, 2}, distuv.StudentsT{Nu: 4, Mu: 1, Sigma: 2}.CDF},
		{Beta{2, 0.7}, distuv.Beta{Alpha: 2, Beta: 0.7}.CDF},
		{Uniform{-1, 7}, distuv.Uniform{Min: -1, Max: 7}.CDF},
	} {
		for i := 1; i < 200; i++ {
			p := float64(i) / 200
			if got := c.cdf(c.prior.Quantile(p)); math.Abs(got-p) > 1e-12 {
				t.Errorf("%v: CDF of the quantile of %v is %v", c.prior, p, got)
			}
		}
	}
}

// Beside the median the tail form of Student's quantile has no digits left. For one degree of
// freedom the quantile is tan(pi (p - 1/2)), for four the density at 0 is 3/8.
func TestStudentCentre(t *testing.T) {
	for _, d := range []float64{1e-3, 1e-7, 0x1p-50} {
		for _, c := range []struct{ df, want float64 }{{1, math.Tan(math.Pi * d)}, {4, d / 0.375}} {
			if c.df == 4 && d > 1e-6 {
				continue // the density is not constant
			}
			p := 0.5 + d
			want := c.want * ((p - 0.5) / d) // d as rounded
			got := StudentT{c.df, 0, 1}.Quantile(p)
			if math.Abs(got-want) > 1e-11*want || (StudentT{c.df, 0, 1}).Quantile(1-p) != -got {
				t.Errorf("df %v: quantile %v at 1/2 + %v, want %v", c.df, got, d, want)
			}
		}
	}
}

func TestQuantileEnds(t *testing.T) {
	for _, p := range every() {
		if p == (Flat{}) {
			continue
		}
		lo, hi := p.Support()
		if got := p.Quantile(0); got != lo {
			t.Errorf("%v: quantile %v at 0, want %v", p, got, lo)
		}
		if got := p.Quantile(1); got != hi {
			t.Errorf("%v: quantile %v at 1, want %v", p, got, hi)
		}
		for _, bad := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1), math.Inf(-1)} {
			if got := p.Quantile(bad); !math.IsNaN(got) {
				t.Errorf("%v: quantile %v at %v, want NaN", p, got, bad)
			}
		}
		last := lo
		for i := range 301 {
			q := p.Quantile(float64(i) / 300)
			if q < last {
				t.Errorf("%v: quantiles fall from %v to %v at %v", p, last, q, float64(i)/300)
			}
			last = q
		}
	}
	if q := (Uniform{-1.7e308, 1.7e308}).Quantile(0.5); q != 0 {
		t.Errorf("uniform: median %v where hi-lo overflows, want 0", q)
	}
	if q := (Flat{}).Quantile(0.5); !math.IsNaN(q) {
		t.Errorf("flat: median %v, want NaN", q)
	}
}
