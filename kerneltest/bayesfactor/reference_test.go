package bayesfactor

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// referenceCase is one pair of samples of testdata/reference.json.
type referenceCase struct {
	Name    string
	Unit    float64 `json:"unit_of_theta"`
	Density struct {
		Fixed []struct {
			Theta, S float64
			LogM0    float64 `json:"log_m0,string"`
			LogM1    float64 `json:"log_m1,string"`
			LogBF    float64 `json:"log_bf10,string"`
		}
		LogUniform, Gamma22 *struct {
			LogBF        float64 `json:"log_bf10"`
			Probability  float64 `json:"prob_h1"`
			MeanLogTheta float64 `json:"post_mean_log_theta"`
			MeanS        float64 `json:"post_mean_s"`
		}
	}
	Witness struct {
		Theta, S        float64
		At              []int `json:"points_are_pooled_rows_0based"`
		Empirical, Mean []float64
		SD              []float64
	} `json:"witness_given_h1"`
	Points struct {
		Theta, G float64
		Points   [][]float64
		LogBF    struct{ Pooled, V, Within float64 } `json:"log_bf10"`
	}
	Paired []struct {
		Theta, S float64
		LogBF    float64 `json:"log_bf10,string"`
	}
	Published *struct {
		Fixed []struct {
			Theta       float64
			LogPrior    float64 `json:"log_prior"`
			VolJ        float64 `json:"volJ,string"`
			Null        float64 `json:"ml_null,string"`
			Compiled    float64 `json:"ml_alter_compiled,string"`
			Intended    float64 `json:"ml_alter_intended,string"`
			Independent float64 `json:"step_log_bf10_independent,string"`
			Paired      float64 `json:"step_log_bf10_paired,string"`
		}
		Compiled publishedIntegral `json:"integrated_compiled"`
		Intended publishedIntegral `json:"integrated_intended"`
	}
}

type publishedIntegral struct {
	LogZ0, LogZ1 float64
	LogBF        float64 `json:"log_bf10"`
	Independent  float64 `json:"gibbs_stationary_P_H1_independent"`
	Paired       float64 `json:"gibbs_stationary_P_H1_paired"`
}

func references(t *testing.T) []referenceCase {
	t.Helper()
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Cases []referenceCase }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all.Cases
}

// table reads a file of testdata.
func table(t *testing.T, name string) *mat.Dense {
	t.Helper()
	f, err := os.Open("testdata/" + name + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var data []float64
	for _, line := range lines {
		for _, cell := range line {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, v)
		}
	}
	return mat.NewDense(len(lines), len(lines[0]), data)
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.12g, want %.12g: off by %.2g, want at most %.0g", what, got, want,
			got-want, tolerance)
	}
}

func TestDensityAtFixedScales(t *testing.T) {
	for _, c := range references(t) {
		x, y := table(t, c.Name+"_x"), table(t, c.Name+"_y")
		for _, f := range c.Density.Fixed {
			e, err := DensityAt(x, y, f.Theta, f.S)
			if err != nil {
				t.Fatal(err)
			}
			near(t, c.Name+" log BF", e.LogBF, f.LogBF, 1e-9)
			near(t, c.Name+" log m0", e.LogM0, f.LogM0, 1e-9)
			near(t, c.Name+" log m1", e.LogM1, f.LogM1, 1e-9)
		}
	}
}

func TestDensityIntegrated(t *testing.T) {
	for _, c := range references(t) {
		x, y := table(t, c.Name+"_x"), table(t, c.Name+"_y")
		for _, p := range []Prior{{}, Gamma(2, 2)} {
			want, name := c.Density.LogUniform, c.Name+" log-uniform "
			if p.Name != "" {
				want, name = c.Density.Gamma22, c.Name+" "+p.Name+" "
			}
			r, err := Density(context.Background(), x, y, Options{Theta: p})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %d nodes, off by %.1e, said %.1e", name, r.Nodes, r.LogBF-want.LogBF, r.Error)
			near(t, name+"log BF", r.LogBF, want.LogBF, 1e-7)
			near(t, name+"P(H1)", r.Probability, want.Probability, 1e-7)
			near(t, name+"mean of log theta", r.Theta.LogMean, want.MeanLogTheta, 1e-6)
			near(t, name+"mean of s", r.S.Mean, want.MeanS, 1e-6)
			near(t, name+"unit", r.Unit, c.Unit, 1e-12)
		}
	}
}

func TestWitnessAtReferences(t *testing.T) {
	for _, c := range references(t) {
		x, y := table(t, c.Name+"_x"), table(t, c.Name+"_y")
		m, dim := x.Dims()
		points := mat.NewDense(len(c.Witness.At), dim, nil)
		for k, i := range c.Witness.At {
			if i < m {
				points.SetRow(k, x.RawRowView(i))
			} else {
				points.SetRow(k, y.RawRowView(i-m))
			}
		}
		mean, sd, err := witnessAt(x, y, points, c.Witness.Theta, c.Witness.S)
		if err != nil {
			t.Fatal(err)
		}
		for k := range mean {
			near(t, c.Name+" mean of the witness", mean[k], c.Witness.Mean[k], 1e-9)
			near(t, c.Name+" sd of the witness", sd[k], c.Witness.SD[k], 1e-9)
		}
	}
}

func TestPairedAtFixedScales(t *testing.T) {
	for _, c := range references(t) {
		for _, f := range c.Paired {
			bf, err := pairedAt(table(t, c.Name+"_x"), table(t, c.Name+"_y"), f.Theta, f.S)
			if err != nil {
				t.Fatal(err)
			}
			near(t, c.Name+" paired log BF", bf, f.LogBF, 1e-9)
		}
	}
}
