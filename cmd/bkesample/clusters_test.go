package main

import (
	"bayeskernel/cmd/bkesample/internal/sample"
	"bayeskernel/internal/long"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// normals are n quantiles of N(centre, 1), as a file.
func normals(n int, centre float64) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, centre+math.Sqrt2*math.Erfinv((2*float64(i)+1)/float64(n)-1))
	}
	return b.String()
}

// summaryOf runs the program and reads its summary.json.
func summaryOf(t *testing.T, args ...string) (s sample.Record, out string) {
	t.Helper()
	got := call(t, "", anew(args...)...)
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("exit %d: %s", got.code, got.stderr)
	}
	b, err := os.ReadFile("bkesample-out/summary.json")
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s, got.stdout
}

// Two clusters far apart make two modes, hundreds of nats apart: all chains are in the better one,
// and the points looked at do not step over the clusters.
func TestFarClusters(t *testing.T) {
	long.Skip(t)
	for _, distance := range []float64{100, 1e6} {
		inFolder(t, map[string]string{"p.csv": normals(100, 0), "q.csv": normals(100, distance)})
		s, _ := summaryOf(t, "-iter", "100", "-chains", "2", "p.csv", "q.csv")
		if theta := s.Parameters[0]; theta.Q95 > 2 || len(s.Modes) < 2 {
			t.Errorf("distance %g: theta up to %g, %d modes", distance, theta.Q95, len(s.Modes))
		}
		if s.Test == nil || !s.Test.Reject || len(s.Where) < 2 {
			t.Errorf("distance %g: test %+v, where %+v", distance, s.Test, s.Where)
		}
	}
}

// Values that share their first digits are told apart in sentences.
func TestOffset(t *testing.T) {
	inFolder(t, map[string]string{"p.csv": normals(50, 1e9+0.4)})
	if _, out := summaryOf(t, "-iter", "100", "p.csv"); !strings.Contains(out, "x = 1000000000.39") {
		t.Errorf("no place in %s", out)
	}
}

// Sentences of samples of which no verdict can be given.
func TestNoVerdict(t *testing.T) {
	inFolder(t, map[string]string{"two.csv": "0\n1\n", "far.csv": "10\n11\n12\n", "p.csv": normals(40,
		0)})
	for _, c := range []struct{ p, q, want string }{
		{"two.csv", "far.csv", "With samples of 2 and 3 rows no p-value can be below 0.1"},
		{"p.csv", "p.csv", "hold the same 40 rows in the same order, so there is nothing to compare"},
	} {
		s, out := summaryOf(t, "-iter", "100", c.p, c.q)
		out = strings.Join(strings.Fields(out), " ")
		if !strings.Contains(out, c.want) || s.Test.Reject || len(s.Where) > 0 {
			t.Errorf("%s against %s: %+v, where %+v, %s", c.p, c.q, s.Test, s.Where, out)
		}
	}
}

// A weight that the user gave is not made supercritical by more pseudo-inputs.
func TestWeightKeepsInputs(t *testing.T) {
	inFolder(t, map[string]string{"p.csv": normals(100, 0)})
	s, out := summaryOf(t, "-iter", "60", "-weight", "1", "-verbose", "p.csv")
	if s.Model.M != 10 || !strings.Contains(strings.Join(strings.Fields(out), " "), "Try twice as many.") {
		t.Errorf("m = %d: %s", s.Model.M, out)
	}
}

// A run that ends where -until asks is not a bad one.
func TestUntilIsNoWarning(t *testing.T) {
	inFolder(t, map[string]string{"p.csv": normals(100, 0)})
	got := call(t, "", "-iter", "20000", "-until", "rhat<1.008,ess>700", "-strict", "p.csv")
	if got.code != 0 || !strings.Contains(got.stdout, "The stopping rule ended the run with") {
		t.Errorf("exit %d: %s%s", got.code, got.stdout, got.stderr)
	}
}

// Nothing of an earlier run stays that this one does not write, and names are quoted as CSV.
func TestStaleFiles(t *testing.T) {
	files := sound()
	files["odd.csv"] = "\"a \"\"b\"\", c\"\n" + normals(30, 0)
	inFolder(t, files)
	summaryOf(t, "-iter", "40", "-chains", "3", "-zarr", "odd.csv")
	b, err := os.ReadFile("bkesample-out/witness.csv")
	if err != nil || !strings.HasPrefix(string(b), `"a ""b"", c",mean,`) {
		t.Errorf("%v: witness.csv begins %.40s", err, b)
	}
	summaryOf(t, "-iter", "40", "-chains", "2", "-inputs", "8", "space_p.csv", "space_q.csv")
	for name := range listing(t, "bkesample-out") {
		for _, old := range []string{"figure", "zarr", "draws_3"} {
			if strings.Contains(name, old) {
				t.Errorf("%s is still there", name)
			}
		}
	}
}
