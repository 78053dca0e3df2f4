package models

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/internal/fixture"
)

func TestGPBimodalGradient(t *testing.T) {
	g, err := NewGPBimodal()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, 2)
	for range 50 {
		GPPrior{}.Draw(x, r)
		if err := hmc.CheckGradient(g, x); err != nil {
			t.Error(err)
		}
		if err := hmc.CheckGradient(GPPrior{}, x); err != nil {
			t.Error(err)
		}
	}
}

// TestGPBimodalEvidence integrates over a grid and compares with the reference's quadrature.
func TestGPBimodalEvidence(t *testing.T) {
	var ref struct {
		LogZ float64 `json:"log_evidence"`
		Mean []float64
	}
	fixture.JSON(t, "../../testdata/gp_bimodal.json", &ref)
	g, _ := NewGPBimodal()
	const h = 0.05
	var z, prior, mean0, mean1 float64
	grad := make([]float64, 2)
	for a := -7.0; a < 8; a += h {
		for b := -6.5; b < 3; b += h {
			x := []float64{a, b}
			w := math.Exp(g.LogDensity(x, grad)) * h * h
			z += w
			mean0 += w * a
			mean1 += w * b
			prior += math.Exp(GPPrior{}.LogDensity(x, grad)) * h * h
		}
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{{"log evidence", math.Log(z), ref.LogZ}, {"mean of log l", mean0 / z, ref.Mean[0]},
		{"mean of log s", mean1 / z, ref.Mean[1]}, {"integral of the prior", prior, 1}} {
		if !(math.Abs(c.got-c.want) < 1e-6) {
			t.Errorf("%s is %.9g, expected %.9g", c.what, c.got, c.want)
		}
	}
}
