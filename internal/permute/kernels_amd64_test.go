//go:build amd64 && !noasm

package permute

import (
	"context"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// After wide registers have been used and not cleared, code that mixes old and new instructions, as
// math.Exp does, takes a hundred times as long.
func TestUpperHalvesAreClean(t *testing.T) {
	const n = 21
	ctx, k := context.Background(), gram(n, 1, false)
	d := must(NewDesign(n, 1, nil))
	s, p, f := must(d.Signs(9, 0, 3)), must(d.Perms(0, 3)), factor(k, n)
	sums, values := make([]Sums, 3), make([]float64, 3)
	rows := []Rows{{Data: k}, {Data: k}, {Data: k}}
	exps := func() time.Duration {
		begin, sum := time.Now(), 0.0
		for i := range 200 {
			sum += math.Exp(-float64(i) / 40)
		}
		if sum < 1 {
			t.Error("exp is wrong")
		}
		return time.Since(begin)
	}
	timed := func(dirty func()) time.Duration {
		best := time.Hour
		for range 50 {
			dirty()
			best = min(best, exps())
		}
		return best
	}
	// Without VZEROUPPER the kernels make it 110 to 140 times as long. Processors have states in which it takes 12 times as
	// long for milliseconds, whatever was called.
	const slow = 50
	clean := timed(func() {})
	for _, e := range engines() {
		e.Parallel = 1
		for name, f := range map[string]func() error{
			"Forms":  func() error { return e.Forms(ctx, sums, s, Matrix{N: n, Data: k}) },
			"Gather": func() error { return e.Gather(ctx, [][]float64{values}, p, rows[:1], k) },
			"Gather of three": func() error {
				return e.Gather(ctx, [][]float64{values, values, values}, p, rows, k)
			},
			"Gather of nine": func() error {
				nine := slices.Repeat([][]float64{values}, 9)
				return e.Gather(ctx, nine, p, rows, k, k, k)
			},
			"Cross": func() error { return e.Cross(ctx, values, p, f, f) },
		} {
			after := timed(func() {
				if err := f(); err != nil {
					t.Error(err)
				}
			})
			if after > slow*clean {
				t.Errorf("math.Exp takes %v after %s of %v, %v before", after, name, e.Kind, clean)
			}
		}
	}
}

func TestEveryReturnClearsUpperHalves(t *testing.T) {
	text, err := os.ReadFile("kernels_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	before, returns := "", 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "RET" {
			returns++
			if before != "VZEROUPPER" {
				t.Errorf("a return after %q, want VZEROUPPER", before)
			}
		}
		if line != "" {
			before = line
		}
	}
	if want := strings.Count(string(text), "TEXT "); returns != want || want != 11 {
		t.Errorf("%d returns of %d functions, want 11", returns, want)
	}
}
