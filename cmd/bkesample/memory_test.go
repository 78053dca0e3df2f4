package main

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// Every command that keeps its rows refuses those that would take more memory than it may use, in one sentence
// that says what to do; those that read in one pass take them.
func TestMaxMemory(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y,u,v,w,g\n")
	for i := range 550000 {
		x, y := strconv.Itoa(i*7919%97), strconv.Itoa(i*104729%91)
		b.WriteString(x + "," + y + "," + x + "," + y + "," + x + "," + string(rune('a'+i%3)) + "\n")
	}
	inFolder(t, map[string]string{"p.csv": b.String()})
	t.Cleanup(func() { debug.SetMemoryLimit(math.MaxInt64) })
	for _, args := range []string{"p.csv -columns x,y,u,v,w -pass rows", "learn p.csv -columns x,y,u,v,w", "twosample p.csv -label g=a,b",
		"independence -x x,u,w -y y,v p.csv", "power p.csv -label g=a,b", "causal p.csv", "novelty p.csv p.csv",
		"embed p.csv -label g", "bags -bag g -y y p.csv"} {
		got := call(t, "", append(strings.Fields(args), "-max-memory", "100MB")...)
		if got.code != 1 || !strings.HasPrefix(got.stderr, "bkesample: p.csv: holds ") ||
			!strings.Contains(got.stderr, " may take 20 MB, which leaves room to work: raise -max-memory") {
			t.Errorf("%s: exit %d: %s", args, got.code, got.stderr)
		}
	}
	// A table that is much too large is refused before it is read, and one that takes much is told.
	_, rows, _ := strings.Cut(b.String(), "\n")
	if err := os.WriteFile("large.csv", []byte(b.String()+rows), 0o666); err != nil {
		t.Fatal(err)
	}
	got := call(t, "", "learn", "large.csv", "-columns", "x,y,u,v,w", "-max-memory", "100MB")
	if got.code != 1 || !strings.HasPrefix(got.stderr, "bkesample: large.csv: holds about 1.1e+06 rows of 5 columns, which take about 4") ||
		strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
	// Of two tables that are read side by side each takes what the other leaves.
	two := []string{"twosample", "-columns", "x,y,u", "-max-memory", "100MB", "p.csv"}
	got = call(t, "", append(two, "large.csv")...)
	if got.code != 1 || !strings.HasPrefix(got.stderr, "bkesample: large.csv: holds about 1.1e+06 rows of 3 columns, which take about 26") ||
		!strings.Contains(got.stderr, " MB of memory, and with the other file tables may take 20 MB") {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
	got = call(t, "", append(two, "p.csv")...)
	if got.code != 1 || !strings.Contains(got.stderr, "\nbkesample: p.csv: holds at least ") ||
		!strings.Contains(got.stderr, " of memory, and a table may take 10 MB, which leaves room for the other table and the work: raise") {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
	got = call(t, "", "power", "-label", "g", "-columns", "x,y", "-max-memory", "150MB", "p.csv") // of three groups
	if got.code != 2 || !strings.Contains(got.stderr, "p.csv: about 5.5e+05 rows, which take up to ") {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
	if got := call(t, "", "plan", "p.csv", "-columns", "x", "-out", "plan.json"); got.code != 0 {
		t.Errorf("plan: exit %d: %s", got.code, got.stderr)
	}
	if got := call(t, "", "p.csv", "-max-memory", "1MB"); got.code != 2 || !strings.Contains(got.stderr,
		"want at least 100 MB, which the program takes whatever it does") {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
	if got := call(t, "", "p.csv", "-max-memory", "lots"); got.code != 2 || !strings.Contains(got.stderr,
		"want a size such as 500MB or 4GB") {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
}

// Columns whose relations do not fit are refused in a line, and nothing is left.
func TestWideTable(t *testing.T) {
	var b strings.Builder
	for i := range 4 {
		for k := range 4000 {
			if k > 0 {
				b.WriteByte(',')
			}
			if i == 0 {
				fmt.Fprintf(&b, "c%d", k)
			} else {
				fmt.Fprint(&b, (i*k)%7)
			}
		}
		b.WriteByte('\n')
	}
	inFolder(t, map[string]string{"wide.csv": b.String()})
	for _, line := range []string{"-out o -max-memory 100MB wide.csv", "learn -out o -max-memory 100MB wide.csv",
		"causal -out o -test fisherz -max-memory 100MB wide.csv", "twosample -out o -max-memory 100MB wide.csv wide.csv",
		"novelty -out o -max-memory 100MB wide.csv wide.csv"} {
		got := call(t, "", strings.Fields(line)...)
		if got.code != 1 || !strings.Contains(got.stderr, "whose relations take about") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: exit %d: %s", line, got.code, got.stderr)
		}
		if _, err := os.Stat("o"); err == nil {
			t.Errorf("%s: a folder is left", line)
		}
	}
}
