package format

import (
	"os"
	"slices"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/draws/internal/drawstest"
)

// names are those of all that is in a folder, in order.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// Every format writes the files that it names, streams the bytes that it writes whole, and leaves what
// has no draws alone.
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
		first := names(t, whole)
		if want := f.Files(len(run.Chains)); len(want) == 0 || !slices.Equal(first, want) {
			t.Errorf("%s wrote %q and names %q", f.Name(), first, want)
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
			if got := names(t, dir); !slices.Equal(got, first) {
				t.Errorf("%s: streamed %q, want %q", f.Name(), got, first)
			}
			drawstest.SameTree(t, whole, dir)
		}
	}
	if _, err := Named("hdf5", Options{}); err == nil {
		t.Error("a format that is not there was found")
	}
}
