package nuts

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
)

// withinRun samples the funnel with step sizes that adapt within the trajectory.
func withinRun(s hmc.Settings, w WithinOrbit) (*draws.Run, error) {
	return Sample(context.Background(), hmc.Shared(testmodels.Funnel()),
		Config{Settings: s, WithinOrbit: &w})
}

// TestWithinOrbitSameBytes: the same seed makes the same bytes for any GOMAXPROCS, and for chains
// run together or one by one.
func TestWithinOrbitSameBytes(t *testing.T) {
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	for _, finer := range []float64{0, 0.3} {
		var want []byte
		for _, procs := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(procs)
			for _, parallel := range []int{1, 4} {
				run, err := withinRun(hmc.Settings{Seed: 5, Warmup: 100, Draws: 100,
					SaveWarmup: true, Parallel: parallel}, WithinOrbit{Finer: finer})
				if err != nil {
					t.Fatal(err)
				}
				got := fingerprint(t, run)
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("Finer %v, GOMAXPROCS %d, %d chains at once: other bytes", finer, procs,
						parallel)
				}
			}
		}
	}
}

// TestWithinOrbitResumeBytes stops a run at every 13th of its transitions and resumes it: the bytes
// are those of the uninterrupted run. Under another tolerance it is not resumed.
func TestWithinOrbitResumeBytes(t *testing.T) {
	s := hmc.Settings{Chains: 2, Seed: 6, Warmup: 120, Draws: 60, SaveWarmup: true}
	w := WithinOrbit{Finer: 0.2}
	run, err := withinRun(s, w)
	if err != nil {
		t.Fatal(err)
	}
	want := fingerprint(t, run)
	s.Checkpoints.Resume = stopAndResume(t, testmodels.Funnel(),
		Config{Settings: s, WithinOrbit: &w}, 13, want)
	for _, other := range []WithinOrbit{{}, {Finer: 0.2, MaxError: 0.5}, {Finer: 0.2, MaxHalvings: 9}} {
		if _, err := withinRun(s, other); err == nil || !strings.Contains(err.Error(), "its sampler is") {
			t.Fatalf("resumed with %+v: %v", other, err)
		}
	}
}
