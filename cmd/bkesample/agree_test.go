package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"bayeskernel/cmd/bkesample/internal/sample"
	"bayeskernel/internal/long"
)

// The first sentence of a run is what the test says of the same files, whatever the chains and the
// bands say.
func TestVerdictIsTheTest(t *testing.T) {
	sets := 3
	if long.Enabled() {
		sets = long.Of(60, 200)
	}
	r := rand.New(rand.NewPCG(20, 22))
	rejected := 0
	for k := range sets {
		law, n := k%5, []int{400, 100, 200, 50}[(k+k/5)%4]
		inFolder(t, map[string]string{"a.csv": sampleOf(r, 0, n, law == 4), "b.csv": sampleOf(r, law, n,
			law == 4)})
		got := call(t, "", "twosample", "-format", "json", "-permutations", "199", "a.csv", "b.csv")
		var test struct {
			P      float64
			Reject bool
			Where  []any
			Test   struct{ P float64 }
		}
		if err := json.Unmarshal([]byte(got.stdout), &test); got.code != 0 || err != nil {
			t.Fatalf("%v: %s", err, got.stderr)
		}
		got = call(t, "", "-format", "json", "-permutations", "199", "-iter", "60", "-chains", "2",
			"-no-interval", "a.csv", "b.csv")
		var s sample.Record
		if err := json.Unmarshal([]byte(got.stdout), &s); got.code != 0 || err != nil {
			t.Fatalf("%v: %s", err, got.stderr)
		}
		want := "a and b cannot be told apart"
		if test.Reject {
			want = "a and b differ"
			rejected++
		}
		if float64(s.Test.P) != test.P || test.Test.P != test.P || s.Test.Reject != test.Reject ||
			!strings.HasPrefix(s.Found[0], want) {
			t.Errorf("set %d: p = %v and %v: %s", k, s.Test.P, test.P, s.Found[0])
		}
		if !test.Reject && len(s.Where)+len(s.Places)+len(test.Where) > 0 {
			t.Errorf("set %d: p = %v, and places %v %v", k, test.P, s.Where, s.Places)
		}
		page, err := os.ReadFile("bkesample-out/report.html")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "<title>"+want) || len(page) > 800000 {
			t.Errorf("set %d: a page of %d bytes without the title %q", k, len(page), want)
		}
	}
	if rejected == 0 || rejected == sets {
		t.Errorf("%d of %d sets rejected, want some of each", rejected, sets)
	}
}

// sampleOf is a file of n rows of the normal law, or one that is shifted, wider, heavier in the tails
// or correlated.
func sampleOf(r *rand.Rand, law, n int, plane bool) string {
	var b strings.Builder
	for range n {
		x := r.NormFloat64()
		switch law {
		case 1:
			x += 0.25
		case 2:
			x *= 1.3
		case 3:
			x = math.Copysign(math.Sqrt(0.5)*r.ExpFloat64(), x)
		}
		if !plane {
			fmt.Fprintln(&b, x)
			continue
		}
		y := r.NormFloat64()
		if law == 4 {
			y = 0.5*x + math.Sqrt(0.75)*y
		}
		fmt.Fprintf(&b, "%v,%v\n", x, y)
	}
	return b.String()
}
