package sample

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/hmc"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// normalStudy is a study of n normal rows.
func normalStudy(t *testing.T, n, dim int) *study.Study {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(n, dim, nil)
	for i := range n {
		for j := range dim {
			x.Set(i, j, r.NormFloat64())
		}
	}
	m := &study.ModelFlags{Nu: "unit", Weight: "auto", Theta: "gamma(1,1)", Tau2Prior: "gamma(1,1)",
		Path: "portable", Kernel: study.KernelFlag{List: []kernels.Radial{kernels.SE{}}}}
	s, err := study.New(t.Context(), &cli.Console{}, m, &input.Dataset{P: x, Source: "x"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Chains take a table where a pass over the rows is dear, and only there; it covers the mode.
func TestTabulateWhereDear(t *testing.T) {
	for _, c := range []struct {
		n, dim int
		want   bool
	}{{60, 2, false}, {300, 12, true}} {
		s := normalStudy(t, c.n, c.dim)
		p := s.Fit.Modes[0].Params
		before, _ := s.Model.Evaluator().Value(p)
		if err := s.Tabulate(t.Context(), &cli.Console{}); err != nil {
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

// Where a pass is dearer still the chains start at the one mode, which is noted, and only there.
func TestStartWhereDear(t *testing.T) {
	for _, c := range []struct {
		n, dim int
		want   bool
	}{{300, 12, false}, {900, 12, true}} {
		s := normalStudy(t, c.n, c.dim)
		if err := s.Tabulate(t.Context(), &cli.Console{}); err != nil {
			t.Fatal(err)
		}
		f := &SamplerFlags{sampler: "nuts"}
		run, err := f.draw(t.Context(), &cli.Console{}, s, hmc.Settings{Chains: 2, Warmup: 20, Draws: 10, Seed: 1,
			Start: hmc.Start{From: hmc.InitTarget}})
		if err != nil {
			t.Fatal(err)
		}
		noted := strings.Contains(strings.Join(s.Notes, "\n"), "start at the one mode")
		if noted != c.want || len(run.Modes.Modes) != 1 {
			t.Errorf("%d rows of %d columns: noted %v, %d modes", c.n, c.dim, noted, len(run.Modes.Modes))
		}
	}
}
