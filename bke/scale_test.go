package bke

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func TestColumnSDs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := randomRows(r, 50, 3)
	for _, unit := range []float64{1, 1e-300, 1e300, -7} {
		rows := make([]float64, 0, 150)
		for i := range 50 {
			for j := range 3 {
				rows = append(rows, unit*x.At(i, j))
			}
		}
		sum := 0.0
		for j, got := range columnSDs(rows, 3) {
			want := math.Abs(unit) * stat.StdDev(mat.Col(nil, j, x), nil)
			if math.Abs(got-want) > 1e-14*want {
				t.Errorf("unit %v, column %d: sd %v, want %v", unit, j, got, want)
			}
			sum += (got / unit) * (got / unit)
		}
		want := math.Abs(unit) * math.Sqrt(sum/3)
		if got := pooledSD(columnSDs(rows, 3)); math.Abs(got-want) > 1e-14*want {
			t.Errorf("unit %v: pooled sd %v, want %v", unit, got, want)
		}
	}
	if sd := columnSDs([]float64{0.1, 0.1, 0.1, 0.1, 0.1}, 1)[0]; sd != 0 {
		t.Errorf("sd of a constant is %v", sd)
	}
}

// From R's quantile(), whose default is type 7, by hand: h = (n-1)p counts from 0.
func TestQuantile(t *testing.T) {
	v := []float64{1, 2, 4, 8}
	for _, c := range []struct {
		num, den int
		want     float64
	}{
		{0, 1, 1}, {1, 1, 8}, {1, 2, 3}, {1, 3, 2}, {1, 4, 1.75}, {9, 10, 6.8}, {1, 6, 1.5},
	} {
		if got := quantile(v, c.num, c.den); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("quantile %d/%d = %v, want %v", c.num, c.den, got, c.want)
		}
	}
	if got := quantile([]float64{-math.MaxFloat64, math.MaxFloat64}, 1, 2); got != 0 {
		t.Errorf("quantile of extremes is %v", got)
	}
	if got := quantile([]float64{0.1, 0.1, 0.1}, 1, 3); got != 0.1 {
		t.Errorf("quantile of ties is %v", got)
	}
}

// The levels (i-1/2)/n of a distribution function F stand for its sample.
func plotted(n int, quantile func(p float64) float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = quantile((float64(i) + 0.5) / float64(n))
	}
	return v
}

func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

func TestRobustSD(t *testing.T) {
	normal := plotted(2000, func(p float64) float64 { return 5 + 3*normalQuantile(p) })
	if got := robustSD(normal); math.Abs(got-3) > 0.01 {
		t.Errorf("normal: %v, want 3", got)
	}
	if got := robustSD([]float64{2, 2, 2}); got != 0 {
		t.Errorf("constant: %v, want 0", got)
	}
	tied := append(make([]float64, 80), slices.Repeat([]float64{1}, 20)...)
	if got, want := robustSD(tied), 1/3.2897072539; math.Abs(got-want) > 1e-9 {
		t.Errorf("four zeros in five: %v, want %v", got, want)
	}
}

func TestTailRatio(t *testing.T) {
	for name, c := range map[string]struct {
		heavy    bool
		quantile func(p float64) float64
	}{
		"normal":  {false, normalQuantile},
		"uniform": {false, func(p float64) float64 { return p }},
		"Laplace": {false, func(p float64) float64 {
			return math.Copysign(math.Log(1-math.Abs(2*p-1)), p-0.5)
		}},
		"Cauchy": {true, func(p float64) float64 { return math.Tan(math.Pi * (p - 0.5)) }},
		"two points, nine in ten equal": {false, func(p float64) float64 {
			return math.Round(p - 0.4)
		}},
		"one wild row in 500": {true, func(p float64) float64 {
			if p > 0.998 {
				return 1000
			}
			return normalQuantile(p)
		}},
	} {
		v := plotted(500, c.quantile)
		if ratio, _ := tailRatio(v, 1); (ratio > 3) != c.heavy {
			t.Errorf("%s: ratio %v", name, ratio)
		}
		// Beside a normal column it is the one that is named.
		both := make([]float64, 0, 1000)
		for i, n := range plotted(500, normalQuantile) {
			both = append(both, 1e6*n, v[i])
		}
		if ratio, column := tailRatio(both, 2); c.heavy && (ratio <= 3 || column != 1) {
			t.Errorf("%s: ratio %v in column %d", name, ratio, column)
		}
	}
	if ratio, _ := tailRatio([]float64{4, 4, 4}, 1); ratio != 0 {
		t.Errorf("constant: ratio %v", ratio)
	}
}

func TestStandardise(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := randomRows(r, 40, 3)
	for i := range 40 {
		x.Set(i, 0, 1e8*x.At(i, 0))
		x.Set(i, 1, 273.15)
	}
	y, s, err := Standardise(x)
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{1, 0, 1} {
		if got := stat.StdDev(mat.Col(nil, j, y), nil); math.Abs(got-want) > 1e-14 {
			t.Errorf("column %d has sd %v, want %v", j, got, want)
		}
	}
	if s.SD[1] != 1 {
		t.Errorf("a constant column is divided by %v, want 1", s.SD[1])
	}
	if got := s.Theta([]float64{2}); got[0] != 2*s.SD[0] || got[1] != 2 || got[2] != 2*s.SD[2] {
		t.Errorf("theta = 2 becomes %v with sds %v", got, s.SD)
	}
	if got := s.Theta([]float64{2, 3, 4}); got[0] != 2*s.SD[0] || got[2] != 4*s.SD[2] {
		t.Errorf("theta = 2, 3, 4 becomes %v with sds %v", got, s.SD)
	}
	z, err := s.Apply(mat.NewDense(1, 3, []float64{s.SD[0], 5, -s.SD[2]}))
	if err != nil || z.At(0, 0) != 1 || z.At(0, 1) != 5 || z.At(0, 2) != -1 {
		t.Errorf("pseudo-input becomes %v, %v", z, err)
	}
	_, err = s.Apply(mat.NewDense(1, 2, nil))
	wantError(t, err, "2 columns to be standardised, want 3")
	_, _, err = Standardise(mat.NewDense(1, 2, nil))
	wantError(t, err, "x has 1 row")
	_, _, err = Standardise(mat.NewDense(2, 1, []float64{0, math.NaN()}))
	wantError(t, err, "NaN in row 2, column 1")
}

// The log pseudolikelihood in the units of the data at the lengthscales Scaling.Theta is what
// Scaling.LogPseudolikelihood makes of the standardised one: two evaluations of the model, one with
// a lengthscale for all columns and one with a lengthscale for each.
func TestStandardisedLogPseudolikelihood(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x, z := randomRows(r, 30, 3), randomRows(r, 8, 3)
	for j, unit := range []float64{1e-3, 40, 5000} {
		for i := range 30 {
			x.Set(i, j, unit*x.At(i, j))
		}
		for i := range 8 {
			z.Set(i, j, unit*z.At(i, j))
		}
	}
	xs, s, err := Standardise(x)
	if err != nil {
		t.Fatal(err)
	}
	zs, err := s.Apply(z)
	if err != nil {
		t.Fatal(err)
	}
	value := func(x, z mat.Matrix, ard bool, theta []float64) float64 {
		m, err := NewModel(x, z, Options{ARD: ard, Weight: 0.3})
		if err != nil {
			t.Fatal(err)
		}
		g, j := m.Evaluator().Value(Params{Theta: theta, Tau2: 0.05})
		return 0.3*g + j
	}
	got := s.LogPseudolikelihood(value(xs, zs, false, []float64{1.3}), 30)
	want := value(x, z, true, s.Theta([]float64{1.3}))
	if math.Abs(got-want) > 1e-10*math.Abs(want) {
		t.Errorf("%v from standardised rows, %v from the rows themselves", got, want)
	}
}
