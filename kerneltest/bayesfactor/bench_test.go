package bayesfactor_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/bayesfactor"

	"gonum.org/v1/gonum/mat"
)

// The time of the default and of 24 lengthscales or so, and that of MMD-FUSE beside it:
//
//	go test -run XXX -bench . -benchtime 1x ./kerneltest/bayesfactor
func BenchmarkDensity(b *testing.B) {
	for _, c := range []struct{ n, dim, nodes, permutations int }{
		{100, 1, 0, 0}, {500, 1, 0, 0}, {500, 2, 0, 0}, {500, 1, 17, 400}, {500, 2, 17, 400}, {500, 1, 33, 0},
		{500, 5, 0, 0}, {10000, 1, 0, 0},
	} {
		b.Run(fmt.Sprintf("n=%d,D=%d,nodes=%d,permutations=%d", c.n, c.dim, c.nodes, c.permutations),
			func(b *testing.B) {
				x, y := normals(1, c.n, c.dim, 0.2), normals(2, c.n, c.dim, 0)
				for b.Loop() {
					r, err := bayesfactor.Density(context.Background(), x, y, bayesfactor.Options{Nodes: c.nodes,
						Permutations: c.permutations})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(r.Rank), "rank")
					b.ReportMetric(float64(r.Nodes), "nodes")
					b.ReportMetric(r.Error, "change")
				}
			})
	}
}

func BenchmarkFuse(b *testing.B) {
	for _, dim := range []int{1, 2} {
		b.Run(fmt.Sprintf("n=500,D=%d,permutations=400", dim), func(b *testing.B) {
			x, y := normals(1, 500, dim, 0.2), normals(2, 500, dim, 0)
			for b.Loop() {
				if _, err := kerneltest.TwoSample(context.Background(), x, y, kerneltest.Options{
					Kernel:  kerneltest.Choice{Rule: kerneltest.FuseGrid},
					Combine: kerneltest.Fuse, Permutations: 400}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func normals(seed uint64, n, dim int, shift float64) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, dim, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return shift + r.NormFloat64() }, x)
	return x
}
