package byhand_test

import (
	"fmt"

	"bayeskernel/examples/models/internal/byhand"
	"bayeskernel/hmc"
	"bayeskernel/priors"
)

// The eight schools of Rubin (1981): estimated effects y with standard errors sigma, whose true
// values theta[j] = mu + tau eta[j] vary around mu by tau.
func Example() {
	y := []float64{28, 8, -3, 7, -1, 1, 18, 12}
	sigma := []float64{15, 10, 16, 11, 9, 11, 10, 18}

	var m byhand.Model
	mu := m.Real("mu", priors.Normal{Mean: 0, SD: 5})
	tau := m.Positive("tau", priors.HalfCauchy{Scale: 5})
	eta := m.Reals("eta", len(y), priors.Normal{Mean: 0, SD: 1})
	m.Quantities("theta", len(y), func(dst, v []float64) {
		for j, e := range eta.Of(v) {
			dst[j] = v[mu] + v[tau]*e
		}
	})

	// A workspace would be made in the outer function, which is called once for each chain.
	factory := m.Factory(func() byhand.LogLikelihood {
		return func(v, grad []float64) float64 {
			lp := 0.0
			for j, e := range eta.Of(v) {
				z := (y[j] - v[mu] - v[tau]*e) / sigma[j]
				lp -= z * z / 2
				d := z / sigma[j] // of lp, in theta[j]
				grad[mu] += d
				grad[tau] += d * e
				eta.Of(grad)[j] += d * v[tau]
			}
			return lp
		}
	})

	target, err := factory() // a sampler does this: nuts.Sample(ctx, factory, nuts.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := make([]float64, target.Dim()) // mu = 0, log tau = 0, eta = 0
	grad := make([]float64, target.Dim())
	lp := target.LogDensity(x, grad)
	fmt.Printf("log density %.3f\n", lp)
	fmt.Printf("gradient in mu %.3f, in log tau %.3f\n", grad[mu], grad[tau])
	fmt.Println("gradient check:", hmc.CheckGradient(target, x))
	fmt.Println(target.(hmc.Constrainer).Names()[:4])
	// Output:
	// log density -16.115
	// gradient in mu 0.464, in log tau 0.923
	// gradient check: <nil>
	// [mu tau eta[1] eta[2]]
}

// A mixture's ordered means and simplex of weights.
func ExampleModel_Unconstrain() {
	var m byhand.Model
	m.Ordered("mu", 2, priors.Normal{Mean: 0, SD: 2})
	m.Simplex("w", 3, 2) // Dirichlet(2, 2, 2)
	x, err := m.Unconstrain([]float64{-1, 0, 0.25, 0.5, 0.25})
	fmt.Printf("%.3f %v\n", x, err)
	_, err = m.Unconstrain([]float64{1, 0, 0.25, 0.5, 0.25})
	fmt.Println(err)
	// Output:
	// [-1.000 0.000 -0.405 0.693] <nil>
	// byhand: mu: value 2 is 0, want it above value 1, which is 1
}
