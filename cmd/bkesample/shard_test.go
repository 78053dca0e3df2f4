package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayeskernel/cmd/internal/cli"
)

// Three shards, one of which was lost in part, put together in any order and gone on with, leave the files of one
// run.
func TestShardsAreOneRun(t *testing.T) {
	inFolder(t, weather())
	for _, args := range [][]string{
		{"power", "-problem", "normal:shift=0.8", "-replicates", "40", "-permutations", "19", "-most", "80"},
		{"causal", "-stability", "7", "-depth", "1", "weather.csv"},
	} {
		name := args[0]
		into := func(out string, more ...string) []string {
			return slices.Concat(args[:1], more, args[1:], []string{"-quiet", "-out", out})
		}
		must(t, "", into(name)...)
		var folders []string
		for k := 1; k <= 3; k++ {
			dir := fmt.Sprintf("%s-%d", name, k)
			must(t, "", into(dir, "-shard", fmt.Sprintf("%d/3", k))...)
			if entries, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(entries) > 0 {
				t.Errorf("shard %d has results: %v", k, entries)
			}
			folders = append([]string{dir}, folders...)
		}
		cut := cutUnits(t, folders[0])
		told := must(t, "", append([]string{"merge", "-out", name + "-all"}, folders...)...)
		_, line, ok := strings.Cut(strings.TrimSpace(told), "go on with: bkesample ")
		if !ok || !strings.Contains(told, " of 3 shards are in "+name+"-all") {
			t.Fatalf("merge says %q", told)
		}
		if got := call(t, "", append([]string{"merge", "-out", name + "-all"}, folders...)...); got.code != cli.ExitUsage ||
			!strings.Contains(got.stderr, "holds a run that is not finished") {
			t.Errorf("merged twice into one folder: %+v", got)
		}
		must(t, "", append(strings.Fields(line), "-quiet")...)
		sameFiles(t, name, name+"-all")
		if b, err := os.ReadFile(cut); err != nil || len(b) == 0 {
			t.Errorf("the shard's units are gone: %v", err)
		}
	}
	told := must(t, "", "merge", "-out", "two", "power-3", "power-1", "power-1")
	if want := " of 2 shards are in two; shard 2 of 3 is missing (the next command makes its units); go on with: "; !strings.Contains(told, want) {
		t.Errorf("merge says %q, want %q", told, want)
	}
	before := contents(t, "causal-1")
	got := call(t, "", "causal", "-resume", "causal-1", "-shard", "1/3", "-stability", "7", "-depth", "1", "-alpha", "0.01", "weather.csv")
	if got.code != cli.ExitFailed || !strings.Contains(got.stderr, "; that run goes on with: bkesample causal -resume causal-1 ") ||
		!maps.Equal(contents(t, "causal-1"), before) {
		t.Errorf("a shard was gone on with by other flags, or its folder has changed: %+v", got)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"merge", "-out", "both", "power-1", "causal-1"}, cli.ExitFailed, "want shards of one run"},
		{[]string{"merge", "-out", "power-1", "power-1", "power-2"}, cli.ExitUsage, "is one of the shards"},
		{[]string{"merge", "power-1"}, cli.ExitUsage, "-out is missing"},
		{[]string{"merge", "-out", "both", "power-1", "weather.csv"}, cli.ExitFailed, "is no folder, want that of a run with -shard"},
		{[]string{"merge", "-out", "both", "power"}, cli.ExitFailed, "has no units"},
		{[]string{"merge", "-out", "both", "."}, cli.ExitFailed, "is no folder of bkesample"},
		{[]string{"power", "-problem", "normal", "-shard", "4/3"}, cli.ExitUsage, "want k/n with k from 1 to n"},
		{[]string{"power", "-problem", "normal", "-replicates", "20", "-shard", "4/30"}, cli.ExitUsage, "at most as many shards"},
		{[]string{"causal", "-shard", "1/3", "weather.csv"}, cli.ExitUsage, "say how many there are"},
	} {
		if got := call(t, "", c.args...); got.code != c.code || !strings.Contains(got.stderr, c.want) ||
			strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%q: code %d, %q, want %d and %q", c.args, got.code, got.stderr, c.code, c.want)
		}
	}
	if _, err := os.Stat("both"); err == nil {
		t.Error("a merge that was refused left a folder")
	}
}

// cutUnits takes away the end of the units of a folder, and with it half a line, as a kill does.
func cutUnits(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "checkpoint*"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	b, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(names[0], b[:len(b)-len(b)/5], 0o666); err != nil {
		t.Fatal(err)
	}
	return names[0]
}

// What cannot be written is found before the work, and no plan or summary is replaced by the other.
func TestOutputsOfShards(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("x\n")
	for i := range 300 {
		fmt.Fprintf(&rows, "%d\n", i*i%97)
	}
	inFolder(t, map[string]string{"p.csv": rows.String(), "other": "mine"})
	for _, line := range []string{"plan -out plan p.csv", "summarize -plan plan -out p.sum p.csv"} {
		if got := call(t, "", strings.Fields(line)...); got.code != 0 {
			t.Fatalf("%s: %s", line, got.stderr)
		}
	}
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line, want string
		code       int
	}{
		{"plan -out p.sum p.csv", "p.sum: is a summary, which a plan would replace", 2},
		{"summarize -plan plan -out plan p.csv", "plan: is plan, which is read", 2},
		{"merge -out plan p.sum", "plan: is a plan, which a summary would replace", 2},
		{"plan -out folder p.csv", "-out folder: is a folder, want the name of a file", 2},
		{"plan -out no/where p.csv", "-out no/where: no such file or directory", 1},
		{"plan -out other p.csv", "other: is there already and is no plan or summary", 2},
	} {
		before, _ := os.ReadFile("p.sum")
		got := call(t, "", strings.Fields(c.line)...)
		after, _ := os.ReadFile("p.sum")
		if got.code != c.code || !strings.Contains(got.stderr, c.want) || strings.Count(got.stderr, "\n") != 1 || string(before) != string(after) {
			t.Errorf("%s: exit %d, %q, want %d and %q", c.line, got.code, got.stderr, c.code, c.want)
		}
	}
}
