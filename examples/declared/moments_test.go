package declared

import (
	"cmp"
	"context"
	"math"
	"testing"

	"bayeskernel/diagnostics"
	"bayeskernel/examples/models"
	"bayeskernel/internal/long"
	"bayeskernel/nuts"
)

// Where chains start that would find a minor mode, or need long from far out, and target
// acceptances for those with divergences at less: as for the models by hand.
var (
	starts = map[string][]float64{"low_dim_gauss_mix": {-1, 1, 1, 1, 0.5},
		"GLM_Poisson_model": {4, 1, 0, 0}, "arma11": {0, 0.9, 0.1, 0.2},
		"hmm_drive_0":    {0.98, 0.02, 0.05, 0.95, 1.8, 7, 0.03, 0.08},
		"lotka_volterra": {0.55, 0.03, 0.8, 0.024, 34, 6, 0.25, 0.25}}
	acceptances = map[string]float64{"one_comp_mm_elim_abs": 0.99, "accel_gp": 0.99}
)

// Means of four chains of 1000 draws are within 5 standard errors, of ours and of the reference
// combined. There are some 200 of them: with normal errors another seed fails with a probability of
// 1e-4. The centred eight schools cannot be sampled well and are left out.
func TestMoments(t *testing.T) {
	long.Skip(t)
	all, err := models.All()
	if err != nil {
		t.Fatal(err)
	}
	reference := map[string]map[string]models.Moments{}
	for _, p := range all {
		reference[p.Name] = p.Reference
	}
	for _, p := range All() {
		t.Run(p.Name, func(t *testing.T) {
			if p.Name == "eight_schools_centered" {
				t.Skip("it cannot be sampled well")
			}
			checkMoments(t, p, reference[p.Name])
		})
	}
}

func checkMoments(t *testing.T, p Posterior, reference map[string]models.Moments) {
	m, err := p.Declare()
	if err != nil {
		t.Fatal(err)
	}
	program, err := m.Compile()
	if err != nil {
		t.Fatal(err)
	}
	var cfg nuts.Config
	cfg.Seed, cfg.TargetAccept = 20240917, cmp.Or(acceptances[p.Name], 0.95)
	if values := starts[p.Name]; values != nil {
		x, err := program.Unconstrain(values)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Start.Points = [][]float64{x}
	}
	run, err := nuts.Sample(context.Background(), program.Target, cfg)
	if err != nil {
		t.Fatal(err)
	}
	most := 0.0
	for name, ref := range reference {
		x, ok := run.Draws(name)
		if !ok {
			t.Fatalf("no draws of %s", name)
		}
		z := math.Abs(diagnostics.Mean(x)-ref.Mean) / math.Hypot(diagnostics.MCSEMean(x), ref.MCSE)
		if !(z <= 5) {
			t.Errorf("%s: the mean %v is %.2f standard errors from %v", name, diagnostics.Mean(x), z,
				ref.Mean)
		}
		most = max(most, z)
	}
	t.Logf("largest error of a mean %.2f standard errors", most)
}
