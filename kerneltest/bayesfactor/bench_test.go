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

// The time of the default, and with permutations:
//
//	go test -run XXX -bench Density -benchtime 1x ./kerneltest/bayesfactor
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

// The default test, whose statistic is a standardised log Bayes factor, beside MMD-FUSE: 1000 rows
// and 400 permutations.
func BenchmarkTests(b *testing.B) {
	for _, dim := range []int{1, 2, 5} {
		for _, c := range []struct {
			name string
			o    kerneltest.Options
		}{
			{"default", kerneltest.Options{}},
			{"learned", kerneltest.Options{Kernel: kerneltest.Choice{Rule: kerneltest.Learned}}},
			{"fuse", kerneltest.Options{Kernel: kerneltest.Choice{Rule: kerneltest.FuseGrid},
				Combine: kerneltest.Fuse}},
		} {
			b.Run(fmt.Sprintf("D=%d/%s", dim, c.name), func(b *testing.B) {
				x, y := normals(1, 500, dim, 0.2), normals(2, 500, dim, 0)
				c.o.Permutations = 400
				for b.Loop() {
					if _, err := kerneltest.TwoSample(context.Background(), x, y, c.o); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func normals(seed uint64, n, dim int, shift float64) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, dim, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return shift + r.NormFloat64() }, x)
	return x
}
