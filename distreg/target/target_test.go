package target

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"bayeskernel/diagnostics"
	"bayeskernel/distreg"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
	"bayeskernel/priors"

	"gonum.org/v1/gonum/mat"
)

type moment struct{ Mean, SD float64 }

type posteriorCase struct {
	Name      string
	N0        float64
	AlphaMean float64 `json:"alpha_mean"`
	AlphaSD   float64 `json:"alpha_sd"`
	KappaFree bool    `json:"kappa_free"`
	Bags      [][][]float64
	Y         []float64
	Landmarks [][]float64
	NewBag    [][]float64 `json:"new_bag"`
	LogEta    float64     `json:"log_eta"`
	LogS      float64     `json:"log_s"`
	LogTheta  float64     `json:"log_theta"`
	LogKappa  float64     `json:"log_kappa"`
	Posterior struct {
		Alpha, Sigma, Kappa moment
		LogSigma            moment `json:"log_sigma"`
		LogKappa            moment `json:"log_kappa"`
		Beta                []moment
		NewLabel            moment `json:"new_label"`
	}
}

func matrix(x [][]float64) mat.Matrix {
	out := mat.NewDense(len(x), len(x[0]), nil)
	for i, r := range x {
		out.SetRow(i, r)
	}
	return out
}

// Draws against moments by quadrature made elsewhere, within 5 Monte Carlo standard errors: 20 moments,
// so that a right program fails one time in some 80,000.
func TestPosterior(t *testing.T) {
	b, err := os.ReadFile("testdata/posterior.json")
	if err != nil {
		t.Fatal(err)
	}
	var d struct{ Cases []posteriorCase }
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var bags []mat.Matrix
			for _, b := range c.Bags {
				bags = append(bags, matrix(b))
			}
			m, err := distreg.New(distreg.Data{Bags: bags, Y: c.Y, Landmarks: matrix(c.Landmarks)},
				distreg.Form{Noise: "pooled", R: "unit", Prior: "rkhs", N0: c.N0, AlphaMean: c.AlphaMean, AlphaSD: c.AlphaSD})
			if err != nil {
				t.Fatal(err)
			}
			at := distreg.Params{Sigma: .3, Kappa: math.Exp(c.LogKappa), Eta: math.Exp(c.LogEta), S: math.Exp(c.LogS), Theta: math.Exp(c.LogTheta)}
			p, err := New(m, at, Options{FixedKappa: !c.KappaFree, Sigma: priors.HalfNormal{Scale: 1}, Kappa: priors.LogNormal{Mu: 0, Sigma: 1}})
			if err != nil {
				t.Fatal(err)
			}
			run, err := nuts.Sample(context.Background(), p.Target, nuts.Config{Settings: hmc.Settings{Draws: 2000, Seed: 7, TargetAccept: .95}})
			if err != nil {
				t.Fatal(err)
			}
			check := func(name string, draws [][]float64, want moment) {
				t.Helper()
				se := diagnostics.MCSEMean(draws)
				mean, n := 0.0, 0.0
				for _, c := range draws {
					for _, v := range c {
						mean += v
						n++
					}
				}
				mean /= n
				if !(math.Abs(mean-want.Mean) <= 5*se) {
					t.Errorf("%v: mean %.5f, want %.5f, Monte Carlo error %.5f", name, mean, want.Mean, se)
				}
			}
			get := func(name string) [][]float64 { d, _ := run.Draws(name); return d }
			check("alpha", get("alpha"), c.Posterior.Alpha)
			check("sigma", get("sigma"), c.Posterior.Sigma)
			logs := get("sigma")
			for _, ch := range logs {
				for i := range ch {
					ch[i] = math.Log(ch[i])
				}
			}
			check("log sigma", logs, c.Posterior.LogSigma)
			if len(c.Landmarks) == 1 { // beta of the reference is kappa L^-T xi: with one landmark, k(z,z) = 1
				check("beta", get("beta[1]"), c.Posterior.Beta[0])
			}
			if c.KappaFree {
				logs := get("kappa")
				for _, ch := range logs {
					for i := range ch {
						ch[i] = math.Log(ch[i])
					}
				}
				check("log kappa", logs, c.Posterior.LogKappa)
			}
			pred, err := p.Predict(m, run, []mat.Matrix{matrix(c.NewBag)})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := pred[0].Mean, c.Posterior.NewLabel.Mean; math.Abs(got-want) > .03 {
				t.Errorf("new label: mean %.4f, want %.4f", got, want)
			}
			if got, want := math.Sqrt(pred[0].Variance), c.Posterior.NewLabel.SD; math.Abs(got/want-1) > .03 {
				t.Errorf("new label: sd %.4f, want %.4f", got, want)
			}
		})
	}
}

// Gradients against differences, of numbers and of classes.
func TestGradient(t *testing.T) {
	bags := []mat.Matrix{mat.NewDense(3, 1, []float64{0, 1, 2}), mat.NewDense(2, 1, []float64{1, 3}), mat.NewDense(1, 1, []float64{-1}), nil}
	for _, classes := range []bool{false, true} {
		m, err := distreg.New(distreg.Data{Bags: bags, Y: []float64{0, 1, 1, 0}, Landmarks: mat.NewDense(2, 1, []float64{0, 2})},
			distreg.Form{N0: 5, AlphaSD: 2, Floor: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(m, distreg.Params{Sigma: .5, Kappa: 1, Eta: 1, S: 1, Theta: 1}, Options{Classes: classes})
		if err != nil {
			t.Fatal(err)
		}
		target, _ := p.Target()
		for _, scale := range []float64{0, .5, 1.5} {
			x := make([]float64, target.Dim())
			for i := range x {
				x[i] = scale * math.Sin(float64(3*i+1))
			}
			if err := hmc.CheckGradient(target, x); err != nil {
				t.Errorf("classes %v: %v", classes, err)
			}
		}
	}
}

// The expectation of the logistic function against a fine sum.
func TestLogistic(t *testing.T) {
	for _, a := range []float64{-3, 0, 1} {
		for _, v := range []float64{0, .3, 2, 9} {
			want, mass := 0.0, 0.0
			for z := -10.0; z <= 10; z += .001 {
				w := math.Exp(-z * z / 2)
				want += w / (1 + math.Exp(-(a + math.Sqrt(v)*z)))
				mass += w
			}
			if got, _, _ := logistic(a, v); math.Abs(got-want/mass) > 2e-4 {
				t.Errorf("a = %v, v = %v: %.6f, want %.6f", a, v, got, want/mass)
			}
		}
	}
}
