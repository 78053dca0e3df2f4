package format

import (
	"os"
	"slices"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/draws/internal/drawstest"
)

func names(t *testing.T, f Format, dir string) (own []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if f.Owns(e.Name()) {
			own = append(own, e.Name())
		}
	}
	return own
}

// Every format writes what it owns, streams the bytes that it writes whole, leaves what has no draws
// alone and tidies what is over.
func TestFormats(t *testing.T) {
	for _, f := range All(Options{}) {
		if same, err := Named(f.Name(), Options{}); err != nil || same != f {
			t.Errorf("%s is not found by its name: %v", f.Name(), err)
		}
		run := drawstest.Run([]string{"a", "b"}, 3, 2, 20, 1)
		drawstest.OtherMetric(run)
		whole, dir := t.TempDir(), t.TempDir()
		if err := f.Write(whole, run); err != nil {
			t.Fatal(err)
		}
		first := names(t, f, whole)
		if len(first) == 0 {
			t.Errorf("%s owns nothing that it wrote", f.Name())
		}
		var chains []*draws.Chain
		for c := range run.Chains {
			chains = append(chains, &run.Chains[c])
		}
		for _, least := range []int{20, 21} { // the second leaves what the first made
			recs, err := draws.Listen(Recorder(f, dir, least), *run, chains)
			if err != nil {
				t.Fatal(err)
			}
			if recs[0] == nil {
				continue
			}
			if err := recs.Close(chains); err != nil {
				t.Fatal(err)
			}
			if got := names(t, f, dir); !slices.Equal(got, first) {
				t.Errorf("%s: streamed %q, want %q", f.Name(), got, first)
			}
			drawstest.SameTree(t, whole, dir)
		}
		for _, n := range []int{2, 0} {
			if err := f.Tidy(whole, n); err != nil {
				t.Fatal(err)
			}
			if got := names(t, f, whole); n == 0 && got != nil || n > 0 && !slices.Equal(got,
				first[:min(n, len(first))]) {
				t.Errorf("%s: %q are left of %d chains", f.Name(), got, n)
			}
		}
	}
	if _, err := Named("hdf5", Options{}); err == nil {
		t.Error("a format that is not there was found")
	}
}
