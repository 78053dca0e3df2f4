//go:build unix

package record

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"bayeskernel/stan/syntax"
)

// BenchmarkStan times gradients of the programs below the folder BAYESKERNEL_STAN_CORPUS beside the times
// of Stan -O3 in its timing.json, which are in units of one exp: stan/ratio below 1 is faster than Stan.
// Start is the time from the text of the program to the first gradients.
func BenchmarkStan(b *testing.B) {
	dir := os.Getenv("BAYESKERNEL_STAN_CORPUS")
	if dir == "" {
		b.Skip("BAYESKERNEL_STAN_CORPUS is not set")
	}
	var timing struct {
		Programs map[string]struct {
			Exps float64 `json:"gradient_in_exps"`
			CPU  float64 `json:"cpu_seconds_per_gradient"`
		}
	}
	if err := readJSON(filepath.Join(dir, "timing.json"), &timing); err != nil {
		b.Fatal(err)
	}
	programs, _ := filepath.Glob(filepath.Join(dir, "*", "*.stan"))
	logs, n, worst := 0.0, 0, 0.0
	for _, file := range programs {
		name := strings.TrimSuffix(filepath.Base(file), ".stan")
		b.Run(name, func(b *testing.B) {
			var want expected
			if err := readJSON(filepath.Join(dir, "expected", name+".json"), &want); err != nil {
				b.Skip(err)
			}
			src, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			data := Data{}
			if want.DataFile != "" {
				if err := readJSON(filepath.Join(dir, strings.TrimSuffix(want.DataFile, ".gz")), (*map[string]any)(&data)); err != nil {
					b.Fatal(err)
				}
			}
			begin := cpu()
			tree, err := syntax.Parse(string(src))
			if err != nil {
				b.Fatal(err)
			}
			p, err := Bind(tree, data, 1)
			if err != nil {
				b.Fatal(err)
			}
			c, grad := p.NewChain(), make([]float64, p.Dim())
			for _, pt := range want.Points {
				c.LogDensity(pt.U, grad)
			}
			start := cpu() - begin
			best, unit := math.Inf(1), 0.0
			for b.Loop() {
				best, unit = math.Inf(1), math.Inf(1)
				reps := 1
				for range 5 {
					unit = min(unit, expTime())
					for {
						t := cpu()
						for range reps {
							for _, pt := range want.Points {
								c.LogDensity(pt.U, grad)
							}
						}
						d := cpu() - t
						if d < 20*time.Millisecond && reps < 1<<20 {
							reps *= 2
							continue
						}
						best = min(best, float64(d)/float64(reps*len(want.Points)))
						break
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(best, "ns/gradient")
			b.ReportMetric(float64(c.Operations()), "ops")
			b.ReportMetric(best/float64(max(1, c.Operations())), "ns/operation")
			b.ReportMetric(start.Seconds(), "s/start")
			if t, ok := timing.Programs[name]; ok {
				ratio := best / (t.Exps * unit)
				b.ReportMetric(ratio, "of-stan")
				logs += math.Log(ratio)
				n++
				worst = max(worst, ratio)
			}
		})
	}
	if n > 0 {
		b.Logf("%d programs: geometric mean %.3f, worst %.3f of Stan's time", n, math.Exp(logs/float64(n)), worst)
	}
}

// goExp is the time of math.Exp in units of one exp of the C library, on the same machine at the same time.
const goExp = 1.95

// expTime is the time in ns of one exp of the C library, from that of math.Exp here and now: other work on the
// machine slows both.
func expTime() float64 {
	const n = 2_000_000
	sum, t := 0.0, cpu()
	for i := range n {
		sum += math.Exp(float64(i&1023)/512 - 1)
	}
	if sum == 0 {
		return 0
	}
	return float64(cpu()-t) / n / goExp
}

// cpu is the user CPU time of this process.
func cpu() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano())
}
