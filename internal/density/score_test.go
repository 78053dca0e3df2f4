package density

import (
	"math"
	"testing"
)

// Quantiles of the standard normal distribution: the first from tables, those of tiny probabilities from the
// logs of these by SciPy: roots of log_ndtr.
func TestNormalScore(t *testing.T) {
	for _, c := range []struct{ log, want float64 }{
		{math.Log(0.5), 0},
		{math.Log(0.025), -1.959963984540054},
		{math.Log(0.001), -3.090232306167813},
		{-500, -31.4842997756288},
		{-800, -39.8846948382566},
		{-1e5, -447.197893678525},
	} {
		rest := Log1mExp(c.log)
		for k, got := range []float64{NormalScore(c.log, rest), -NormalScore(rest, c.log)} {
			if math.Abs(got-c.want) > 1e-8*math.Max(1, math.Abs(c.want)) {
				t.Errorf("log probability %v, side %d: %.10g, want %.10g", c.log, k, got, c.want)
			}
			if above, _ := normalAbove(-got); math.Abs(above-c.log) > 1e-9*math.Abs(c.log) {
				t.Errorf("score %v has log probability %v, want %v", got, above, c.log)
			}
		}
	}
	if got := NormalScore(math.Inf(-1), 0); !math.IsInf(got, -1) {
		t.Errorf("score of probability 0 is %v, want -Inf", got)
	}
}
