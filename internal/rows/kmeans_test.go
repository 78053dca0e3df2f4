package rows

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func clusterCost(rows, centres []float64, dim int) float64 {
	s := 0.0
	for i := 0; i < len(rows); i += dim {
		best := math.Inf(1)
		for l := 0; l < len(centres); l += dim {
			best = min(best, squaredDistance(rows[i:i+dim], centres[l:l+dim]))
		}
		s += best
	}
	return s
}

func centres(t *testing.T, rows []float64, dim, k int, seed uint64) []float64 {
	t.Helper()
	z, err := KMeans(context.Background(), rows, dim, k, seed)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Nine tight clusters on a grid: their centres are the means, in lexicographic order.
func TestKMeansFindsClusters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var rows []float64
	want := make([]float64, 18)
	for i := range 180 {
		c := i % 9
		p := []float64{10*float64(c/3) + 0.1*r.NormFloat64(), 10*float64(c%3) + 0.1*r.NormFloat64()}
		rows = append(rows, p...)
		want[2*c] += p[0] / 20
		want[2*c+1] += p[1] / 20
	}
	for seed := range uint64(5) {
		got := centres(t, rows, 2, 9, seed)
		if len(got) != 18 {
			t.Fatalf("%d centres, want 9", len(got)/2)
		}
		// The means of a column of the grid differ in their first coordinate by noise.
		for l := 0; l < 18; l += 2 {
			near := math.Inf(1)
			for c := 0; c < 18; c += 2 {
				near = min(near, squaredDistance(got[l:l+2], want[c:c+2]))
			}
			if near > 1e-24 {
				t.Errorf("seed %d: centre %v is the mean of no cluster", seed, got[l:l+2])
			}
		}
	}
}

// bestCost is the least sum of squares over all assignments of the rows to k clusters.
func bestCost(rows []float64, dim, k int) float64 {
	n := len(rows) / dim
	owner := make([]int, n)
	best := math.Inf(1)
	for {
		used := make([]bool, k)
		for _, o := range owner {
			used[o] = true
		}
		if !slices.Contains(used, false) {
			best = min(best, clusterCost(rows, clusterMeans(rows, dim, owner, k), dim))
		}
		i := 0
		for ; i < n && owner[i] == k-1; i++ {
			owner[i] = 0
		}
		if i == n {
			return best
		}
		owner[i]++
	}
}

// Against all 3^8 or 2^8 clusterings of eight rows, of which some have ties: never more than half
// as much again (four starts; k-means++ alone promises a factor of 8(log k + 2) on average), and
// the optimum itself nearly always.
func TestKMeansAgainstAllClusterings(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	exact := 0
	for trial := range 40 {
		dim, k := 1+trial%2, 2+trial%3/2
		rows := make([]float64, 8*dim)
		for i := range rows {
			rows[i] = r.NormFloat64()
			if trial%4 == 0 {
				rows[i] = math.Round(2 * rows[i])
			}
		}
		if len(Distinct(rows, dim)) <= k {
			continue
		}
		got := clusterCost(rows, centres(t, rows, dim, k, uint64(trial)), dim)
		want := bestCost(rows, dim, k)
		if got > 1.5*want+1e-12 {
			t.Errorf("trial %d: sum of squares %v, least %v", trial, got, want)
		}
		if got <= want+1e-12 {
			exact++
		}
	}
	if exact < 32 {
		t.Errorf("the optimum was found in %d of 40 trials only", exact)
	}
}

// At the end each centre is the mean of the rows that are nearest to it.
func TestKMeansIsAFixedPoint(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, dim := range []int{1, 2, 5} {
		rows := randomRows(r, 300, dim).RawMatrix().Data
		z := centres(t, rows, dim, 12, 1)
		if len(z) != 12*dim || len(Distinct(z, dim)) != 12 {
			t.Fatalf("D = %d: %d centres", dim, len(z)/dim)
		}
		c := newClustering(rows, dim)
		c.centres = z
		c.assign()
		mean := clusterMeans(rows, dim, c.owner, 12)
		for i := range z {
			if math.Abs(mean[i]-z[i]) > 1e-13 {
				t.Errorf("D = %d: centre at %v, the mean of its rows is %v", dim, z[i], mean[i])
			}
		}
	}
}

func TestKMeansDoesNotDependOnProcessors(t *testing.T) {
	rows := randomRows(rand.New(rand.NewPCG(7, 8)), 500, 2).RawMatrix().Data
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var want []float64
	for _, p := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(p)
		got := centres(t, rows, 2, 30, 9)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("other centres with %d processors", p)
		}
	}
	if slices.Equal(want, centres(t, rows, 2, 30, 10)) {
		t.Error("another seed gives the same centres")
	}
}

// Powers of two change no rounding, however large or small.
func TestKMeansInOtherUnits(t *testing.T) {
	rows := randomRows(rand.New(rand.NewPCG(9, 10)), 200, 2).RawMatrix().Data
	want := centres(t, rows, 2, 15, 1)
	for _, unit := range []float64{0x1p-900, 0x1p900} {
		scaled := make([]float64, len(rows))
		for i, v := range rows {
			scaled[i] = unit * v
		}
		for i, v := range centres(t, scaled, 2, 15, 1) {
			if v != unit*want[i] {
				t.Fatalf("unit %v: centre %v, want %v", unit, v, unit*want[i])
			}
		}
	}
	if z := centres(t, []float64{-1.7e308, 1.7e308, 0, 1e308}, 1, 2, 1); len(z) != 2 ||
		math.IsInf(z[0], 0) || math.IsInf(z[1], 0) {
		t.Errorf("centres of extremes: %v", z)
	}
}

func TestKMeansOfTies(t *testing.T) {
	rows := make([]float64, 200)
	for i := range rows {
		rows[i] = 0.1 * float64(1+i%7)
	}
	for k, want := range map[int]int{3: 3, 6: 6, 7: 7, 50: 7} {
		z := centres(t, rows, 1, k, 2)
		if len(z) != want || len(Distinct(z, 1)) != want {
			t.Errorf("k = %d: centres %v, want %d", k, z, want)
		}
		if k >= 7 && !slices.Equal(z, rows[:7]) {
			t.Errorf("k = %d: centres %v, want the values to the last bit", k, z)
		}
	}
	// Six centres of seven values: five of them are values.
	hits := 0
	for _, v := range centres(t, rows, 1, 6, 2) {
		if slices.Contains(rows[:7], v) {
			hits++
		}
	}
	if hits != 5 {
		t.Errorf("%d centres are values, want 5", hits)
	}
}

// A cluster that lost its rows takes the row that fits worst where it is.
func TestEmptyCluster(t *testing.T) {
	c := newClustering([]float64{0, 1, 2, 10, 11, 30}, 1)
	c.centres = []float64{0, 100, 12, 0} // 100 has none, the last is the twin of the first
	if !c.assign() {
		t.Error("no change reported")
	}
	size := make([]int, 4)
	for _, o := range c.owner {
		size[o]++
	}
	if slices.Contains(size, 0) || c.owner[5] != 1 || c.owner[2] != 3 {
		t.Errorf("owners %v, want row 5 in cluster 1 and row 2 in cluster 3", c.owner)
	}
	c.lloyd(context.Background())
	if got, want := c.cost(), 0.5+0+0.5+0; got != want {
		t.Errorf("sum of squares %v, want %v: {0,1}, {2}, {10,11}, {30}", got, want)
	}
}

// A row that is alone in its cluster is not taken from it, however badly it fits.
func TestEmptyClusterRobsNoSingleton(t *testing.T) {
	c := newClustering([]float64{0, 1, 30}, 1)
	c.centres = []float64{0, 50, 1000}
	c.assign()
	if want := []int{0, 2, 1}; !slices.Equal(c.owner, want) {
		t.Errorf("owners %v, want %v", c.owner, want)
	}
}

// last is a source of the largest numbers there are: k-means++ then draws the end of the list.
type last struct{}

func (last) Uint64() uint64 { return math.MaxUint64 }

func TestKMeansStartsAreDistinct(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for trial := range 300 {
		rows := make([]float64, 16)
		for i := range rows {
			rows[i] = 0.1 * float64(r.IntN(9))
		}
		k := min(5, len(Distinct(rows, 1)))
		c := newClustering(rows, 1)
		c.start(k, rand.New(last{}))
		if got := len(Distinct(c.centres, 1)); got != k || c.k() != k {
			t.Fatalf("trial %d: centres %v of %v, want %d distinct ones", trial, c.centres, rows, k)
		}
	}
}

// Beyond kmeansRows the centres are those of a random subset, and cover the data as well.
func TestKMeansOfManyRows(t *testing.T) {
	x := randomRows(rand.New(rand.NewPCG(11, 12)), kmeansRows+3000, 1).RawMatrix().Data
	z := centres(t, x, 1, 10, 1)
	if again := centres(t, x, 1, 10, 1); !slices.Equal(z, again) {
		t.Error("the same seed gives other centres")
	}
	// The least mean square of a quantiser of N(0,1) with 10 levels is 0.02292 (Max, 1960).
	if got := clusterCost(x, z, 1) / float64(len(x)); got > 1.1*0.02292 {
		t.Errorf("mean square %v, the least is 0.02292", got)
	}
}

func BenchmarkKMeans(b *testing.B) {
	x := mat.NewDense(1800, 2, nil)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 1800 {
		a, b := 10*float64(i%3), 10*float64(i/3%3)
		x.SetRow(i, []float64{a + r.NormFloat64(), b + r.NormFloat64()})
	}
	for b.Loop() {
		if _, err := KMeans(context.Background(), x.RawMatrix().Data, 2, 100, 1); err != nil {
			b.Fatal(err)
		}
	}
}

// Assigning rows by way of the neighbours of their centres gives the clusters and distances of comparing all, to the bit,
// with ties too.
func TestNeighboursAgreeWithAll(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 3))
	for _, c := range []struct {
		n, dim, k int
		tied      bool
	}{{900, 1, 20, false}, {900, 2, 100, false}, {500, 3, 30, true}, {400, 12, 20, false}, {800, 2, 50, true}} {
		rows := make([]float64, c.n*c.dim)
		for i := range rows {
			if rows[i] = r.NormFloat64(); c.tied {
				rows[i] = math.Round(2*rows[i]) / 8
			}
		}
		a := newClustering(rows, c.dim)
		a.start(c.k, r)
		for i := range a.owner {
			a.owner[i] = -1
		}
		pruned := 0
		for step := range 15 {
			b := newClustering(rows, c.dim)
			b.centres = slices.Clone(a.centres)
			for i := range b.owner {
				b.owner[i] = -1
			}
			if a.neighbours() != nil {
				pruned++
			}
			a.assign()
			b.assign()
			if !slices.Equal(a.owner, b.owner) || !slices.Equal(a.gap, b.gap) {
				t.Fatalf("%+v, step %d: other clusters", c, step)
			}
			a.centres = clusterMeans(rows, c.dim, a.owner, a.k())
		}
		if pruned == 0 {
			t.Errorf("%+v: all centres are compared", c)
		}
	}
}
