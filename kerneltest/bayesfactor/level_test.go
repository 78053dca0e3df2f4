package bayesfactor

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/internal/long"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// nulls are laws for both samples.
var nulls = []struct {
	name string
	draw func(r *rand.Rand) float64
}{
	{"normal", func(r *rand.Rand) float64 { return r.NormFloat64() }},
	{"t3", func(r *rand.Rand) float64 {
		z, c := r.NormFloat64(), 0.0
		for range 3 {
			v := r.NormFloat64()
			c += v * v
		}
		return z / math.Sqrt(c/3)
	}},
	{"Poisson", func(r *rand.Rand) float64 { // of mean 3
		n, p := 0.0, r.Float64()
		for p > math.Exp(-3) {
			n++
			p *= r.Float64()
		}
		return n
	}},
}

func null(draw func(*rand.Rand) float64, seed uint64, m, n, dim int) (x, y *mat.Dense) {
	r := rand.New(rand.NewPCG(seed, 99))
	make := func(n int) *mat.Dense {
		out := mat.NewDense(n, dim, nil)
		out.Apply(func(_, _ int, _ float64) float64 { return draw(r) }, out)
		return out
	}
	return make(m), make(n)
}

// Under the null hypothesis the p-value of 99 permutations is uniform on 0.01, ..., 1, but for
// ties, which make it larger. The interval for the number of rejections fails once in a
// hundred reseeds for each law and for each of the two kinds of rows.
func TestLevelOfThePermutations(t *testing.T) {
	reps := 10
	if long.Enabled() {
		reps = long.Of(200, 2000)
	}
	for _, law := range nulls {
		for _, paired := range []bool{false, true} {
			test, n := Density, 13
			if paired {
				test, n = Paired, 20
			}
			rejected := 0
			for rep := range reps {
				x, y := null(law.draw, uint64(rep), 20, n, 1)
				r, err := test(context.Background(), x, y, Options{Permutations: 99, Nodes: 17,
					Seed: uint64(rep)})
				if err != nil {
					t.Fatal(err)
				}
				if r.P <= 0.05+1e-12 {
					rejected++
				}
			}
			b := distuv.Binomial{N: float64(reps), P: 0.05}
			low, high := b.CDF(float64(rejected)), 1-b.CDF(float64(rejected-1))
			t.Logf("%s, paired %v: %d of %d", law.name, paired, rejected, reps)
			if low < 0.005 || high < 0.005 {
				t.Errorf("%s, paired %v: %d of %d reject at level 0.05", law.name, paired, rejected,
					reps)
			}
		}
	}
}

// The p-values of samples of one law are uniform (Kolmogorov and Smirnov's test at 0.001), and
// Bayes factors above 9 and 3 are rare: at most 1% and 4% of the data sets, which is seen in all
// of 3 laws, of one and of two columns, together.
func TestNullBayesFactors(t *testing.T) {
	reps := 5
	if long.Enabled() {
		reps = long.Of(60, 170)
	}
	var p []float64
	above9, above3, all := 0, 0, 0
	for _, law := range nulls {
		for dim := 1; dim <= 2; dim++ {
			for rep := range reps {
				x, y := null(law.draw, uint64(1000*dim+rep), 50, 50, dim)
				r, err := Density(context.Background(), x, y, Options{Permutations: 199, Nodes: 17,
					Seed: uint64(rep)})
				if err != nil {
					t.Fatal(err)
				}
				all++
				if r.LogBF > math.Log(9) {
					above9++
				}
				if r.LogBF > math.Log(3) {
					above3++
				}
				p = append(p, r.P)
			}
		}
	}
	t.Logf("%d above 9 and %d above 3 of %d", above9, above3, all)
	slack := 0 // 1000 data sets for shares, fewer for a look
	if all < 1000 {
		slack = 2
	}
	if above9 > all/100+slack || above3 > all/25+slack {
		t.Errorf("Bayes factors above 9: %d, above 3: %d of %d", above9, above3, all)
	}
	slices.Sort(p)
	distance := 0.0
	for i, v := range p {
		n := float64(len(p))
		distance = max(distance, math.Abs(v-float64(i)/n), math.Abs(v-float64(i+1)/n))
	}
	if bound := 1.95/math.Sqrt(float64(len(p))) + 1.0/200; distance > bound {
		t.Errorf("p-values are %.3f off the uniform law, want at most %.3f", distance, bound)
	}
}

// The observed Bayes factor by the coarse rule is that by the fine one, about.
func TestPermutationRule(t *testing.T) {
	x, y := normals(30, 60, 1, 0.5), normals(31, 40, 1, 0)
	r := density(t, x, y, Options{Permutations: 19})
	near(t, "observed", r.Observed, r.LogBF, 0.05)
	// Each permutation is a Bayes factor of exchanged rows: that of blocks of one row is the data.
	blocks := make([]int, 100)
	for i := range blocks {
		blocks[i] = i % 40
	}
	if r := density(t, x, y, Options{Permutations: 19, Blocks: blocks}); len(r.Draws) != 19 {
		t.Errorf("there are %d draws, want 19", len(r.Draws))
	}
}

// A fine wave and a shift at level 0.05, with the default options and 999 permutations: 308 of 400 and
// 53 of 100 data sets were rejected. The limits are three standard errors below these shares.
func TestPowerOfThePermutations(t *testing.T) {
	long.Skip(t)
	sets := long.Of(100, 400)
	wave := func(r *rand.Rand) float64 { // density 1 + sin(6 pi x)/2
		for {
			x := r.Float64()
			if r.Float64()*1.5 < 1+0.5*math.Sin(6*math.Pi*x) {
				return x
			}
		}
	}
	rejected, shifted := 0, 0
	for set := range sets {
		r := rand.New(rand.NewPCG(uint64(set), 77))
		x, y := mat.NewDense(300, 1, nil), mat.NewDense(300, 1, nil)
		for i := range 300 {
			x.Set(i, 0, wave(r))
			y.Set(i, 0, r.Float64())
		}
		if density(t, x, y, Options{Permutations: 999, Seed: uint64(set)}).P <= 0.05 {
			rejected++
		}
		if set >= 100 {
			continue
		}
		x, y = normals(uint64(2*set), 50, 1, 0.5), normals(uint64(2*set+1), 50, 1, 0)
		if density(t, x, y, Options{Permutations: 999, Seed: uint64(set)}).P <= 0.05 {
			shifted++
		}
	}
	t.Logf("wave %d of %d, shift %d of 100", rejected, sets, shifted)
	n := float64(sets)
	least := int(0.77*n - 3*math.Sqrt(n*0.77*0.23))
	if rejected < least || shifted < 38 {
		t.Errorf("power is %d of %d and %d of 100, want %d and 38", rejected, sets, shifted, least)
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		bf   float64
		want string
	}{
		{1, "hardly worth a mention, for a difference"}, {1 / 2.9, "hardly worth a mention, for sameness"},
		{19, "positive, for a difference"}, {1.0 / 21, "strong, for sameness"},
		{149, "strong, for a difference"}, {151, "very strong, for a difference"},
	} {
		if got := Words(math.Log(c.bf)); got != c.want {
			t.Errorf("words of %v are %q, want %q", c.bf, got, c.want)
		}
	}
}
