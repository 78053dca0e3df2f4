package summary

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/bke/inputs"

	"gonum.org/v1/gonum/mat"
)

// quickPlan is for tests of samples: quantiles of one column, and no fit.
func quickPlan(t testing.TB, x []float64, m int, theta float64) *Plan {
	t.Helper()
	sorted := slices.Sorted(slices.Values(x))
	z := mat.NewDense(m, 1, nil)
	for l := range m {
		z.Set(l, 0, sorted[(2*l+1)*len(sorted)/(2*m)])
	}
	p := planFor(t, x, 1, PlanOptions{Inputs: inputs.Options{Points: z}, Thetas: []float64{theta}})
	p.Windows[0].Nodes = p.Windows[0].Nodes[:4] // the likelihood is not looked at
	p.Lattice = nil
	return p
}

func normals(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}

// Of samples of one distribution the test rejects as often as its level says, within 3 standard errors:
// a share of false alarms of 0.003, for each of two levels. 2000 pairs with BAYESKERNEL_LONG, else 40.
func TestTwoSampleLevel(t *testing.T) {
	runs := 40
	if long() {
		runs = 2000
	}
	rejected := map[float64]int{0.05: 0, 0.2: 0}
	for i := range runs {
		r := rand.New(rand.NewPCG(21, uint64(i)))
		x, y := normals(r, 4096), normals(r, 6144)
		p := quickPlan(t, append(slices.Clone(x), y...), 10, 0.3)
		s := summarise(t, p, "P", x, 4096)
		addChunks(t, s, "Q", y, 3072)
		res, err := s.TwoSample("P", "Q", TestOptions{Permutations: 199, Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		for alpha := range rejected {
			if res.P <= alpha {
				rejected[alpha]++
			}
		}
	}
	for alpha, k := range rejected {
		share, se := float64(k)/float64(runs), math.Sqrt(alpha*(1-alpha)/float64(runs))
		t.Logf("level %v: %.4f of %d, standard error %.4f", alpha, share, runs, se)
		if math.Abs(share-alpha) > 3*se {
			t.Errorf("level %v: rejected in %.4f of %d runs, %.1f standard errors off", alpha, share, runs,
				(share-alpha)/se)
		}
	}
}

// A contamination that 1e5 rows show is found, and the same seed gives the same p-value.
func TestTwoSamplePower(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 1))
	x, y := normals(r, 100000), normals(r, 100000)
	for i := range y {
		if i%8 == 0 { // Laplace of variance 1
			y[i] = math.Log(1-r.Float64()) / math.Sqrt2
			if r.IntN(2) == 0 {
				y[i] = -y[i]
			}
		}
	}
	p := quickPlan(t, append(slices.Clone(x), y...), 20, 0.3)
	s := summarise(t, p, "P", x, 50000)
	addChunks(t, s, "Q", y, 50000)
	a, err := s.TwoSample("P", "Q", TestOptions{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := s.TwoSample("P", "Q", TestOptions{Seed: 3})
	if !a.Reject || a.P != b.P || a.RowsX != 100000 {
		t.Errorf("p = %v and %v of %d rows", a.P, b.P, a.RowsX)
	}
	if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "permutes") {
		t.Errorf("notes %q", a.Notes)
	}
}

// Rows that resemble their neighbours are warned of, and rows in random order are not.
func TestTrend(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 1))
	x := normals(r, 20000)
	p := quickPlan(t, x, 10, 0.3)
	s := summarise(t, p, "even", x, 20000)
	slices.Sort(x)
	addChunks(t, s, "sorted", x, 20000)
	walk := make([]float64, 20000)
	last := 0.0
	for i := range walk { // of lag-one correlation 0.5, sd 1
		last = last/2 + math.Sqrt(0.75)*r.NormFloat64()
		walk[i] = last
	}
	addChunks(t, s, "walk", walk, 20000)
	if note := s.trend("even"); note != "" {
		t.Errorf("random order: %s", note)
	}
	for _, name := range []string{"sorted", "walk"} {
		if note := s.trend(name); !strings.Contains(note, "trend") {
			ratio, se := s.dispersion(name)
			t.Errorf("%s: %q (%v, %v)", name, note, ratio, se)
		}
	}
}

// Too few bins are refused.
func TestTwoSampleRefuses(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 1))
	x := normals(r, 500)
	p := quickPlan(t, x, 10, 0.3)
	s := summarise(t, p, "P", x, 500)
	addChunks(t, s, "Q", x[:100], 100)
	for _, c := range []struct{ q, want string }{{"Q", "bins"}, {"R", "no rows of sample"}} {
		_, err := s.TwoSample("P", c.q, TestOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.q, err)
		}
	}
}
