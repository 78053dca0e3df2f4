package target

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"bayeskernel/diagnostics"
	"bayeskernel/distreg"
	"bayeskernel/hmc"
	"bayeskernel/internal/fixture"
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

// The density against likelihood and priors written out, with a change of coordinates by differences.
func TestDensity(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var bags []mat.Matrix
	var y []float64
	for range 12 {
		x := mat.NewDense(4, 1, nil)
		centre := r.NormFloat64()
		x.Apply(func(int, int, float64) float64 { return centre + r.NormFloat64() }, x)
		bags, y = append(bags, x), append(y, centre+0.3*r.NormFloat64())
	}
	m, err := distreg.New(distreg.Data{Bags: bags, Y: y, Landmarks: mat.NewDense(3, 1, []float64{-1, 0, 1.5})},
		distreg.Form{N0: 5, AlphaMean: .2, AlphaSD: 2, Floor: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	at := distreg.Params{Sigma: .4, Kappa: 1.3, Eta: 1, S: .8, Theta: 1.2}
	half, wide := priors.HalfNormal{Scale: 1.5}, priors.LogNormal{Mu: .3, Sigma: .7}
	p := fixture.Get[*Posterior](t)(New(m, at, Options{Sigma: half, Kappa: wide}))
	e := fixture.Get[*distreg.Embeddings](t)(m.Embeddings(at, nil))
	target := fixture.Get[hmc.Target](t)(p.Target())
	dim := p.Dim()
	normal := func(x, mean, sd float64) float64 {
		return -math.Log(sd) - math.Log(2*math.Pi)/2 - (x-mean)*(x-mean)/(2*sd*sd)
	}
	for range 20 {
		x := make([]float64, dim)
		for i := range x {
			x[i] = 0.7 * r.NormFloat64()
		}
		got := target.LogDensity(x, make([]float64, dim))
		v := make([]float64, dim) // alpha, beta, kappa, sigma
		p.Constrain(v, x)
		alpha, beta, kappa, sigma := v[0], mat.NewVecDense(3, v[1:4]), v[4], v[5]
		want := normal(alpha, .2, 2) + math.Log(2) + normal(sigma, 0, 1.5) + normal(math.Log(kappa), .3, .7) - math.Log(kappa)
		for l := range 3 {
			want += normal(beta.AtVec(l), 0, kappa)
		}
		for i, label := range y {
			want += normal(label, alpha+mat.Dot(e.Mean.RowView(i), beta), math.Sqrt(sigma*sigma+mat.Inner(beta, e.Cov[i], beta)))
		}
		jacobian := mat.NewDense(dim, dim, nil)
		up, down := make([]float64, dim), make([]float64, dim)
		for j := range x {
			const h = 1e-5
			there := slices.Clone(x)
			there[j] = x[j] + h
			p.Constrain(up, there)
			there[j] = x[j] - h
			p.Constrain(down, there)
			for i := range up {
				jacobian.Set(i, j, (up[i]-down[i])/(2*h))
			}
		}
		logDet, _ := mat.LogDet(jacobian)
		if math.Abs(got-want-logDet) > 1e-7*(1+math.Abs(got)) {
			t.Errorf("log density %v, want %v", got, want+logDet)
		}
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

// 1000 draws with 1000 bags of 280 rows and 50 landmarks, after a warm-up of at most 1000; both chains on one core.
func BenchmarkDraws(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var bags []mat.Matrix
	var y []float64
	for range 1000 {
		x := mat.NewDense(280, 5, nil)
		centre := r.NormFloat64()
		x.Apply(func(int, int, float64) float64 { return centre + r.NormFloat64() }, x)
		bags, y = append(bags, x), append(y, centre+0.3*r.NormFloat64())
	}
	z := mat.NewDense(50, 5, nil)
	z.Apply(func(int, int, float64) float64 { return 1.4 * r.NormFloat64() }, z)
	m, err := distreg.New(distreg.Data{Bags: bags, Y: y, Landmarks: z}, distreg.Form{N0: 20, Floor: 1e-4, AlphaSD: 10, Jitter: 1e-3})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p, err := New(m, distreg.Params{Sigma: .3, Kappa: 1, Eta: 1, S: 1, Theta: 1.5}, Options{})
		if err != nil {
			b.Fatal(err)
		}
		run, err := nuts.Sample(b.Context(), p.Target, nuts.Config{Settings: hmc.Settings{Chains: 2, Draws: 500, Parallel: 1, Seed: 3}})
		if err != nil {
			b.Fatal(err)
		}
		sigma, _ := run.Draws("sigma")
		b.ReportMetric(diagnostics.RHat(sigma), "R-hat")
	}
}
