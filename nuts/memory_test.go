package nuts_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"bayeskernel/internal/long"
	"bayeskernel/nuts"
)

// spread are independent normals of seven sds.
type spread int

func (d spread) Dim() int { return int(d) }

func (d spread) LogDensity(x, grad []float64) float64 {
	lp := 0.0
	for i, v := range x {
		w := 1 + float64(i%7)
		grad[i] = -w * v
		lp -= w * v * v / 2
	}
	return lp
}

// TestMemory: with draws on disk and default settings, a run of 10,000 parameters and its summary stay below
// 300 MB, in a process of their own. The most is needed in warm-up, so the number of draws does not matter: with
// 10,000 draws a chain it is the same (package draws says how much).
func TestMemory(t *testing.T) {
	const folder = "BAYESKERNEL_MEMORY_TEST"
	if dir := os.Getenv(folder); dir != "" {
		run, err := nuts.Sample(t.Context(), nuts.Shared(spread(10_000)),
			nuts.Config{Settings: nuts.Settings{Seed: 7, Draws: 80, DrawsDir: dir}})
		if err != nil {
			t.Fatal(err)
		}
		run.Summary()
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Print("\n", string(status))
		return
	}
	long.Skip(t)
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("the system does not say what a process takes")
	}
	c := exec.Command(os.Args[0], "-test.run=^TestMemory$")
	c.Env = append(os.Environ(), folder+"="+t.TempDir())
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var most int
	_, after, _ := strings.Cut(string(out), "VmHWM:")
	if _, err := fmt.Sscan(after, &most); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	t.Logf("%d kB", most)
	if most > 300<<10 {
		t.Errorf("took %d kB, want at most 300 MB", most)
	}
}
