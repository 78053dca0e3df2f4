package priors_test

import (
	"fmt"

	"bayeskernel/priors"
)

// The prior of a standard deviation sigma that is below 2.5 with probability 0.95, and its density
// in log sigma, in which a sampler moves.
func Example() {
	prior := priors.HalfNormal{Scale: 2.5 / 1.96}
	fmt.Printf("%.2f is its 95%% quantile\n", prior.Quantile(0.95))

	t := priors.Positive() // sigma = exp(x)
	x, sigma, grad := []float64{0.5}, make([]float64, 1), make([]float64, 1)
	logJ := t.Constrain(sigma, x)
	logp, dlogp := prior.LogDensityGrad(sigma[0])
	t.PullBack(grad, x, sigma, []float64{dlogp})
	fmt.Printf("sigma %.3f, log density in sigma %.3f\n", sigma[0], logp)
	fmt.Printf("log density in log sigma %.3f, its derivative %.3f\n", logp+logJ, grad[0])
	// Output:
	// 2.50 is its 95% quantile
	// sigma 1.649, log density in sigma -1.305
	// log density in log sigma -0.805, its derivative -0.671
}

func ExampleParse() {
	p, err := priors.Parse("Half-Cauchy(2.5)")
	fmt.Println(p, err)
	fmt.Printf("median %.2f, log density at 1 %.4f\n", p.Quantile(0.5), p.LogDensity(1))

	_, err = priors.Parse("gamma(2)")
	fmt.Println(err)
	// Output:
	// half_cauchy(2.5) <nil>
	// median 2.50, log density at 1 -1.5163
	// priors: gamma takes shape and rate: gamma(shape, rate): got 1 in "gamma(2)"
}
