package work

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Chains take a table where a pass over the rows is dear, and only there; it covers the mode.
func TestTabulateWhereDear(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n, dim int
		want   bool
	}{{60, 2, false}, {300, 12, true}} {
		x := mat.NewDense(c.n, c.dim, nil)
		for i := range c.n {
			for j := range c.dim {
				x.Set(i, j, r.NormFloat64())
			}
		}
		m := &ModelFlags{Nu: "unit", weight: "auto", Theta: "gamma(1,1)", Tau2Prior: "gamma(1,1)",
			path: "portable", Kernel: KernelFlag{list: []kernels.Radial{kernels.SE{}}}}
		s, err := NewStudy(t.Context(), m, &cli.Console{}, &input.Dataset{P: x, Source: "x"})
		if err != nil {
			t.Fatal(err)
		}
		p := s.Fit.Modes[0].Params
		before, _ := s.Model.Evaluator().Value(p)
		if err := s.tabulate(t.Context()); err != nil {
			t.Fatal(err)
		}
		noted := strings.Contains(strings.Join(s.Notes, "\n"), "interpolate sums over the rows")
		after, _ := s.Model.Evaluator().Value(bke.Params{Theta: p.Theta, Tau2: p.Tau2})
		if noted != c.want || math.Abs(before-after) > 1e-7 {
			t.Errorf("%d rows of %d columns: noted %v, %v before, %v after", c.n, c.dim, noted, before,
				after)
		}
	}
}
