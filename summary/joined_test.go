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

// placed is the summary of the columns of, of the rows of both samples: in bins of the same rows whatever the
// columns are.
func placed(t testing.TB, samples [2][]float64, dim int, of []int) *Summary {
	t.Helper()
	var parts [2][]float64
	for k, rows := range samples {
		for i := 0; i < len(rows); i += dim {
			for _, j := range of {
				parts[k] = append(parts[k], rows[i+j])
			}
		}
	}
	d := len(of)
	z := mat.NewDense(10, d, slices.Clone(parts[0][:10*d]))
	p := planFor(t, slices.Concat(parts[0], parts[1]), d, PlanOptions{Inputs: inputs.Options{Points: z},
		Thetas: []float64{0.5 * math.Sqrt(float64(d))}})
	p.Windows[0].Nodes, p.Lattice = p.Windows[0].Nodes[:4], nil // the likelihood is not looked at
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	for k, rows := range parts {
		number := 0
		for x := range slices.Chunk(rows, 1024*d) {
			c, err := s.Chunk(string(rune('P'+k)), false)
			if err != nil {
				t.Fatal(err)
			}
			c.Place(number)
			if err := c.Add(x); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			number++
		}
	}
	return s
}

// joinedOf are the p-values of all columns of two samples together, and of these with single ones.
func joinedOf(t testing.TB, samples [2][]float64, dim int, seed uint64) (together, joined float64) {
	t.Helper()
	all := make([]int, dim)
	var columns []*Summary
	for j := range all {
		all[j] = j
		columns = append(columns, placed(t, samples, dim, []int{j}))
	}
	s := placed(t, samples, dim, all)
	o := TestOptions{Permutations: 199, Seed: seed}
	a, err := s.TwoSample("P", "Q", o)
	if err != nil {
		t.Fatal(err)
	}
	o.Columns = columns
	b, err := s.TwoSample("P", "Q", o)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Scales) != len(a.Scales) || b.Scales[0].Theta != a.Scales[0].Theta {
		t.Errorf("single columns changed the scale of the witness from %v to %v", a.Scales, b.Scales)
	}
	return a.P, b.P
}

// Of samples of one distribution the joined test rejects as often as its level says, within 3 standard errors: a
// share of false alarms of 0.003, for each of two levels. 300 pairs with BAYESKERNEL_LONG, else 20. Of 1000 pairs
// .046 and .194 were rejected at the levels .05 and .2.
func TestJoinedLevel(t *testing.T) {
	runs := 20
	if long() {
		runs = 300
	}
	rejected := map[float64]int{0.05: 0, 0.2: 0}
	for i := range runs {
		r := rand.New(rand.NewPCG(31, uint64(i)))
		x, y := normals(r, 2*4096), normals(r, 2*3072)
		for k := 1; k < len(x); k += 2 {
			x[k] = math.Exp(x[k-1] + x[k]) // dependent, and skewed
		}
		for k := 1; k < len(y); k += 2 {
			y[k] = math.Exp(y[k-1] + y[k])
		}
		_, p := joinedOf(t, [2][]float64{x, y}, 2, uint64(i))
		for alpha := range rejected {
			if p <= alpha {
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

// A spread of one of eight columns that is 7% larger is 6 standard errors of its own, and lost among the noise of
// all: the joined test finds it in at least 4 of 5 pairs, that of all columns together in at most 2. Of 10 pairs
// with BAYESKERNEL_LONG it is at least 8 and at most 5.
func TestJoinedPower(t *testing.T) {
	const dim, n = 8, 8192
	together, joined, pairs, least, most := 0, 0, 5, 4, 2
	if long() {
		pairs, least, most = 10, 8, 5
	}
	for i := range pairs {
		r := rand.New(rand.NewPCG(32, uint64(i)))
		samples := [2][]float64{normals(r, n*dim), normals(r, n*dim)}
		for k := 3; k < n*dim; k += dim {
			samples[1][k] *= 1.07
		}
		a, b := joinedOf(t, samples, dim, uint64(i))
		if a <= 0.05 {
			together++
		}
		if b <= 0.05 {
			joined++
		}
	}
	if joined < least || together > most {
		t.Errorf("of %d pairs all columns together find %d, joined with single ones %d; want at most %d and at least %d",
			pairs, together, joined, most, least)
	}
}

// Summaries that have other rows in their bins are refused.
func TestJoinedRefuses(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 1))
	samples := [2][]float64{normals(r, 2*4096), normals(r, 2*4096)}
	s := placed(t, samples, 2, []int{0, 1})
	samples[0] = samples[0][:2*4000]
	_, err := s.TwoSample("P", "Q", TestOptions{Columns: []*Summary{placed(t, samples, 2, []int{0})}})
	if err == nil || !strings.Contains(err.Error(), "other rows in their bins") {
		t.Errorf("the error is %v, want it to name the bins", err)
	}
}

// The log of the upper gamma function falls without a jump to where it has no number, and is that of an
// exponential variable for shape 1.
func TestLogUpperGamma(t *testing.T) {
	for _, a := range []float64{0.3, 1, 7.5, 60} {
		last := 0.0
		for x := 0.5; x < 3000; x *= 1.01 {
			v := logUpperGamma(a, x)
			if !(v <= last) || math.IsInf(v, 0) {
				t.Fatalf("shape %v: %v at %v after %v", a, v, x, last)
			}
			if a == 1 && math.Abs(v+x) > 1e-9*x {
				t.Errorf("shape 1: %v at %v, want %v", v, x, -x)
			}
			last = v
		}
	}
	if v, want := logUpperGamma(7.5, 700.0001), logUpperGamma(7.5, 600); math.Abs(v-want+100-6.5*math.Log(7./6)) > 3e-3 {
		t.Errorf("from 600 to 700 the log falls by %v", want-v)
	}
}
