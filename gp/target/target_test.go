package target_test

import (
	"math"
	"testing"

	"bayeskernel/gp"
	"bayeskernel/gp/target"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
	"bayeskernel/priors"

	"gonum.org/v1/gonum/mat"
)

// wave is a regression of 12 points.
func wave(t *testing.T, ard bool) *gp.Model {
	t.Helper()
	x, y := mat.NewDense(12, 2, nil), make([]float64, 12)
	for i := range y {
		x.Set(i, 0, float64(i)/2)
		x.Set(i, 1, float64(i*7%12)/4)
		y[i] = math.Sin(float64(i)/2) + 0.2*math.Cos(float64(5*i))
	}
	m, err := gp.New(x, y, gp.Options{ARD: ard})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestGradient(t *testing.T) {
	for _, ard := range []bool{false, true} {
		made, err := target.New(wave(t, ard), target.Priors{})()
		if err != nil {
			t.Fatal(err)
		}
		x := []float64{0.1, -0.7, 0.3, 0.2}[:made.Dim()]
		if err := hmc.CheckGradient(made, x); err != nil {
			t.Errorf("ARD %v: %v", ard, err)
		}
	}
}

// Posterior means of the logarithms by NUTS and on a grid. The effective sample size is above 1000,
// so that a mean is off by more than a sixth of a standard deviation, five standard errors, with a
// probability below 1e-6; the grid is good to a hundredth.
func TestPosterior(t *testing.T) {
	m := wave(t, false)
	p := target.Priors{Signal: priors.LogNormal{Sigma: 0.5}, Noise: priors.LogNormal{Mu: -1, Sigma: 0.5},
		Theta: priors.LogNormal{Mu: 0.5, Sigma: 0.5}}
	fit, err := m.Learn(t.Context(), gp.LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := hmc.Settings{Chains: 4, Seed: 1}
	if s.Start.Points, err = target.Starts(m, p, fit, 4); err != nil {
		t.Fatal(err)
	}
	run, err := nuts.Sample(t.Context(), target.New(m, p), nuts.Config{Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	draws, err := target.Draws(m, run)
	if err != nil {
		t.Fatal(err)
	}
	var got [3]float64
	for _, d := range draws {
		for a, v := range []float64{d.Signal, d.Noise, d.Theta[0]} {
			got[a] += math.Log(v) / float64(len(draws))
		}
	}
	mean, sd := grid(t, m)
	for a := range got {
		if math.Abs(got[a]-mean[a]) > sd[a]/6 {
			t.Errorf("log parameter %d: mean %v, on the grid %v ± %v", a, got[a], mean[a], sd[a])
		}
	}
}

// grid integrates over 2.5 prior standard deviations on each side.
func grid(t *testing.T, m *gp.Model) (mean, sd [3]float64) {
	t.Helper()
	const count = 24
	centre := [3]float64{0, -1, 0.5}
	at := func(k, a int) float64 { return centre[a] + 0.5*3.2*(2*(float64(k)+0.5)/count-1) }
	mass := 0.0
	var first, second [3]float64
	for i := range count {
		for j := range count {
			for k := range count {
				u := [3]float64{at(i, 0), at(j, 1), at(k, 2)}
				r, err := m.At(gp.Params{Signal: math.Exp(u[0]), Noise: math.Exp(u[1]),
					Theta: []float64{math.Exp(u[2])}})
				if err != nil {
					t.Fatal(err)
				}
				lp := r.LogLikelihood
				for a := range u {
					lp -= (u[a] - centre[a]) * (u[a] - centre[a]) / (2 * 0.25)
				}
				w := math.Exp(lp + 10)
				mass += w
				for a := range u {
					first[a] += w * u[a]
					second[a] += w * u[a] * u[a]
				}
			}
		}
	}
	for a := range mean {
		mean[a] = first[a] / mass
		sd[a] = math.Sqrt(second[a]/mass - mean[a]*mean[a])
	}
	return mean, sd
}
