package bke

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"bayeskernel/internal/fused"
	"bayeskernel/kernels"
)

// BenchmarkGradient times value plus gradient per pair of a row and a pseudo-input, on one core,
// and one math.Exp beside it; of interest is their ratio, exps/pair. Both are timed in turn, so that
// the ratio holds when the machine's speed drifts, and of each the fastest turn is taken: run it
// with -benchtime 20x or more.
func BenchmarkGradient(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		d, n, m int
		ard     bool
	}{
		{1, 800, 20, false}, {1, 100000, 50, false}, {2, 10000, 50, false}, {2, 100000, 50, false},
		{2, 10000, 50, true}, {3, 10000, 50, false}, {3, 100000, 50, false}, {3, 10000, 50, true},
		{5, 8000, 50, false}, {10, 8000, 50, false},
	} {
		x, z := normalRows(r, c.n, c.d), normalRows(r, c.m, c.d)
		paths := []string{"portable", "avx2", "avx512"}
		if c.d > fused.MaxDim {
			paths = []string{"auto"}
		}
		for _, path := range paths {
			mod, err := NewModel(x, z, Options{Path: path, ARD: c.ard})
			if err != nil {
				continue // this processor does not have it
			}
			name := fmt.Sprintf("D=%d/n=%d/m=%d/ard=%v/%s", c.d, c.n, c.m, c.ard, path)
			b.Run(name, func(b *testing.B) {
				timeGradient(b, mod, c.n*c.m)
			})
		}
	}
}

// timeGradient reports what a pair costs.
func timeGradient(b *testing.B, mod *Model, pairs int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // each of these sets its own
	e, grad := mod.Evaluator(), make([]float64, len(mod.Free()))
	p := Params{Tau2: 0.1}
	for range mod.thetas() {
		p.Theta = append(p.Theta, 0.5*math.Sqrt(float64(mod.dim)))
	}
	pair, exp, sink := math.Inf(1), math.Inf(1), 0.0
	e.Gradient(grad, p)
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		sink += e.Gradient(grad, p)
		pair = min(pair, time.Since(began).Seconds()/float64(pairs))
		began = time.Now()
		for i := range 20000 {
			sink += math.Exp(-float64(i&1023) * 0.01)
		}
		exp = min(exp, time.Since(began).Seconds()/20000)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(pair*1e9, "ns/pair")
	b.ReportMetric(exp*1e9, "ns/exp")
	b.ReportMetric(pair/exp, "exps/pair")
	if math.IsNaN(sink) {
		b.Fatal(sink)
	}
}

// BenchmarkGradientKernels times the other kernels, and the squared exponential beside them.
func BenchmarkGradientKernels(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct{ d, n, m int }{{1, 8000, 50}, {2, 8000, 50}, {10, 2000, 50}} {
		x, z := normalRows(r, c.n, c.d), normalRows(r, c.m, c.d)
		for _, text := range someKernels {
			k, err := kernels.ParseRadial(text)
			if err != nil {
				b.Fatal(err)
			}
			mod, err := NewModel(x, z, Options{Kernel: k})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("D=%d/%s", c.d, text), func(b *testing.B) { timeGradient(b, mod, c.n*c.m) })
		}
	}
}

// BenchmarkGradientBlocks times value plus gradient with the rows in several blocks, on as many
// processors as -cpu says and on one in turn; of interest is their ratio, speed-up.
func BenchmarkGradientBlocks(b *testing.B) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, c := range []struct{ d, n, m int }{
		{1, 40000, 50}, {1, 100000, 50}, {1, 1000000, 50}, {2, 40000, 50}, {2, 100000, 50},
		{4, 1000, 50}, {4, 10000, 50},
	} {
		mod, err := NewModel(normalRows(r, c.n, c.d), normalRows(r, c.m, c.d), Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("D=%d/n=%d/m=%d", c.d, c.n, c.m), func(b *testing.B) {
			e, grad := mod.Evaluator(), make([]float64, 2)
			p := Params{Theta: []float64{0.5 * math.Sqrt(float64(c.d))}, Tau2: 0.1}
			procs := runtime.GOMAXPROCS(0)
			defer runtime.GOMAXPROCS(procs)
			best := [2]float64{math.Inf(1), math.Inf(1)}
			for range b.N { // b.Loop would run before -cpu is obeyed
				for i, k := range []int{1, procs} {
					runtime.GOMAXPROCS(k)
					began := time.Now()
					e.Gradient(grad, p)
					best[i] = min(best[i], time.Since(began).Seconds())
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(1e3*best[1], "ms")
			b.ReportMetric(best[0]/best[1], "speed-up")
		})
	}
}
