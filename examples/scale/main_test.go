package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The two ways agree, the picture is drawn, and a study that was interrupted goes on.
func TestStudy(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "s.jsonl"), filepath.Join(dir, "s.png")
	args := []string{"-most", "1e4", "-file", file, "-out", out}
	var b, e strings.Builder
	if code := run(context.Background(), args, &b, &e); code != 0 {
		t.Fatalf("exit %d: %s", code, &e)
	}
	if _, err := os.Stat(out); err != nil {
		t.Error(err)
	}
	list, err := read(file)
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	// Both sample with an error of a few per cent of the sd.
	if d := math.Abs(list[0].Theta-list[1].Theta) / list[0].SD; !(d < 0.3) {
		t.Errorf("theta %v and %v, %v sds apart", list[0].Theta, list[1].Theta, d)
	}
	whole, _ := os.ReadFile(file)
	os.WriteFile(file, whole[:len(whole)-5], 0o666)
	before := b.String()
	b.Reset()
	if code := run(context.Background(), args, &b, &e); code != 0 {
		t.Fatalf("exit %d: %s", code, &e)
	}
	if first, _, _ := strings.Cut(before, "\n"); !strings.HasPrefix(b.String(), first) {
		t.Errorf("the first measurement was made anew: %s", &b)
	}
	if code := run(context.Background(), []string{"-most", "5"}, &b, &e); code != 2 {
		t.Errorf("exit %d", code)
	}
}

func TestCrossing(t *testing.T) {
	var list []record
	for _, n := range []int{1000, 3000, 10000, 12000, 100000} {
		list = append(list, record{Rows: n, Way: fromRows, Learn: 0.1 + 1e-4*float64(n)},
			record{Rows: n, Way: fromSummary, Learn: 1.1 + 1e-6*float64(n)})
	}
	if n, ok := crossing(list); !ok || math.Abs(n-1/(1e-4-1e-6)) > 1e-3*n {
		t.Errorf("%v, %v", n, ok)
	}
}
