package sequential

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/long"
)

func normals(r *rand.Rand, n, dim int, shift float64) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, dim)
		for j := range out[i] {
			out[i][j] = shift + r.NormFloat64()
		}
	}
	return out
}

// Capital is a martingale: its mean over all ways to exchange the rows of pairs is 1.
func TestCapitalIsAMartingale(t *testing.T) {
	const pairs = 11 // of which the first five fix the features
	r := rand.New(rand.NewPCG(1, 1))
	x, y := normals(r, pairs, 2, 0), normals(r, pairs, 2, 1)
	sum := 0.0
	const later = pairs - warmUp/2
	for code := range 1 << later {
		one, err := NewTwoSample(Options{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		for i := range pairs {
			a, b := x[i], y[i]
			if i >= warmUp/2 && code>>(i-warmUp/2)&1 == 1 {
				a, b = b, a
			}
			if _, err := one.Add([][]float64{a}, [][]float64{b}); err != nil {
				t.Fatal(err)
			}
		}
		sum += one.State().Capital
	}
	if mean := sum / (1 << later); math.Abs(mean-1) > 1e-12 {
		t.Errorf("mean capital is %v, want 1", mean)
	}
}

// The same for two variables: y and v of two pairs change places.
func TestCapitalOfPairsIsAMartingale(t *testing.T) {
	const bets = 6
	r := rand.New(rand.NewPCG(2, 1))
	x := normals(r, warmUp+2*bets, 1, 0)
	y := make([][]float64, len(x))
	for i := range y {
		y[i] = []float64{x[i][0]*x[i][0] + r.NormFloat64()}
	}
	sum := 0.0
	for code := range 1 << bets {
		one, err := NewIndependence(Options{})
		if err != nil {
			t.Fatal(err)
		}
		other := append([][]float64{}, y...)
		for i := range bets {
			if at := warmUp + 2*i; code>>i&1 == 1 {
				other[at], other[at+1] = y[at+1], y[at]
			}
		}
		s, err := one.Add(x, other)
		if err != nil {
			t.Fatal(err)
		}
		sum += s.Capital
	}
	if mean := sum / (1 << bets); math.Abs(mean-1) > 1e-12 {
		t.Errorf("mean capital is %v, want 1", mean)
	}
}

func TestBatchesDoNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	x, y := normals(r, 60, 1, 0), normals(r, 60, 1, 0.8)
	whole, _ := NewTwoSample(Options{})
	parts, _ := NewTwoSample(Options{})
	a, err := whole.Add(x, y)
	if err != nil {
		t.Fatal(err)
	}
	var b State
	for i := 0; i < 60; i += 7 {
		if b, err = parts.Add(x[i:min(60, i+7)], nil); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < 60; i += 11 {
		if b, err = parts.Add(nil, y[i:min(60, i+11)]); err != nil {
			t.Fatal(err)
		}
	}
	if a != b {
		t.Errorf("%+v in parts, want %+v", b, a)
	}
}

func TestWrongRows(t *testing.T) {
	one, _ := NewTwoSample(Options{})
	if _, err := one.Add([][]float64{{1, 2}}, [][]float64{{1}}); err == nil {
		t.Error("rows of different widths are taken")
	}
	if _, err := one.Add([][]float64{{1, math.NaN()}}, nil); err == nil {
		t.Error("NaN is taken")
	}
	if _, err := NewTwoSample(Options{Alpha: 2}); err == nil {
		t.Error("level 2 is taken")
	}
	two, _ := NewIndependence(Options{})
	if _, err := two.Add([][]float64{{1}}, nil); err == nil {
		t.Error("a row of x alone is taken")
	}
}

// Level under continuous peeking, and power. Over 1000 runs of 1000 steps 72 rejections or more have probability below
// 0.001 at a level of 0.05.
func TestLevelAndPower(t *testing.T) {
	long.Skip(t)
	rejections, power := 0, 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 5))
		null, _ := NewTwoSample(Options{Seed: seed})
		if s, err := null.Add(normals(r, 1000, 1, 0), normals(r, 1000, 1, 0)); err != nil {
			t.Fatal(err)
		} else if s.Reject {
			rejections++
		}
		if seed >= 100 {
			continue
		}
		shifted, _ := NewTwoSample(Options{Seed: seed})
		if s, _ := shifted.Add(normals(r, 300, 1, 0), normals(r, 300, 1, 0.3)); s.Reject {
			power++
		}
	}
	t.Logf("%d of 1000 rejected under the null hypothesis, %d of 100 under a shift of 0.3", rejections, power)
	if rejections >= 72 {
		t.Errorf("%d of 1000 true null hypotheses are rejected", rejections)
	}
}

func ExampleTwoSample() {
	r := rand.New(rand.NewPCG(1, 2))
	t, _ := NewTwoSample(Options{})
	for batch := 1; ; batch++ {
		s, _ := t.Add(normals(r, 20, 1, 0), normals(r, 20, 1, 1))
		if s.Reject {
			fmt.Println("the samples differ")
			return
		}
		if batch == 20 {
			fmt.Println("undecided")
			return
		}
	}
	// Output: the samples differ
}
