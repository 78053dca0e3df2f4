package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// The kernel tests find what correlations do not, and the time is taken out: without that, the season
// makes both columns dependent.
func TestCausalKernel(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	var waves, season strings.Builder
	waves.WriteString("cause,effect,other\n")
	season.WriteString("day,ice,births\n")
	for i := range 120 {
		x := r.NormFloat64()
		fmt.Fprintf(&waves, "%.4f,%.4f,%.4f\n", x, math.Cos(2*x)+0.3*r.NormFloat64(), r.NormFloat64())
		s := math.Sin(float64(i) / 20)
		fmt.Fprintf(&season, "%d,%.4f,%.4f\n", i, s+0.5*r.NormFloat64(), 0.5*r.NormFloat64()-s)
	}
	inFolder(t, map[string]string{"waves.csv": waves.String(), "season.csv": season.String()})
	for _, test := range []string{"kci", "residual"} {
		if got, _ := graphOf(t, "-test", test, "waves.csv"); got != "cause -- effect" {
			t.Errorf("%s: %s", test, got)
		}
	}
	if got, _ := graphOf(t, "-columns", "ice,births", "season.csv"); got != "births -- ice" {
		t.Errorf("%s", got)
	}
	got, p := graphOf(t, "-time", "day", "-columns", "day,ice,births", "season.csv")
	if got != "" || len(p.Nodes) != 2 {
		t.Errorf("%s, %+v", got, p)
	}
	b, err := os.ReadFile("bkesample-out/causal/summary.json")
	if err != nil || strings.Count(string(b), `"autocorrelation_after"`) != 2 {
		t.Errorf("%v", err)
	}
}
