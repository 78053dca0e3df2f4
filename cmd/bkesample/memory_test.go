package main

import (
	"math"
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
		if got.code != 1 || !strings.HasPrefix(got.stderr, "bkesample: p.csv: holds at least ") ||
			!strings.Contains(got.stderr, "a table may take 20 MB, which leaves room to work: raise -max-memory") {
			t.Errorf("%s: exit %d: %s", args, got.code, got.stderr)
		}
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
