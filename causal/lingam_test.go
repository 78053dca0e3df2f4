package causal

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/long"

	"gonum.org/v1/gonum/mat"
)

// With Laplace noise, 1000 rows and ten columns the graph is the true one in nine tables of ten, one failure more allowed;
// with normal noise at most one table of 20 claims a direction (the noise test's level is 0.01 for
// all columns of a table: two and more of 20 have one with probability 0.02).
func TestLiNGAM(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	exact, claimed, tables := 0, 0, 5
	if long.Enabled() {
		tables = 20
	}
	for range tables {
		for _, normal := range []bool{false, true} {
			dag := randomDAG(r, 10, 2.0/9)
			m := mat.NewDense(1000, 10, nil)
			done := make([]bool, 10)
			for range 10 {
			next:
				for j := range 10 {
					if done[j] {
						continue
					}
					for _, i := range dag.Parents(j) {
						if !done[i] {
							continue next
						}
					}
					done[j] = true
					for k := range 1000 {
						v := (r.ExpFloat64() - r.ExpFloat64()) / math.Sqrt2
						if normal {
							v = r.NormFloat64()
						}
						m.Set(k, j, v)
					}
					for _, i := range dag.Parents(j) {
						b := (0.4 + 0.6*r.Float64()) * float64(1-2*r.IntN(2))
						for k := range 1000 {
							m.Set(k, j, m.At(k, j)+b*m.At(k, i))
						}
					}
				}
			}
			d, err := NewData(dag.Names(), m)
			if err != nil {
				t.Fatal(err)
			}
			got, err := LiNGAM(t.Context(), d, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !normal {
				if got.Graph.Equal(dag) {
					exact++
				}
				continue
			}
			for _, e := range got.Graph.Edges() {
				if e.Type() == "directed" {
					claimed++
					break
				}
			}
		}
	}
	t.Logf("%d of %d exact; %d with normal noise claim a direction", exact, tables, claimed)
	if 10*exact < 9*tables-9 || claimed > 1 {
		t.Errorf("%d of %d exact; %d with normal noise claim a direction", exact, tables, claimed)
	}
}

// The test of normality beside scipy.stats.normaltest of powers of 1..30.
func TestNormality(t *testing.T) {
	for power, want := range map[float64]float64{1.5: 0.07949358863762371, 2: 0.14527885132570745} {
		var v []float64
		for i := range 30 {
			v = append(v, math.Pow(float64(i+1), power))
		}
		if got := normality(unitVariance(v)); math.Abs(got-want) > 1e-9 {
			t.Errorf("power %g: %v, want %v", power, got, want)
		}
	}
}
