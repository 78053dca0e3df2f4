package compare

import (
	"math"
	"strings"
	"testing"

	"bayeskernel/nuts"
)

// The mean embedding of a normal sample has its top at the mean, near the closed form
// theta/sqrt(1+theta²) there: to 5 of its standard deviations.
func TestDescribe(t *testing.T) {
	x := rowsOf(1, 400, 1, shifted(2))
	for _, o := range []Options{{}, {Sampler: &nuts.Config{Settings: nuts.Settings{Chains: 2,
		Warmup: 100, Draws: 50}}}} {
		d, err := Describe(t.Context(), Sample{Name: "a", X: x}, o)
		if err != nil {
			t.Fatal(err)
		}
		f, top := d.Embedding.Shown, 0
		for j, v := range f.Mean {
			if v > f.Mean[top] {
				top = j
			}
		}
		theta := d.Embedding.Theta[0]
		at := f.Points.At(top, 0)
		want := theta / math.Sqrt(1+theta*theta) * math.Exp(-(at-2)*(at-2)/2/(1+theta*theta))
		if !(math.Abs(at-2) < 0.5 && math.Abs(f.Mean[top]-want) < 5*f.SD[top]) {
			t.Errorf("top at %v: %v ± %v, want %v", at, f.Mean[top], f.SD[top], want)
		}
		if d.Embedding.Where != nil || !strings.HasPrefix(d.String(), "The mean embedding of a is "+
			"largest at x = ") || d.Embedding.Scale != Paper() {
			t.Error(d)
		}
		if w, err := d.At(t.Context(), Scale{Rung: 4}); err != nil || !(w.Theta[0] > 3*theta) {
			t.Error(w, err)
		}
	}
	if _, err := Describe(t.Context(), Sample{}, Options{}); err == nil {
		t.Error("no error for a sample without rows")
	}
	d, err := Describe(t.Context(), Sample{X: rowsOf(1, 60, 3, shifted(0)), Weights: ramp(60)},
		Options{})
	if err != nil || d.Embedding.Axes != nil || len(d.Embedding.Shown.Mean) == 0 {
		t.Error(d, err)
	}
}

func ramp(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i + 1)
	}
	return out
}
