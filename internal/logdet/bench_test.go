package logdet

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"bayeskernel/internal/fused"
)

// BenchmarkRow times rows with their leverages. Of interest are the mean and the largest over the
// rows, each being the least of three times, and the share of rows that need reflectors.
func BenchmarkRow(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct{ d, m int }{
		{2, 50}, {5, 50}, {10, 50}, {20, 40}, {30, 40}, {50, 51},
		{5, 100}, {10, 100}, {20, 100}, {30, 100}, {50, 100},
	} {
		for _, f := range []float64{3, 1, 0.3, 0.1} {
			x, z := normals(r, 100*c.d), normals(r, c.m*c.d)
			theta := f * math.Sqrt(float64(c.d))
			b.Run(fmt.Sprintf("normal/D=%d/m=%d/theta=%v", c.d, c.m, f), func(b *testing.B) {
				benchmark(b, x, z, theta)
			})
		}
		for _, f := range []float64{1, 0.1} {
			step := big.NewRat(1, 10)
			x, z := lattice(r, c.d, 100, step, 0).x, lattice(r, c.d, c.m, step, 0).x
			b.Run(fmt.Sprintf("lattice/D=%d/m=%d/theta=%v", c.d, c.m, f), func(b *testing.B) {
				benchmark(b, x, z, f*0.1*math.Sqrt(float64(c.d)))
			})
		}
	}
}

func benchmark(b *testing.B, x, z []float64, theta float64) {
	d, sink := len(x)/100, 0.0
	times, values, qr := make([]float64, 100), make([]float64, 100), 0
	var rows []*problem
	for i := range times {
		times[i], values[i] = math.Inf(1), math.Inf(1)
		rows = append(rows, newProblem(x[i*d:(i+1)*d], z, same(d, theta), kernels[0]))
	}
	w := NewInputs(z, d).Workspace(fused.Best())
	w.SetTheta([]float64{theta})
	for range max(b.N, 3) {
		qr = 0
		for i, p := range rows {
			began := time.Now()
			sink += w.LogDet(p.x, p.kappa, p.logK)
			values[i] = min(values[i], time.Since(began).Seconds())
			if w.done == byReflectors {
				qr++
			}
			sink += w.Leverages()[0]
			times[i] = min(times[i], time.Since(began).Seconds())
		}
	}
	mean := func(x []float64) (sum float64) {
		for _, v := range x {
			sum += v / float64(len(x))
		}
		return sum
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(1e6*mean(values), "value-us")
	b.ReportMetric(1e6*mean(times), "us")
	b.ReportMetric(1e6*slices.Max(times), "worst-us")
	b.ReportMetric(float64(qr), "%qr")
	if math.IsInf(sink, 1) {
		b.Fatal(sink)
	}
}
