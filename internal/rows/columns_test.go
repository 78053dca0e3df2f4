package rows

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// randomRows returns n rows of independent normal numbers.
func randomRows(r *rand.Rand, n, dim int) *mat.Dense {
	x := mat.NewDense(n, dim, nil)
	for i := range n {
		for j := range dim {
			x.Set(i, j, r.NormFloat64())
		}
	}
	return x
}

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
		for j, got := range SDs(rows, 3) {
			want := math.Abs(unit) * stat.StdDev(mat.Col(nil, j, x), nil)
			if math.Abs(got-want) > 1e-14*want {
				t.Errorf("unit %v, column %d: sd %v, want %v", unit, j, got, want)
			}
			sum += (got / unit) * (got / unit)
		}
		want := math.Abs(unit) * math.Sqrt(sum/3)
		if got := PooledSD(SDs(rows, 3)); math.Abs(got-want) > 1e-14*want {
			t.Errorf("unit %v: pooled sd %v, want %v", unit, got, want)
		}
	}
	if sd := SDs([]float64{0.1, 0.1, 0.1, 0.1, 0.1}, 1)[0]; sd != 0 {
		t.Errorf("sd of a constant is %v", sd)
	}
}

// From R's Quantile(), whose default is type 7, by hand: h = (n-1)p counts from 0.
func TestQuantile(t *testing.T) {
	v := []float64{1, 2, 4, 8}
	for _, c := range []struct {
		num, den int
		want     float64
	}{
		{0, 1, 1}, {1, 1, 8}, {1, 2, 3}, {1, 3, 2}, {1, 4, 1.75}, {9, 10, 6.8}, {1, 6, 1.5},
	} {
		if got := Quantile(v, c.num, c.den); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("quantile %d/%d = %v, want %v", c.num, c.den, got, c.want)
		}
	}
	if got := Quantile([]float64{-math.MaxFloat64, math.MaxFloat64}, 1, 2); got != 0 {
		t.Errorf("quantile of extremes is %v", got)
	}
	if got := Quantile([]float64{0.1, 0.1, 0.1}, 1, 3); got != 0.1 {
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
	if got := RobustSD(normal); math.Abs(got-3) > 0.01 {
		t.Errorf("normal: %v, want 3", got)
	}
	if got := RobustSD([]float64{2, 2, 2}); got != 0 {
		t.Errorf("constant: %v, want 0", got)
	}
	tied := append(make([]float64, 80), slices.Repeat([]float64{1}, 20)...)
	if got, want := RobustSD(tied), 1/3.2897072539; math.Abs(got-want) > 1e-9 {
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
		"indicator of a category of one row in 500": {false, func(p float64) float64 {
			return math.Round(p - 0.4985)
		}},
		"one wild row in 500": {true, func(p float64) float64 {
			if p > 0.998 {
				return 1000
			}
			return normalQuantile(p)
		}},
	} {
		v := plotted(500, c.quantile)
		if ratio, _ := TailRatio(v, 1); (ratio > 3) != c.heavy {
			t.Errorf("%s: ratio %v", name, ratio)
		}
		// Beside a normal column it is the one that is named.
		both := make([]float64, 0, 1000)
		for i, n := range plotted(500, normalQuantile) {
			both = append(both, 1e6*n, v[i])
		}
		if ratio, column := TailRatio(both, 2); c.heavy && (ratio <= 3 || column != 1) {
			t.Errorf("%s: ratio %v in column %d", name, ratio, column)
		}
	}
	if ratio, _ := TailRatio([]float64{4, 4, 4}, 1); ratio != 0 {
		t.Errorf("constant: ratio %v", ratio)
	}
}

func TestColumns(t *testing.T) {
	for want, js := range map[string][]int{
		"column 3": {2}, "columns 1 and 2": {0, 1}, "columns 1, 4 and 5": {0, 3, 4},
	} {
		if got := columns(js); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The sum of these numbers is exact in integers.
func TestMeanOfManyRows(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	rows, sum := make([]float64, 300000), 0
	for i := range rows {
		k := r.IntN(1 << 20)
		rows[i] = float64(k) / (1 << 20)
		sum += k
	}
	want := float64(sum) / (1 << 20) / float64(len(rows))
	if got := meanOf(rows, 1, 0, 0); math.Abs(got-want) > 0x1p-53 {
		t.Errorf("mean %v, want %v", got, want)
	}
}

func TestDiameter(t *testing.T) {
	if got := Diameter([]float64{1, 5, -2, 7, 0, 9}, 2); got != 5 { // columns from -2 to 1 and from 5 to 9
		t.Errorf("diameter %v, want 5", got)
	}
}
