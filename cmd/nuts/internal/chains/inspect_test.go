package chains

import (
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/draws"
)

// bumps is a standard normal, and a lower one at 40 where second is true.
type bumps struct{ second bool }

func (bumps) Dim() int { return 1 }

func (b bumps) LogDensity(x, grad []float64) float64 {
	lp := -x[0] * x[0] / 2
	grad[0] = -x[0]
	if d := x[0] - 40; b.second && -d*d/2-20 > lp {
		lp, grad[0] = -d*d/2-20, -d
	}
	return lp
}

func (bumps) Unconstrain(v []float64) ([]float64, error) { return v, nil }

// A chain that warm-up moved from far away is a warning if there is a mode where it was, and a note if there is none.
func TestRejoined(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, second := range []bool{false, true} {
		run := &draws.Run{Names: []string{"x"}, Seed: 3, Sampler: draws.Sampler{Draws: 500, Chains: 2}}
		for c := range 2 {
			chain := draws.Chain{Stats: make([]draws.Stat, 500)}
			for range 500 {
				chain.Values = append(chain.Values, []float64{r.NormFloat64()})
			}
			if c == 1 {
				chain.MovedFrom = []float64{41}
			}
			run.Chains = append(run.Chains, chain)
		}
		told := Tell(run)
		told.Inspect(t.Context(), run, bumps{second}, nil)
		warned := false
		for _, w := range told.Summary.Warnings {
			warned = warned || w.Kind == draws.WarnMoved
		}
		noted := strings.Contains(strings.Join(told.Summary.Notes, " "), "this was no other mode")
		if warned != second || noted == second {
			t.Errorf("a second mode: %v; warned %v, noted %v", second, warned, noted)
		}
	}
}
