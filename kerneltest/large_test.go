package kerneltest

import (
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"bayeskernel/internal/fixture"
	"bayeskernel/internal/long"
	"bayeskernel/kerneltest/statistic"
)

// Twenty thousand rows in each sample take less than 500 megabytes, and say how far they are. The default
// kernels are then approximations in two columns; one kernel is exact.
func TestLarge(t *testing.T) {
	long.Skip(t)
	// The garbage that waits for its collector depends on what else the machine does: what is needed counts.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(450 << 20))
	const n = ExactRows / 2
	for _, c := range []struct {
		name  string
		dim   int
		o     Options
		trace float64 // at most left out
	}{
		{"default", 1, Options{}, 0},
		{"default", 2, Options{}, 0.1},
		{"median", 3, Options{Kernel: Choice{Rule: PlainMedian}}, 0},
		{"narrow", 3, Options{Kernel: Lengthscale(0.3)}, 0},
	} {
		x, y := fixture.Normals(1, n, c.dim, 0), fixture.Normals(2, n, c.dim, 0.02)
		forgetPeak()
		steps := 0
		c.o.Progress = func(string, int, int) { steps++ }
		start := time.Now()
		r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, c.o))
		t.Logf("%s, %d columns: %v, %v, p-value %v, ratio %.2f, %d steps, peak %d MB",
			c.name, c.dim, time.Since(start).Round(time.Millisecond), r.Null, r.P, r.Ratio, steps,
			peak(t)>>20)
		if peak(t) > 500e6 {
			t.Errorf("%s, %d columns: peak memory %d, want at most 500 MB", c.name, c.dim, peak(t))
		}
		if r.Null != statistic.Permutation || r.TraceError > c.trace || steps < 5 {
			t.Errorf("%s, %d columns: null %v, trace error %v, %d steps of progress", c.name, c.dim,
				r.Null, r.TraceError, steps)
		}
	}
}

// forgetPeak lets the count of peak begin again, so that it holds nothing of what ran before. Where the
// system cannot, peak says what it would without.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // see proc(5)
}

// peak is the largest memory of this process so far, 0 where the system does not say.
func peak(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, ok := strings.Cut(string(b), "VmHWM:")
	if !ok {
		return 0
	}
	kb, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		return 0
	}
	return kb << 10
}
