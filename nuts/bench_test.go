package nuts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"bayeskernel/examples/models"
	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
)

// free is a standard normal that costs as little as an interface call can.
type free struct{ d int }

func (f free) Dim() int { return f.d }
func (f free) LogDensity(x, grad []float64) float64 {
	s := 0.0
	for i, v := range x {
		grad[i] = -v
		s += v * v
	}
	return -0.5 * s
}

func benchSampler(tb testing.TB, t hmc.Target, kind hmc.MetricKind) (*Sampler, *hmc.Point) {
	tb.Helper()
	d := t.Dim()
	w := make([][]float64, d)
	diag := make([]float64, d)
	for i := range w {
		w[i] = make([]float64, d)
		w[i][i], diag[i] = 1, 1
	}
	m := hmc.NewUnitMetric(d)
	var err error
	switch kind {
	case hmc.LowRankMetric:
		m, err = hmc.NewLowRankMetric(diag, w[:min(d, 10)], diag[:min(d, 10)])
	case hmc.DiagMetric:
		m, err = hmc.NewDiagMetric(diag)
	case hmc.DenseMetric:
		m, err = hmc.NewDenseMetric(w)
	}
	if err != nil {
		tb.Fatal(err)
	}
	h := hmc.NewHamiltonian(t, m)
	z := hmc.NewPoint(d)
	h.Evaluate(z)
	return New(h, 10), z
}

// BenchmarkOverhead times a leapfrog step of NUTS, everything included, and beside it what the
// step's evaluation of the target costs and one math.Exp. Of interest is
//
//	exps/leapfrog = (time of a step - time of an evaluation) / time of math.Exp.
//
// All three are timed in turn within one benchmark, so that the ratio holds when the machine's
// speed drifts, and of each the fastest of many turns is taken.
func BenchmarkOverhead(b *testing.B) {
	for _, kind := range []hmc.MetricKind{hmc.UnitMetric, hmc.DiagMetric, hmc.DenseMetric} {
		for _, d := range []int{2, 10, 100} {
			b.Run(fmt.Sprintf("%v/d=%d", kind, d), func(b *testing.B) {
				s, z := benchSampler(b, free{d}, kind)
				r := rand.New(rand.NewPCG(1, 2))
				x, g := make([]float64, d), make([]float64, d)
				var target hmc.Target = free{d}
				step, eval, exp := math.Inf(1), math.Inf(1), math.Inf(1)
				sink := 0.0
				b.ReportAllocs()
				for b.Loop() {
					n := 0
					step = min(step, perOp(func() int {
						for n < 4000 {
							n += s.Step(z, 0.2, r).Leapfrogs
						}
						return n
					}))
					eval = min(eval, perOp(func() int {
						for range 4000 {
							sink += target.LogDensity(x, g)
						}
						return 4000
					}))
					exp = min(exp, perOp(func() int {
						for i := range 4000 {
							sink += math.Exp(-float64(i&1023) * 0.01)
						}
						return 4000
					}))
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(step, "ns/leapfrog")
				b.ReportMetric(eval, "ns/eval")
				b.ReportMetric(exp, "ns/exp")
				b.ReportMetric((step-eval)/exp, "exps/leapfrog")
				if math.IsNaN(sink) {
					b.Fatal(sink)
				}
			})
		}
	}
}

// perOp returns the nanoseconds that f takes for each of the operations that it counts.
func perOp(f func() int) float64 {
	start := time.Now()
	n := f()
	return float64(time.Since(start).Nanoseconds()) / float64(n)
}

// BenchmarkLowRank times a leapfrog step on a normal of 10,000 dimensions, ten directions of which
// stand out, with a diagonal metric and with one of rank 10.
func BenchmarkLowRank(b *testing.B) {
	const d, k = 10000, 10
	target := models.NewSpiked(1, d, k, 30, nil)
	scale, eigen := make([]float64, d), make([]float64, k)
	for i := range scale {
		scale[i] = 1
	}
	axes := make([][]float64, k)
	for i := range axes {
		axes[i] = make([]float64, d)
		axes[i][i], eigen[i] = 1, 2
	}
	low, err := hmc.NewLowRankMetric(scale, axes, eigen)
	if err != nil {
		b.Fatal(err)
	}
	diag, err := hmc.NewDiagMetric(scale)
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range []hmc.Metric{diag, low} {
		b.Run(m.Kind().String(), func(b *testing.B) {
			h := hmc.NewHamiltonian(target, m)
			z := hmc.NewPoint(d)
			h.Evaluate(z)
			h.Momentum(z, rand.New(rand.NewPCG(1, 2)))
			for b.Loop() {
				h.Leapfrog(z, 1e-3)
			}
		})
	}
}

// TestNoAllocations: a transition allocates nothing.
func TestNoAllocations(t *testing.T) {
	for _, kind := range []hmc.MetricKind{hmc.UnitMetric, hmc.DiagMetric, hmc.DenseMetric,
		hmc.LowRankMetric} {
		s, z := benchSampler(t, testmodels.Normal(1, 2, 3), kind)
		r := rand.New(rand.NewPCG(1, 2))
		if n := testing.AllocsPerRun(200, func() { s.Step(z, 0.1, r) }); n != 0 {
			t.Errorf("%v: %v allocations a transition", kind, n)
		}
	}
}
