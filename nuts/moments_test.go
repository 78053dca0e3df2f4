package nuts

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"bayeskernel/diagnostics"
	"bayeskernel/hmc"
	"bayeskernel/internal/long"
	"bayeskernel/internal/testmodels"
)

// truth is what is known of one coordinate; NaN where nothing is.
type truth struct{ mean, sd, q05, q50, q95 float64 }

func normalTruth(mean, sd float64) truth {
	q := distuv.UnitNormal.Quantile(0.95) * sd
	return truth{mean, sd, mean - q, mean, mean + q}
}

type momentCase struct {
	name   string
	target testmodels.Func
	truth  []truth
	// accept is the target acceptance where the default takes steps too long for the target's
	// narrowest place, which shows as divergences; it has six times the draws.
	accept float64
}

func momentCases(t *testing.T) []momentCase {
	t.Helper()
	nan := math.NaN()
	var cov mat.Dense
	if err := cov.Inverse(mat.NewDense(3, 3,
		[]float64{2, 0.8, 0, 0.8, 1, 0.3, 0, 0.3, 0.5})); err != nil {
		t.Fatal(err)
	}
	gauss3 := make([]truth, 3)
	for i := range gauss3 {
		gauss3[i] = normalTruth(0, math.Sqrt(cov.At(i, i)))
	}
	quartic := make([]truth, 4)
	for i := range quartic {
		quartic[i] = truth{0, math.Sqrt(testmodels.QuarticSquares[i]), nan, 0, nan}
	}
	q := math.Log(19) // the 95% point of the standard logistic
	logistic := truth{0, math.Pi / math.Sqrt(3), -q, 0, q}
	return []momentCase{
		{"gauss2", testmodels.Gauss2(), []truth{normalTruth(0, 1), normalTruth(0, 10)}, 0},
		{"gauss3", testmodels.Gauss3(), gauss3, 0},
		{"banana", testmodels.Banana(), []truth{normalTruth(0, 1), {1, 1.5, nan, nan, nan}},
			0.99},
		{"quartic", testmodels.Quartic(), quartic, 0},
		{"logistic", testmodels.Logistic(2), []truth{logistic, logistic}, 0},
		{"correlated", testmodels.Correlated(0.95), []truth{normalTruth(0, 1), normalTruth(0, 1)}, 0},
	}
}

// TestMoments compares long runs with what is known of their targets: means, standard deviations and
// quantiles within 5 Monte Carlo standard errors, each of which fails by chance 5.7e-7 of the time,
// from at least 1000 effective draws.
func TestMoments(t *testing.T) {
	draws := 2500
	if long.Enabled() {
		draws = 25000
	}
	settings := map[string]hmc.Settings{
		"default": {},
		"stan":    {Adapt: hmc.Adapt{StanWarmup: true, Metric: hmc.DiagMetric}},
		"options": {StepJitter: 0.2, Source: "chacha8", TargetAccept: 0.9,
			Adapt: hmc.Adapt{Acceptance: hmc.PlainAcceptance, Fixed: true}},
	}
	for name, s := range settings {
		s.Seed, s.Draws, s.Warmup = 20, draws, 500
		samplers := map[string]func(f hmc.Factory, s hmc.Settings) ([][][]float64, error){
			"nuts": func(f hmc.Factory, s hmc.Settings) ([][][]float64, error) {
				run, err := Sample(context.Background(), f, Config{Settings: s})
				if err != nil {
					return nil, err
				}
				var cols [][][]float64
				for j := range run.Names {
					cols = append(cols, run.Column(j))
				}
				return cols, nil
			},
			"hmc": func(f hmc.Factory, s hmc.Settings) ([][][]float64, error) {
				run, err := hmc.Sample(context.Background(), f, hmc.Config{Settings: s})
				if err != nil {
					return nil, err
				}
				var cols [][][]float64
				for j := range run.Names {
					cols = append(cols, run.Column(j))
				}
				return cols, nil
			},
		}
		for sampler, sample := range samplers {
			for _, c := range momentCases(t) {
				t.Run(sampler+"/"+name+"/"+c.name, func(t *testing.T) {
					t.Parallel()
					s := s
					if c.accept > 0 {
						s.TargetAccept, s.Draws = c.accept, 6*s.Draws
					}
					cols, err := sample(hmc.Shared(c.target), s)
					if err != nil {
						t.Fatal(err)
					}
					for j, want := range c.truth {
						checkTruth(t, j, cols[j], want)
					}
				})
			}
		}
	}
}

func checkTruth(t *testing.T, j int, x [][]float64, want truth) {
	t.Helper()
	if e := math.Min(diagnostics.ESSMean(x), diagnostics.ESSSD(x)); !(e >= 1000) {
		t.Errorf("x%d: ESS %.0f", j, e)
	}
	for _, c := range []struct {
		what            string
		got, want, mcse float64
	}{
		{"mean", diagnostics.Mean(x), want.mean, diagnostics.MCSEMean(x)},
		{"sd", diagnostics.SD(x), want.sd, diagnostics.MCSESD(x)},
		{"5%", diagnostics.Quantile(x, 0.05), want.q05, diagnostics.MCSEQuantile(x, 0.05)},
		{"50%", diagnostics.Quantile(x, 0.5), want.q50, diagnostics.MCSEQuantile(x, 0.5)},
		{"95%", diagnostics.Quantile(x, 0.95), want.q95, diagnostics.MCSEQuantile(x, 0.95)},
	} {
		if math.IsNaN(c.want) {
			continue
		}
		if z := (c.got - c.want) / c.mcse; !(math.Abs(z) < 5) {
			t.Errorf("x%d: %s is %v, want %v: z = %.1f", j, c.what, c.got, c.want, z)
		}
	}
}
