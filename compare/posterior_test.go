package compare

import (
	"math"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/bke/quadrature"
	"bayeskernel/embedding"
	"bayeskernel/internal/long"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"
	"bayeskernel/nuts"

	"gonum.org/v1/gonum/mat"
)

// Draws of the caller, other scales, other kernels and other null distributions.
func TestScales(t *testing.T) {
	p, q := samples(200, 1, 0.8)
	chains := compared(t, p, q, Options{Sampler: &nuts.Config{Settings: nuts.Settings{Chains: 2,
		Warmup: 100, Draws: 50}}})
	if chains.Posterior.Run == nil || len(chains.Posterior.Draws) != 100 {
		t.Fatal(len(chains.Posterior.Draws))
	}
	again := compared(t, p, q, Options{Posterior: chains.Posterior})
	if bytesOf(t, again) != bytesOf(t, chains) {
		t.Error("draws of the caller make another result")
	}
	best := chains.Test.Scales[0].Rung
	if got := chains.Witness.Scale.Rung; got != best || chains.Witness.Scale.Sampled {
		t.Error(got, best)
	}
	for _, s := range []Scale{{Rung: 1}, {Rung: 4}, Paper(), {Sampled: true}} {
		w, err := chains.At(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		consistentWitness(t, chains, w)
		rung := s.Rung
		if rung == 0 {
			rung = 1
		}
		learned := chains.Test.Kernel.Theta[0] / chains.Test.Kernel.Rungs[0] * rung
		if !(math.Abs(w.Theta[0]/learned-1) < 0.1) {
			t.Errorf("%v: theta %v, learned %v", s, w.Theta, learned)
		}
	}
	for _, o := range []Options{
		{Test: kerneltest.Options{Kernel: kerneltest.Lengthscale(0.7)}},
		{Test: kerneltest.Options{Kernel: kerneltest.Fixed(kernels.Matern32(1))}},
		{Test: kerneltest.Options{Kernel: kerneltest.Choice{Rule: kerneltest.PlainMedian}}},
		{Test: kerneltest.Options{Kernel: kerneltest.Choice{Rule: kerneltest.PosteriorMean}}},
		{Test: kerneltest.Options{Kernel: kerneltest.Choice{Rule: kerneltest.AggGrid},
			Combine: kerneltest.Aggregate}},
		{Test: kerneltest.Options{Null: statistic.Spectral}},
		{Noise: embedding.IID},
	} {
		r := compared(t, p, q, o)
		if !r.Test.Reject || r.Witness == nil || len(r.Witness.Where) == 0 {
			t.Errorf("%+v: %v", o, r)
		}
		if o.Test.Null != 0 && r.Record().Test.Permutations != 0 {
			t.Error("permutations of another null")
		}
	}
}

// Other models: a lengthscale for each column, and a prior with a hyperparameter of its own.
func TestModels(t *testing.T) {
	p, q := samples(100, 2, 1)
	models := []bke.Options{{ARD: true}, {Kernel: kernels.RQ{Alpha: 1.5}}, {Nu: bke.Gaussian}, {Nu: bke.Lebesgue}, {Tau2: 0.02}}
	if !long.Enabled() {
		models = models[:2]
	}
	for _, m := range models {
		r := compared(t, p, q, Options{Test: kerneltest.Options{Kernel: kerneltest.Choice{Model: m}}})
		if !r.Test.Reject || r.Witness == nil || len(r.Witness.Places) == 0 {
			t.Errorf("%+v: %v", m, r)
		}
		lengths := r.Posterior.Draws[0].Theta
		if len(lengths) != len(r.Witness.Theta) || m.ARD != (len(lengths) == 2) {
			t.Errorf("%+v: theta %v, of the witness %v", m, lengths, r.Witness.Theta)
		}
		for a, v := range r.Witness.Theta { // 3 posterior standard deviations from the mode at most
			best := r.Test.Kernel.Fit.Modes[0].Params.Theta[a] * r.Witness.Scale.Rung
			if !(math.Abs(math.Log(v/best)) < 0.3) {
				t.Errorf("%+v: theta %v, best %v", m, v, best)
			}
		}
	}
}

// The normal approximation against quadrature, which is exact: the mean of the logarithms in units
// of their standard deviations, and these. With few rows the posterior is skew. The draws have the
// moments of the approximation to 4 standard errors.
func TestApproximationAgainstQuadrature(t *testing.T) {
	for _, c := range []struct {
		n        int
		mean, sd float64 // the largest errors
	}{{20, 0.3, 0.2}, {100, 0.1, 0.03}, {400, 0.1, 0.03}} {
		p, q := samples(c.n, 1, 1)
		r := compared(t, p, q, Options{Seed: 4})
		exact, err := quadrature.Integrate(t.Context(), r.Posterior.Model,
			r.data.o.Test.Kernel.Priors)
		if err != nil {
			t.Fatal(err)
		}
		a := newAround(r.Test.Kernel.Fit.Modes[0])
		var inverse mat.SymDense
		if err := a.root.InverseTo(&inverse); err != nil {
			t.Fatal(err)
		}
		for k, name := range exact.Names {
			want := math.Sqrt(exact.CovLog[k][k])
			sd := math.Sqrt(inverse.At(k, k))
			if !(math.Abs(a.centre[k]-exact.MeanLog[k]) < c.mean*want && math.Abs(sd/want-1) < c.sd) {
				t.Errorf("n = %d, %s: %v ± %v, want %v ± %v", c.n, name, a.centre[k], sd,
					exact.MeanLog[k], want)
			}
			mean, square, count := 0.0, 0.0, float64(len(r.Posterior.Draws))
			for _, h := range r.Posterior.Draws {
				v := (math.Log([]float64{h.Theta[0], h.Tau2}[k]) - a.centre[k]) / sd
				mean += v / count
				square += v * v / count
			}
			if !(math.Abs(mean) < 4/math.Sqrt(count) && math.Abs(square-1) < 4*math.Sqrt(2/count)) {
				t.Errorf("n = %d, %s: draws have mean %v and square %v in units of the approximation",
					c.n, name, mean, square)
			}
		}
	}
}
