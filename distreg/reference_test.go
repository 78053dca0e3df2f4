package distreg

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
)

type number float64

func (n *number) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		b = b[1 : len(b)-1]
	}
	v, err := strconv.ParseFloat(string(b), 64)
	*n = number(v)
	return err
}

type likelihoodCase struct {
	Name      string
	Noise     string
	R         string
	Prior     string
	N0        float64
	Floor     number
	AlphaMean float64 `json:"alpha_mean"`
	AlphaSD   float64 `json:"alpha_sd"`
	Bags      [][][]float64
	Y         []float64
	Landmarks [][]float64
	NewBags   [][][]float64 `json:"new_bags"`
	At        struct {
		LogSigma float64 `json:"log_sigma"`
		LogKappa float64 `json:"log_kappa"`
		LogEta   float64 `json:"log_eta"`
		LogS     float64 `json:"log_s"`
		LogTheta float64 `json:"log_theta"`
	}
	Moments struct {
		LogEvidence number `json:"log_evidence"`
		D           struct {
			LogSigma number `json:"log_sigma"`
			LogKappa number `json:"log_kappa"`
			LogEta   number `json:"log_eta"`
			LogS     number `json:"log_s"`
			LogTheta number `json:"log_theta"`
		}
		Predictive []struct {
			Mean     number
			Variance number `json:"variance_posterior_form"`
		}
	}
}

func matrix(x [][]float64) mat.Matrix {
	out := mat.NewDense(len(x), len(x[0]), nil)
	for i, r := range x {
		out.SetRow(i, r)
	}
	return out
}

func matrices(x [][][]float64) (out []mat.Matrix) {
	for _, b := range x {
		out = append(out, matrix(b))
	}
	return out
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1e-3, math.Abs(want))) {
		t.Errorf("%v: %.17g, want %.17g (relative error %.1e)", what, got, want, (got-want)/want)
	}
}

func likelihoodCases(t *testing.T) []likelihoodCase {
	b, err := os.ReadFile("testdata/likelihood.json")
	if err != nil {
		t.Fatal(err)
	}
	var d struct{ Cases []likelihoodCase }
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	return d.Cases
}

func (c likelihoodCase) model(t *testing.T) (*Model, Params) {
	m, err := New(Data{Bags: matrices(c.Bags), Y: c.Y, Landmarks: matrix(c.Landmarks)},
		Form{Noise: c.Noise, R: c.R, Prior: c.Prior, N0: c.N0, Floor: float64(c.Floor), AlphaMean: c.AlphaMean, AlphaSD: c.AlphaSD})
	if err != nil {
		t.Fatal(err)
	}
	return m, Params{math.Exp(c.At.LogSigma), math.Exp(c.At.LogKappa), math.Exp(c.At.LogEta), math.Exp(c.At.LogS), math.Exp(c.At.LogTheta)}
}

// The moment form, its gradient and its predictions against 45-digit arithmetic made elsewhere.
func TestReference(t *testing.T) {
	for _, c := range likelihoodCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			m, p := c.model(t)
			grad := make([]float64, 5)
			near(t, "log evidence", m.LogEvidence(grad, p), float64(c.Moments.LogEvidence), 1e-10)
			near(t, "without gradient", m.LogEvidence(nil, p), float64(c.Moments.LogEvidence), 1e-10)
			d := c.Moments.D
			for i, want := range []number{d.LogSigma, d.LogKappa, d.LogEta, d.LogS, d.LogTheta} {
				near(t, "gradient "+strconv.Itoa(i), grad[i], float64(want), 1e-9)
			}
			mean, variance, err := m.Predict(p, matrices(c.NewBags))
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range c.Moments.Predictive {
				near(t, "mean", mean[i], float64(want.Mean), 1e-10)
				near(t, "variance", variance[i], float64(want.Variance), 1e-10)
			}
		})
	}
}
