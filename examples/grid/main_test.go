package main

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayeskernel/internal/long"
	"bayeskernel/power"
)

// The study that comes with the program is what the paper's figure says: the median heuristic sees
// nothing at any epsilon, learned lengthscales see all from 4 on, and nothing is found at 1.
func TestKeptStudy(t *testing.T) {
	records, err := power.Read(bytes.NewReader(kept))
	if err != nil {
		t.Fatal(err)
	}
	rates, err := power.Rates(records)
	if err != nil {
		t.Fatal(err)
	}
	all, err := problems()
	if err != nil {
		t.Fatal(err)
	}
	cells := make(map[string]int)
	for _, r := range rates {
		for _, p := range all {
			if p.Name != r.Problem {
				continue
			}
			cells[r.Method]++
			if r.Failed > 0 {
				t.Errorf("%+v: tests failed", r)
			}
			eps, median := p.Values["eps"], strings.Contains(r.Method, "median")
			if (median || eps == 1) && r.Power() > 0.1 || !median && eps >= 4 && r.Power() < 0.9 {
				t.Errorf("%s, epsilon %v: power %.2f", r.Method, eps, r.Power())
			}
		}
	}
	for method, count := range cells {
		if count != len(all) {
			t.Errorf("%s was tried with %d epsilons of %d", method, count, len(all))
		}
	}
	c, err := typeII(records)
	if err != nil || len(c.Series) != len(cells) {
		t.Errorf("%d series, error %v", len(c.Series), err)
	}
	if _, err := c.Draw(); err != nil {
		t.Error(err)
	}
}

// Panel D has the modes of the paper: 0.85 or so with a tenth of 900 rows as pseudo-inputs, another
// beyond 20, and the medians between. Over data sets and pseudo-inputs the first has a standard
// deviation of 0.03.
func TestProfile(t *testing.T) {
	s, err := newSamples(1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Modes) < 2 || f.Modes[0].X < 0.7 || f.Modes[0].X > 1.05 {
		t.Errorf("modes %v", f.Modes)
	}
	far := f.Modes[1]
	if far.X < 18 || far.X > 28 || f.Modes[0].Y-far.Y < 1000 {
		t.Errorf("modes %v", f.Modes)
	}
	for i, want := range []float64{10, 14.15, 20} {
		if got := f.Medians[i].X; got < want-0.2 || got > want+0.2 {
			t.Errorf("median %d is %v, want %v", i, got, want)
		}
	}
}

func TestRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grid.png")
	var stdout, stderr bytes.Buffer
	for _, args := range []string{"-study 3", "-study -1", "file", "-unknown"} {
		if code := run(context.Background(), strings.Fields(args), &stdout, &stderr); code != 2 {
			t.Errorf("%s: exit code %d, want 2", args, code)
		}
	}
	if err := os.WriteFile(path, []byte("no\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if code := run(context.Background(), []string{"-data", path}, &stdout, &stderr); code != 1 {
		t.Errorf("words as data: exit code %d, want 1", code)
	}
	long.Skip(t) // the witness takes ten seconds
	stderr.Reset()
	if code := run(context.Background(), []string{"-out", path}, &stdout, &stderr); code != 0 ||
		!strings.Contains(stdout.String(), "| mmdagg ") {
		t.Fatalf("exit code %d, stdout %s, stderr %s", code, &stdout, &stderr)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if c, err := png.DecodeConfig(f); err != nil || c.Width < 1000 {
		t.Errorf("picture %+v, error %v", c, err)
	}
}
