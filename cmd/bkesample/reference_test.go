package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"bayeskernel/draws"
)

// posteriors are exact values, see testdata/README.md.
type posteriors map[string]struct {
	ThetaMean float64    `json:"theta_mean"`
	ThetaSD   float64    `json:"theta_sd"`
	Tau2Mean  float64    `json:"tau2_mean"`
	Tau2SD    float64    `json:"tau2_sd"`
	ThetaQ    [5]float64 `json:"theta_quantiles_05_25_50_75_95"`
	Tau2Q     [5]float64 `json:"tau2_quantiles_05_25_50_75_95"`
}

// The program's own summary.json agrees with the exact posterior within 5 MCSE in all of ten
// numbers. A right program fails on a new seed with probability below 20 x 6e-7, about 1e-5; the
// seed is fixed.
func TestAgreesWithQuadrature(t *testing.T) {
	dir := filepath.Join(home, "testdata", "normal_laplace")
	b, err := os.ReadFile(filepath.Join(dir, "posterior.json"))
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		t.Fatal(err)
	}
	delete(raw, "_about")
	b, _ = json.Marshal(raw)
	var exact posteriors
	if err := json.Unmarshal(b, &exact); err != nil || len(exact) != 2 {
		t.Fatalf("%d posteriors, %v", len(exact), err)
	}
	for name, want := range exact {
		t.Run(name, func(t *testing.T) {
			inFolder(t, nil)
			file := func(s string) string { return filepath.Join(dir, name+"_"+s+".csv") }
			got := call(t, "", "-iter", "4000", "-standardize", "none", "-weight", "0.05",
				"-inputs-file", file("z"), "-out", "D", file("p"), file("q"))
			if got.code != 0 || got.stderr != "" {
				t.Fatalf("exit %d: %s", got.code, got.stderr)
			}
			var sum struct{ Parameters []draws.Parameter }
			b, err := os.ReadFile("D/summary.json")
			if err == nil {
				err = json.Unmarshal(b, &sum)
			}
			if err != nil || len(sum.Parameters) != 2 {
				t.Fatalf("%d parameters, %v", len(sum.Parameters), err)
			}
			for i, p := range sum.Parameters {
				mean, sd, q := want.ThetaMean, want.ThetaSD, want.ThetaQ
				if i == 1 {
					mean, sd, q = want.Tau2Mean, want.Tau2SD, want.Tau2Q
				}
				for _, c := range []struct {
					what            string
					got, want, mcse float64
				}{{"mean", p.Mean, mean, p.MCSEMean}, {"sd", p.SD, sd, p.MCSESD},
					{"5%", p.Q05, q[0], p.MCSEQ05}, {"50%", p.Q50, q[2], p.MCSEQ50},
					{"95%", p.Q95, q[4], p.MCSEQ95}} {
					z := (c.got - c.want) / c.mcse
					t.Logf("%s %s: %.6g, exact %.6g, %+.2f MCSE", p.Name, c.what, c.got, c.want, z)
					// The MCSE must be small too: an eighth of the sd is that of 64 draws.
					if !(math.Abs(z) < 5) || !(c.mcse < sd/8) {
						t.Errorf("%s %s is %v, exact %v: %.2f MCSE of %.2g", p.Name, c.what, c.got,
							c.want, z, c.mcse)
					}
				}
			}
		})
	}
}
