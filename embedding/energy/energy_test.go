package energy

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// drawn returns samples of normal rows, sample a shifted by a times shift.
func drawn(r *rand.Rand, dim int, shift float64, sizes ...int) []mat.Matrix {
	var out []mat.Matrix
	for a, n := range sizes {
		x := mat.NewDense(n, dim, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() + shift*float64(a) }, x)
		out = append(out, x)
	}
	return out
}

// Against the definition, pair by pair of rows.
func TestSquared(t *testing.T) {
	x := drawn(rand.New(rand.NewPCG(1, 1)), 3, 0.7, 5, 9, 2)
	d, err := Between(t.Context(), x, Options{})
	if err != nil {
		t.Fatal(err)
	}
	mean := func(a, b mat.Matrix) float64 {
		n, dim := a.Dims()
		m, _ := b.Dims()
		sum, count := 0.0, 0
		for i := range n {
			for j := range m {
				if a == b && i == j {
					continue
				}
				s := 0.0
				for l := range dim {
					s += math.Pow(a.At(i, l)-b.At(j, l), 2)
				}
				sum += math.Sqrt(s)
				count++
			}
		}
		return sum / float64(count)
	}
	for a := range x {
		for b := range x {
			want := 0.0
			if a != b {
				want = 2*mean(x[a], x[b]) - mean(x[a], x[a]) - mean(x[b], x[b])
			}
			if got := d.Squared.At(a, b); math.Abs(got-want) > 1e-13 {
				t.Errorf("%d and %d: %v, want %v", a, b, got, want)
			}
			if lo, hi := d.Lower.At(a, b), d.Upper.At(a, b); !(0 <= lo && lo <= hi) || a != b && hi == 0 {
				t.Errorf("%d and %d: interval %v to %v", a, b, lo, hi)
			}
		}
	}
}

// Two points at 0 and two at c: U is 2c, and with no spread the interval is that point. Rows that are
// all equal are at distance 0.
func TestPoints(t *testing.T) {
	at := func(v float64) mat.Matrix { return mat.NewDense(2, 1, []float64{v, v}) }
	d, err := Between(t.Context(), []mat.Matrix{at(0), at(8), at(0)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []float64{d.At(0, 1), d.Lower.At(0, 1), d.Upper.At(0, 1)} {
		if math.Abs(v-4) > 1e-6 {
			t.Errorf("points 0 and 8 are %v apart, want 4", v)
		}
	}
	if d.At(0, 2) != 0 || d.Upper.At(0, 2) != 0 {
		t.Errorf("equal points are %v apart, at most %v", d.At(0, 2), d.Upper.At(0, 2))
	}
}

// Distances do not depend on how the rows are moved, and grow like the root of a change of units.
func TestInvariance(t *testing.T) {
	x := drawn(rand.New(rand.NewPCG(2, 1)), 2, 1, 20, 30)
	sin, cos := math.Sincos(1)
	var y []mat.Matrix
	for _, rows := range x {
		var turned mat.Dense
		turned.Mul(rows, mat.NewDense(2, 2, []float64{4 * cos, -4 * sin, 4 * sin, 4 * cos}))
		turned.Apply(func(_, j int, v float64) float64 { return v + 3*float64(j+1) }, &turned)
		y = append(y, &turned)
	}
	a, err := Between(t.Context(), x, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Between(t.Context(), y, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range [][2]float64{{a.At(0, 1), b.At(0, 1)}, {a.Lower.At(0, 1), b.Lower.At(0, 1)},
		{a.Upper.At(0, 1), b.Upper.At(0, 1)}} {
		if math.Abs(v[1]-2*v[0]) > 1e-6 {
			t.Errorf("%v, want twice %v", v[1], v[0])
		}
	}
}

// What h times linear plus quadratic resamples stand for: on a line, where e is N(0, s²), the interval is
// that of the absolute value of a normal mean, h - z s to h + z s, as long as its lower end is far from 0.
func TestIntervalOnALine(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	const times, h, s = 20000, 5.0, 0.5
	linear, quadratic := make([]float64, times), make([]float64, times)
	mean := 0.0
	for i := range times {
		e := s * r.NormFloat64()
		linear[i], quadratic[i] = e*h, e*e
		mean += e * e / times
	}
	for i := range quadratic {
		quadratic[i] -= mean
	}
	lo, hi := interval(h*h-s*s, h, 0.05, linear, quadratic, make([]float64, times))
	if math.Abs(lo-(h-1.645*s)) > 0.03 || math.Abs(hi-(h+1.645*s)) > 0.03 {
		t.Errorf("%v to %v, want %v to %v", lo, hi, h-1.645*s, h+1.645*s)
	}
}

// Quantiles against sorting.
func TestQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for _, n := range []int{2, 3, 10, 101} {
		for _, p := range []float64{0, 0.05, 0.5, 0.77, 1} {
			v := make([]float64, n)
			for i := range v {
				v[i] = float64(r.IntN(20))
			}
			sorted := slices.Clone(v)
			slices.Sort(sorted)
			at := p * float64(n-1)
			i := min(int(at), n-2)
			want := sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
			if got := quantile(v, p); math.Abs(got-want) > 1e-12 {
				t.Errorf("n = %d, p = %v: %v, want %v", n, p, got, want)
			}
		}
	}
}

// The places of pairs and Closer say the same, and are right for samples far apart.
func TestOrder(t *testing.T) {
	d, err := Between(t.Context(), drawn(rand.New(rand.NewPCG(5, 1)), 1, 5, 30, 30, 40), Options{})
	if err != nil {
		t.Fatal(err)
	}
	pairs := d.Pairs()
	last := pairs[2]
	if last.A != 0 || last.B != 2 || last.First != 3 || last.Last != 3 || !d.Closer(0, 1, 2, 0) ||
		d.Closer(0, 2, 0, 1) || d.Closer(0, 1, 1, 0) {
		t.Errorf("%+v", pairs)
	}
	if p := pairs[0]; p.First != 1 || p.Last < 1 || p.Last > 2 {
		t.Errorf("%+v", pairs)
	}
}

// The map keeps the distances of samples that lie on a line in the space of embeddings, and the share is
// that of the squared distances.
func TestMap(t *testing.T) {
	d := &Distances{Rows: []int{2, 2, 2}, Squared: mat.NewSymDense(3, []float64{0, 9, 16, 9, 0, 25, 16, 25, 0})}
	points, share, err := d.Map()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range points {
		for j, q := range points {
			if got, want := math.Hypot(p[0]-q[0], p[1]-q[1]), d.At(i, j); math.Abs(got-want) > 1e-12 {
				t.Errorf("%d and %d are %v apart, want %v", i, j, got, want)
			}
		}
	}
	if math.Abs(share[1]-1) > 1e-12 || !(share[0] < 1) {
		t.Errorf("shares %v", share)
	}
}

// The same numbers whatever the number of goroutines, other resamples for another seed.
func TestSame(t *testing.T) {
	x := drawn(rand.New(rand.NewPCG(6, 1)), 2, 0.3, 20, 30, 25, 40)
	var all [3]*Distances
	for i, o := range []Options{{Seed: 1, Parallel: 1}, {Seed: 1, Parallel: 3}, {Seed: 2}} {
		var err error
		if all[i], err = Between(t.Context(), x, o); err != nil {
			t.Fatal(err)
		}
	}
	if !mat.Equal(all[0].Upper, all[1].Upper) || !slices.Equal(all[0].Pairs(), all[1].Pairs()) {
		t.Error("results depend on the number of goroutines")
	}
	if mat.Equal(all[0].Upper, all[2].Upper) || !mat.Equal(all[0].Squared, all[2].Squared) {
		t.Error("the seed is that of the resamples")
	}
}

// Of many rows a part is used, and many samples are not put in order.
func TestMany(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	d, err := Between(t.Context(), drawn(r, 1, 1, 20000, 30), Options{Resamples: 19})
	if err != nil {
		t.Fatal(err)
	}
	if n := d.Rows[0] + d.Rows[1]; n > MostRows+50 || d.Rows[1] != 30 {
		t.Errorf("rows used are %v", d.Rows)
	}
	sizes := make([]int, mostSamples+1)
	for i := range sizes {
		sizes[i] = 3
	}
	if d, err = Between(t.Context(), drawn(r, 1, 1, sizes...), Options{}); err != nil {
		t.Fatal(err)
	}
	if p := d.Pairs(); d.Judged() || d.Closer(0, 1, 0, 40) || p[0].First != 1 || p[0].Last != len(p) {
		t.Errorf("%+v", p[0])
	}
}

func TestErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	two := drawn(r, 1, 0, 5, 5)
	wrong := drawn(r, 1, 0, 5, 5)
	wrong[1].(*mat.Dense).Set(2, 0, math.NaN())
	for _, c := range []struct {
		ctx  context.Context
		x    []mat.Matrix
		o    Options
		want string
	}{
		{t.Context(), two[:1], Options{}, "found 1 sample, want at least 2"},
		{t.Context(), []mat.Matrix{two[0], mat.NewDense(1, 1, nil)}, Options{}, "sample 2 has 1 row"},
		{t.Context(), []mat.Matrix{two[0], mat.NewDense(3, 2, nil)}, Options{}, "sample 2 has 2 columns, want 1"},
		{t.Context(), wrong, Options{}, "NaN"},
		{t.Context(), two, Options{Level: 1}, "Level is 1"},
		{t.Context(), two, Options{Level: math.NaN()}, "Level is NaN"},
		{t.Context(), two, Options{Resamples: 5}, "Resamples is 5"},
		{ended, two, Options{}, "stopped"},
	} {
		_, err := Between(c.ctx, c.x, c.o)
		if err == nil || !strings.HasPrefix(err.Error(), "energy: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
		if c.ctx == ended && !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
	}
}
