package ica

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/long"

	"gonum.org/v1/gonum/mat"
)

// laws are sources that are not normal.
var laws = []func(r *rand.Rand) float64{
	func(r *rand.Rand) float64 { return r.Float64() },
	func(r *rand.Rand) float64 { return r.ExpFloat64() },
	func(r *rand.Rand) float64 { return r.ExpFloat64() - r.ExpFloat64() },
	func(r *rand.Rand) float64 { // Student-t, 5 degrees of freedom
		s := 0.0
		for range 5 {
			z := r.NormFloat64()
			s += z * z
		}
		return r.NormFloat64() / math.Sqrt(s/5)
	},
	func(r *rand.Rand) float64 { return math.Sin(2 * math.Pi * r.Float64()) },
	func(r *rand.Rand) float64 { return math.Pow(r.NormFloat64(), 3) },
	func(r *rand.Rand) float64 { return 2*float64(r.IntN(2)) + .5*r.NormFloat64() },
}

// mixture draws m sources in the order of the laws, from one of them on, and mixes them. The last
// normals sources are normal.
func mixture(seed uint64, n, m, normals int) (x, a *mat.Dense) {
	r := rand.New(rand.NewPCG(seed, 77))
	s := mat.NewDense(n, m, nil)
	from := r.IntN(len(laws))
	for j := range m {
		for i := range n {
			if j >= m-normals {
				s.Set(i, j, r.NormFloat64())
				continue
			}
			s.Set(i, j, laws[(from+j)%len(laws)](r))
		}
	}
	a = mat.NewDense(m, m, nil)
	a.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, a)
	x = new(mat.Dense)
	x.Mul(s, a.T())
	return x, a
}

// Mixtures of 2 to 12 sources, beside the best of the fixed points of three contrasts, each from the
// start that suits it: the distances are below .1, and not half as large again on average.
func TestMixtures(t *testing.T) {
	columns, seeds := []int{2, 5}, 2
	if long.Enabled() {
		columns, seeds = []int{2, 3, 5, 8, 12}, long.Of(3, 8)
	}
	ours, theirs := 0.0, 0.0
	for _, m := range columns {
		for seed := range uint64(seeds) {
			n := 1000 + int(seed%3)*500
			x, a := mixture(1000*uint64(m)+seed, n, m, 0)
			got, err := Find(t.Context(), x, Options{Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			d := amari(got.Unmixing, a)
			data := mat.DenseCopyOf(x).RawMatrix().Data
			_, whitening, err := whiten(data, n, m)
			if err != nil {
				t.Fatal(err)
			}
			least := math.Inf(1)
			r := rand.New(rand.NewPCG(seed, 5))
			for _, g := range contrasts {
				q, err := fixedPoint(t.Context(), data, m, rotation(m, r), g)
				if err != nil {
					t.Fatal(err)
				}
				var w mat.Dense
				w.Mul(q, whitening)
				least = math.Min(least, amari(&w, a))
			}
			t.Logf("%d columns, %d rows: %.3f, fixed point %.3f, %d steps, minima %.3g %v", m, n, d, least, got.Steps, got.Minima, got.Warnings)
			if d > 0.1 {
				t.Errorf("%d columns, seed %d: distance %.3f", m, seed, d)
			}
			ours, theirs = ours+d, theirs+least
		}
	}
	if ours > 1.5*theirs {
		t.Errorf("the distances add up to %.3f, those of the best fixed point to %.3f", ours, theirs)
	}
}

// Two normal sources are told; without them nothing is, but for one mixture in twenty at most. Of 20
// mixtures a right program misses 3 or more in 8% of seeds at the bars' rates, and these seeds are fixed.
func TestNormalSources(t *testing.T) {
	sets := 2
	if long.Enabled() {
		sets = long.Of(12, 40)
	}
	missed, false_ := 0, 0
	for seed := range uint64(sets) {
		m := 3 + int(seed%4)
		for _, normals := range []int{0, 2} {
			x, _ := mixture(9000+seed, 1000, m, normals)
			got, err := Find(t.Context(), x, Options{Seed: seed, Starts: 3})
			if err != nil {
				t.Fatal(err)
			}
			if normals == 2 && len(got.Warnings) == 0 {
				missed++
			}
			if normals == 0 && len(got.Warnings) > 0 {
				t.Log(got.Warnings)
				false_++
			}
		}
	}
	t.Logf("of %d: %d missed, %d false", sets, missed, false_)
	if missed > sets/20+1 || false_ > sets/20+1 {
		t.Errorf("of %d mixtures each, %d of two normal sources are not told and %d of none are", sets, missed, false_)
	}
}

func BenchmarkFind8(b *testing.B) {
	x, _ := mixture(1, 2000, 8, 0)
	for b.Loop() {
		if _, err := Find(b.Context(), x, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
