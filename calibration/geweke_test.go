package calibration

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/hmc"
)

func worst(t *testing.T, j Joint) (z float64, name string) {
	t.Helper()
	moments, err := j.Geweke(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range moments {
		if math.Abs(m.Z) > z || math.IsNaN(m.Z) {
			z, name = math.Abs(m.Z), m.Name
		}
	}
	return z, name
}

func staticKernel(h *hmc.Hamiltonian) hmc.Transition { return hmc.NewStatic(h, 1.5, 0.5, 100) }

// TestGeweke: 7 moments, |z| < 6: with another seed a false alarm has a probability of about 1e-8
// in each of 4 runs, 1e-7 if standard errors come out 5% too small.
func TestGeweke(t *testing.T) {
	for name, kernel := range map[string]func(*hmc.Hamiltonian) hmc.Transition{
		"nuts": nil, "hmc": staticKernel} {
		for _, eps := range []float64{0.2, 0.7} {
			j := normal{n: 3}.joint()
			j.Transition, j.StepSize, j.Steps, j.Seed = kernel, eps, 30000, 9
			z, moment := worst(t, j)
			t.Logf("%s, step size %g: largest |z| %.2f, of %s", name, eps, z, moment)
			if !(z < 6) {
				t.Errorf("%s, step size %g: z = %.1f of %s", name, eps, z, moment)
			}
		}
	}
}

// TestGewekeErrorBars: over 40 seeds the z of a right kernel have a mean square of about 1, though
// the chain's draws are far from independent. That of 40 standard normals is above 2.6 with a
// probability of 1e-7 and below 0.2 with one of 1e-8.
func TestGewekeErrorBars(t *testing.T) {
	const seeds = 40
	j := normal{n: 3}.joint()
	j.Steps = 4000
	square := map[string]float64{}
	for seed := range uint64(seeds) {
		j.Seed = seed
		moments, err := j.Geweke(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range moments {
			square[m.Name] += m.Z * m.Z / seeds
		}
	}
	t.Logf("%.3v", square)
	for _, name := range []string{"x[0]", "x[1]"} {
		if s := square[name]; s < 0.2 || s > 2.6 {
			t.Errorf("mean square of z for %s is %.2f", name, s)
		}
	}
}

// wrongKernel is static HMC that errs.
type wrongKernel struct {
	h      *hmc.Hamiltonian
	accept float64 // this is added to the log of the acceptance ratio
	sd     float64 // of the momentum
}

func (w wrongKernel) Step(z *hmc.Point, eps float64, r hmc.Rand) hmc.Outcome {
	w.h.Momentum(z, r)
	for i := range z.P {
		z.P[i] *= w.sd
		z.V[i] *= w.sd
	}
	end := hmc.NewPoint(len(z.X))
	end.CopyFrom(z)
	for range 3 {
		w.h.Leapfrog(end, eps)
	}
	if math.Log(r.Float64()) < w.h.Energy(z)-w.h.Energy(end)+w.accept {
		z.CopyPosition(end)
	}
	return hmc.Outcome{}
}

// TestGewekeFinds: small errors of kernels and densities are seen.
func TestGewekeFinds(t *testing.T) {
	wrong := func(accept, sd float64) func(*hmc.Hamiltonian) hmc.Transition {
		return func(h *hmc.Hamiltonian) hmc.Transition { return wrongKernel{h, accept, sd} }
	}
	for _, c := range []struct {
		name   string
		m      normal
		kernel func(*hmc.Hamiltonian) hmc.Transition
		eps    float64
		right  bool
	}{
		{"right kernel", normal{n: 3}, wrong(0, 1), 0.6, true},
		{"accepts too much", normal{n: 3}, wrong(1, 1), 0.6, false},
		{"momentum 10% too large", normal{n: 3}, wrong(0, 1.1), 0.25, false},
		{"prior sd 15% too large", normal{n: 3, priorSD: 1.15}, nil, 0.5, false},
		{"no Jacobian", normal{n: 3, noJacobian: true}, nil, 0.5, false},
		{"forgets one observation", normal{n: 3, missing: 1}, nil, 0.5, false},
		// A wrong gradient makes bad proposals, which are judged by the density: no error.
		{"wrong gradient", normal{n: 3, badGradient: true}, nil, 0.5, true},
	} {
		j := c.m.joint()
		j.Transition, j.StepSize, j.Steps, j.Seed = c.kernel, c.eps, 30000, 10
		z, moment := worst(t, j)
		t.Logf("%s: largest |z| %.1f, of %s", c.name, z, moment)
		if (z < 6) != c.right {
			t.Errorf("%s: largest |z| %.1f, of %s", c.name, z, moment)
		}
	}
}

func TestGewekeErrors(t *testing.T) {
	good := normal{n: 3}.joint()
	for name, change := range map[string]func(*Joint){
		"Dim":       func(j *Joint) { j.Dim = 0 },
		"Prior":     func(j *Joint) { j.Prior = nil },
		"Posterior": func(j *Joint) { j.Posterior = nil },
		"StepSize":  func(j *Joint) { j.StepSize = math.NaN() },
		"Steps":     func(j *Joint) { j.Steps = 3 },
		"wrong dimension": func(j *Joint) {
			j.Posterior = func([]float64, *rand.Rand) (hmc.Target, func([]float64) float64) {
				return target{dim: 3}, nil
			}
		},
		"NaN":   func(j *Joint) { j.Prior = func(x []float64, _ *rand.Rand) { x[0] = math.NaN() } },
		"panic": func(j *Joint) { j.Prior = func(x []float64, _ *rand.Rand) { x[5] = 1 } },
	} {
		j := good
		change(&j)
		if m, err := j.Geweke(t.Context()); err == nil {
			t.Errorf("%s: no error, got %v", name, m)
		} else {
			t.Log(err)
		}
	}
	stuck := good
	stuck.Transition = func(*hmc.Hamiltonian) hmc.Transition { return still{} }
	stuck.Posterior = func([]float64, *rand.Rand) (hmc.Target, func([]float64) float64) {
		return normal{n: 1}.target([]float64{0}), nil
	}
	if z, _ := worst(t, stuck); !math.IsInf(z, 1) {
		t.Errorf("a chain that does not move: z = %v", z)
	}
}

type still struct{}

func (still) Step(*hmc.Point, float64, hmc.Rand) hmc.Outcome { return hmc.Outcome{} }
