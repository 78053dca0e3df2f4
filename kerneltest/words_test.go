package kerneltest

import (
	"strings"
	"testing"

	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"
)

func TestResultString(t *testing.T) {
	r := &Result{P: 0.0123, Reject: true, Alpha: 0.05, Statistic: 5.2035, Permutations: 999, Best: 1,
		Null: statistic.Permutation, Notes: []string{"Few rows."},
		Candidates: []Candidate{{Kernel: kernels.SquaredExponential(0.25)},
			{Kernel: kernels.Matern32(1, 4)}}}
	want := `p          0.0123, rejected at level 0.05
statistic  5.204, 999 permutations
kernel     se, theta 0.25
kernel     matern32, theta 2 (geometric mean of 2), the strongest
Note: Few rows.
`
	if got := r.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	r = &Result{P: 0.5, Alpha: 0.01, Null: statistic.Spectral, Candidates: []Candidate{{
		Kernel:  kernels.Mean{kernels.SquaredExponential(1)},
		KernelY: kernels.SquaredExponential(1)}}}
	want = `p          0.5, not rejected at level 0.01
statistic  0, null spectral
kernel     mean of 1 kernels and se, theta 1
`
	if got := r.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// The words on a dependence are those of the simplest statistic that rejects alone.
func TestDependenceWords(t *testing.T) {
	for want, p := range map[string][3]float64{"Distance correlation by itself": {0.01, 0.01, 0.01}, "distance correlation does not": {0.2, 0.03, 0.001},
		"Only kernels": {0.2, 0.3, 0.001}, "": {0.2, 0.3, 0.06}} {
		r := &Result{Alpha: 0.05, KernelY: &Chosen{}, Candidates: []Candidate{{View: Rows, P: p[2]}, {View: Smooth, P: p[1]},
			{View: ScoreDistances, P: p[0]}}}
		if got := r.DependenceWords(); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("p-values %v: %q, want %q", p, got, want)
		}
	}
}
