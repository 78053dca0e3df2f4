package declared

import (
	"math"
	"testing"
	"time"

	"bayeskernel/examples/models"
	"bayeskernel/hmc"
	"bayeskernel/model"
)

// BenchmarkGradient compares declared models with hand-derived gradients: both are timed in turn,
// in rounds of some microseconds, and the least of each is reported, for a machine that others use
// too.
func BenchmarkGradient(b *testing.B) {
	all, err := models.All()
	if err != nil {
		b.Fatal(err)
	}
	hand := map[string]hmc.Factory{}
	for _, p := range all {
		hand[p.Name] = p.Factory
	}
	for _, p := range All() {
		b.Run(p.Name, func(b *testing.B) {
			m, err := p.Declare()
			if err != nil {
				b.Fatal(err)
			}
			compareCost(b, hand[p.Name], m)
		})
	}
}

// compareCost reports nanoseconds per gradient by hand, declared without the rewrites that collapse
// rows, and with all rewrites, and the ratios to the one by hand.
func compareCost(b *testing.B, hand hmc.Factory, m *model.Model) {
	plain, err := m.Compile(model.Without(model.Regressions, model.EqualRows))
	if err != nil {
		b.Fatal(err)
	}
	full, err := m.Compile()
	if err != nil {
		b.Fatal(err)
	}
	var run [3]func()
	var rounds [3]int
	for i, f := range []hmc.Factory{hand, plain.Target, full.Target} {
		t, err := f()
		if err != nil {
			b.Fatal(err)
		}
		x, g := make([]float64, t.Dim()), make([]float64, t.Dim())
		for k := range x {
			x[k] = 0.1 * float64(k%7)
		}
		run[i] = func() { t.LogDensity(x, g) }
		if n := testing.AllocsPerRun(10, run[i]); n != 0 {
			b.Errorf("%v allocations per gradient", n)
		}
		began := time.Now()
		for time.Since(began) < 20*time.Microsecond || rounds[i] < 3 {
			run[i]()
			rounds[i]++
		}
	}
	least := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	for b.Loop() {
		for i, f := range run {
			began := time.Now()
			for range rounds[i] {
				f()
			}
			least[i] = min(least[i], float64(time.Since(began))/float64(rounds[i]))
		}
	}
	b.ReportMetric(0, "ns/op") // the rounds have no meaning
	b.ReportMetric(least[0], "hand-ns")
	b.ReportMetric(least[1]/least[0], "without/hand")
	b.ReportMetric(least[2]/least[0], "all/hand")
}
