package compare

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A corner of two of five columns that holds more of one sample is found, and confirmed on rows that did not find it.
func TestRule(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	const n = 300
	x, y := mat.NewDense(n, 5, nil), mat.NewDense(n, 5, nil)
	for i := range n {
		for j := range 5 {
			x.Set(i, j, r.Float64())
			y.Set(i, j, r.Float64())
		}
		if i%3 == 0 {
			y.Set(i, 1, 0.7+0.3*r.Float64())
			y.Set(i, 3, 0.3*r.Float64())
		}
	}
	got, err := Samples(context.Background(), Sample{X: x}, Sample{X: y}, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got.Rule == nil {
		t.Fatal("there is no rule")
	}
	found := map[string]bool{}
	for _, c := range got.Rule.Conditions {
		found[c.Column] = true
	}
	if !found["x2"] || !found["x4"] || got.Rule.P > 1e-3 {
		t.Errorf("rule %v", got.Rule)
	}
	if !strings.Contains(got.Verdict(), got.Rule.String()) {
		t.Errorf("verdict %q does not tell the rule", got.Verdict())
	}
}

// Fisher's exact test of 3 of 4 against 1 of 4: (16+1)/70 by counting.
func TestUpperTail(t *testing.T) {
	if p := upperTail(3, 4, 4, 8); math.Abs(p-17.0/70) > 1e-14 {
		t.Errorf("p = %v, want 17/70", p)
	}
}
