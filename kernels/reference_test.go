package kernels

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"bayeskernel/internal/dd"
)

// referenceCase is what concerns this package of a case of kernels.json.
type referenceCase struct {
	Data         string
	Kernel       string
	Lengthscales []float64
	Convention   string
	Eta          float64
	Alpha        float64
	Weights      []float64
	Scales       []float64
	R            []string `json:"r_first_row"`
}

func (c referenceCase) radial(t *testing.T) Radial {
	switch c.Kernel {
	case "matern32":
		return Matern{1.5}
	case "matern52":
		return Matern{2.5}
	case "rational_quadratic":
		return RQ{c.Alpha}
	case "mixture":
		return Mixture{c.Weights, c.Scales}
	}
	t.Fatalf("unknown kernel %q", c.Kernel)
	return nil
}

func referenceCases(t *testing.T) (cases []referenceCase, z map[string][][]float64) {
	t.Helper()
	raw, err := os.ReadFile("testdata/kernels.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Data map[string]struct {
			Z [][]float64 `json:"z"`
		}
		Cases []referenceCase
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	z = map[string][][]float64{}
	for name, d := range file.Data {
		z[name] = d.Z
	}
	return file.Cases, z
}

// The prior covariance of the first pseudo-input and all, by Fill, Pair and PairExtended.
func TestPriorAgreesWithReference(t *testing.T) {
	cases, zs := referenceCases(t)
	worst := map[string]float64{}
	for i, c := range cases {
		z := zs[c.Data]
		dim := len(z[0])
		nu, err := ParseNu(c.Convention)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPrior(c.radial(t), nu, dim)
		if err != nil {
			t.Fatal(err)
		}
		p.Set(c.Lengthscales, c.Eta)
		got := make([]float64, 1)
		for l, text := range c.R {
			want, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			amp := math.Exp(p.LogAmplitude())
			q, _ := p.Pair(nil, z[0], z[l])
			long, _ := p.PairExtended(make([]dd.Number, 1), z[0], z[l])
			p.Fill(got, Path(0), z[0], z[l])
			key := fmt.Sprint(c.Kernel, " ", c.Convention)
			// The numbers of the grids of widths, and rounding.
			bound := 1e-14 * amp
			if nu == Gaussian && c.Kernel != "mixture" {
				bound = 6e-12
			}
			for _, v := range []float64{got[0], amp * q, amp * long.Hi} {
				e := math.Abs(v - want)
				if worst[key] = max(worst[key], e); !(e < bound) {
					t.Errorf("case %d (%s), pseudo-input %d: %v, want %v", i, key, l+1, v, want)
				}
			}
		}
	}
	t.Log(worst)
}
