package permute

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/long"
)

// Twenty thousand and twenty thousand points, whose matrix would take 13 GB, in less than 1 GiB.
// The sums of permutation 0 are checked against those of the points themselves.
func TestLarge(t *testing.T) {
	long.Skip(t)
	const n, nx, count = 40000, 20000, 1000
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	kernel := fused.Best()
	tile := func(dst []float64, i0, i1, j0, j1 int) {
		for i := i0; i < i1; i++ {
			row := dst[(i-i0)*(j1-j0) : (i-i0+1)*(j1-j0)]
			for j, y := range x[j0:j1] {
				row[j] = (x[i] - y) * (x[i] - y)
			}
			kernel.ExpNeg(row, row, 0.5)
		}
	}
	d := must(NewDesign(n, 1, nil))
	s := must(d.Signs(nx, 0, count))
	var memory uint64
	e := Best()
	e.Progress = func(done, total int) {
		if done%1000 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			memory = max(memory, m.Sys)
		}
	}
	got := make([]Sums, count)
	begin := time.Now()
	err := e.Forms(context.Background(), got, s, Matrix{N: n, Tile: tile, Bound: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v, %d MB", time.Since(begin), memory>>20)
	if memory > 1<<30 {
		t.Errorf("%d bytes, want less than 1 GiB", memory)
	}
	sum := 0.0
	for i := range nx {
		for j := range i {
			sum += 2 * math.Exp(-(x[i]-x[j])*(x[i]-x[j])/2)
		}
	}
	if math.Abs(got[0].XX-sum) > 1e-10*sum {
		t.Errorf("XX of permutation 0 is %v, want %v", got[0].XX, sum)
	}
}
