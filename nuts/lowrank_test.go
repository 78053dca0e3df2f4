package nuts

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/examples/models"
	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
)

// spiked is a normal of 120 dimensions with three directions of sd 30, of which the default metric
// is one of low rank.
func spiked() hmc.Target { return models.NewSpiked(9, 120, 3, 30, nil) }

// TestLowRankSameBytes: whatever GOMAXPROCS, and after being stopped anywhere.
func TestLowRankSameBytes(t *testing.T) {
	s := hmc.Settings{Chains: 2, Seed: 4, Warmup: 300, Draws: 20, Adapt: hmc.Adapt{Fixed: true}}
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	var want []byte
	for _, procs := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(procs)
		run := sample(t, spiked(), s)
		if m := run.Chains[0].Metric; m.Kind != "low_rank" || m.Rank == 0 {
			t.Fatalf("metric is %s of rank %d", m.Kind, m.Rank)
		}
		got := fingerprint(t, run)
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("GOMAXPROCS %d: other bytes", procs)
		}
	}
	stopAndResume(t, spiked(), Config{Settings: s}, 11, want)
}

// TestLowRankFindsDirections: in the units of the metric all variances are about 1; in the target's
// own they go up to 900.
func TestLowRankFindsDirections(t *testing.T) {
	run := sample(t, spiked(), hmc.Settings{Chains: 2, Seed: 1, Warmup: 600, Draws: 50})
	target := models.NewSpiked(9, 120, 3, 30, nil)
	for id, c := range run.Chains {
		m := c.Metric
		// The gradient at the k-th unit vector times -1 is a column of the precision P.
		wp := mat.NewDense(120, 120, nil)
		scale, eigen := m.List("scale"), m.List("eigen")
		x, g := make([]float64, 120), make([]float64, 120)
		for i := range x {
			clear(x)
			x[i] = 1
			target.LogDensity(x, g)
			row := make([]float64, 120)
			for j := range row {
				row[j] = -scale[j] * g[j]
			}
			mid := append([]float64(nil), row...)
			for k, u := range m.Table("directions") {
				p := 0.0
				for j := range u {
					p += u[j] * row[j]
				}
				for j := range u {
					mid[j] += (eigen[k] - 1) * p * u[j]
				}
			}
			for j, v := range mid {
				wp.Set(i, j, scale[j]*v)
			}
		}
		var eig mat.Eigen
		if !eig.Factorize(wp, mat.EigenNone) {
			t.Fatal("no eigenvalues")
		}
		for _, v := range eig.Values(nil) {
			if !(real(v) > 0.2 && real(v) < 5) {
				t.Errorf("chain %d: a variance is %.2f in the units of the metric", id+1, 1/real(v))
			}
		}
		if m.Rank > 10 {
			t.Errorf("chain %d: rank %d for three directions", id+1, m.Rank)
		}
	}
}

// TestDenseFromFewDraws: a dense metric that was asked for has correlations though its windows hold
// fewer draws than dimensions.
func TestDenseFromFewDraws(t *testing.T) {
	run := sample(t, spiked(), hmc.Settings{Chains: 1, Seed: 2, Warmup: 150, Draws: 5,
		Adapt: hmc.Adapt{Metric: hmc.DenseMetric}})
	m := run.Chains[0].Metric
	if m.Kind != "dense_e" {
		t.Fatalf("metric is %s", m.Kind)
	}
	most := 0.0
	for i := range m.Dense {
		for j := range i {
			most = math.Max(most, math.Abs(m.Dense[i][j])/math.Sqrt(m.Dense[i][i]*m.Dense[j][j]))
		}
	}
	if most < 0.5 {
		t.Errorf("largest correlation in the metric is %.2f", most)
	}
}

// TestLowRankWarmStart: the metric survives a file.
func TestLowRankWarmStart(t *testing.T) {
	first := sample(t, spiked(), hmc.Settings{Chains: 2, Seed: 1, Warmup: 200, Draws: 5})
	path := t.TempDir() + "/warm.json"
	if err := hmc.WriteWarmStart(path, first); err != nil {
		t.Fatal(err)
	}
	warm, err := hmc.ReadWarmStart(path, first.Names)
	if err != nil || !reflect.DeepEqual(warm, hmc.WarmStarts(first)) {
		t.Fatalf("a warm start changes on its way through a file (error %v)", err)
	}
	second := sample(t, spiked(), hmc.Settings{Chains: 2, Seed: 2, Warmup: hmc.NoWarmup, Draws: 5,
		Start: hmc.Start{Warm: warm}})
	for i, c := range second.Chains {
		if !reflect.DeepEqual(c.Metric, first.Chains[i].Metric) {
			t.Errorf("chain %d has another metric", i+1)
		}
	}
}

// TestLimit: trajectories double as often as the limit says, and as before once it is lifted.
func TestLimit(t *testing.T) {
	target := testmodels.Normal(1, 1000) // trajectories want to double eight times or more
	h := hmc.NewHamiltonian(target, hmc.NewUnitMetric(2))
	s := New(h, 9)
	z := hmc.NewPoint(2)
	h.Evaluate(z)
	r := rand.New(rand.NewPCG(3, 1))
	for _, c := range []struct{ limit, want int }{{0, 9}, {4, 4}, {20, 9}, {0, 9}} {
		s.Limit(c.limit)
		deepest := 0
		for range 200 {
			deepest = max(deepest, s.Step(z, 1, r).TreeDepth)
		}
		if deepest != c.want {
			t.Errorf("limit %d: depth %d, want %d", c.limit, deepest, c.want)
		}
	}
}
