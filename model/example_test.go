package model_test

import (
	"context"
	"fmt"

	"bayeskernel/hmc"
	"bayeskernel/model"
	"bayeskernel/nuts"
)

// Eight schools: effects with a distribution that they share.
func Example() {
	y := []float64{28, 8, -3, 7, -1, 1, 18, 12}
	se := []float64{15, 10, 16, 11, 9, 11, 10, 18}

	m := model.New()
	mu, tau := m.Real("mu", model.Normal(0, 5)), m.Positive("tau", model.HalfCauchy(5))
	theta := m.Reals("theta", len(y), model.Normal(mu, tau), model.NonCentred)
	m.Observe(m.Data("y", y), model.Normal(theta, se))

	p, err := m.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Names()[:3])
	run, err := nuts.Sample(context.Background(), p.Target,
		nuts.Config{Settings: hmc.Settings{Seed: 1, TargetAccept: 0.95}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := run.Summary()
	fmt.Printf("%s is about %.0f, give or take %.0f\n", s.Parameters[0].Name, s.Parameters[0].Mean,
		s.Parameters[0].SD)
	// Output:
	// [mu tau theta[1]]
	// mu is about 4, give or take 3
}

// An intercept for each county: rows name their county, parameters run over the counties.
func ExampleFactor_Reals() {
	m := model.New()
	county, in := m.Factor("county", []string{"Aitkin", "Anoka", "Aitkin", "Becker"})
	mu, sd := m.Real("mu", model.Normal(0, 2)), m.Positive("sd", model.HalfNormal(1))
	alpha := county.Reals("alpha", model.Normal(mu, sd), model.NonCentred)
	sigma := m.Positive("sigma", model.HalfNormal(1))
	m.Observe(m.Data("log_radon", []float64{0.8, 0.6, 1.1, 1.3}), model.Normal(alpha.Of(in), sigma))
	p, err := m.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(county.Labels())
	fmt.Println(p.Names())
	// Output:
	// [Aitkin Anoka Becker]
	// [mu sd alpha[1] alpha[2] alpha[3] sigma]
}

// Two normal distributions, told apart by the order of their means.
func ExampleMix() {
	m := model.New()
	mu := m.Ordered("mu", 2, model.Normal(0, 2))
	sd := m.Positives("sd", 2, model.HalfNormal(2))
	w := m.Interval("w", 0, 1, model.Beta(5, 5))
	m.Observe(m.Data("y", []float64{-2.1, -1.8, 1.9, 2.2, 2.4}),
		model.Mix(model.Stack(w, w.OneMinus()),
			model.Normal(mu.El(0), sd.El(0)), model.Normal(mu.El(1), sd.El(1))))
	p, err := m.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Names())
	// Output: [mu[1] mu[2] sd[1] sd[2] w]
}

// GARCH(1,1): the variance of a value follows the error and the variance of the one before. The end
// of beta1 is an expression, so that the series is stationary.
func ExampleRecur() {
	returns := []float64{0.3, -0.1, 1.2, -0.9, 0.4, 0.2, -0.3, 0.1}
	m, n := model.New(), len(returns)
	y := m.Data("returns", returns)
	mu, a0 := m.Real("mu", model.Normal(0, 1)), m.Positive("alpha0", model.HalfNormal(1))
	a1 := m.Interval("alpha1", 0, 1, model.Beta(2, 5))
	b1 := m.Between("beta1", m.Const(0), a1.OneMinus(), model.Uniform(0, a1.OneMinus()))
	shock := y.Sub(mu).Square().Slice(0, n-1)
	h := model.Recur(n, 1, a0.Add(a1.Mul(shock)), b1) // h[t] = a0 + a1 shock[t-1] + b1 h[t-1]
	m.Observe(y, model.Normal(mu, h.Sqrt()))
	p, err := m.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Names())
	// Output: [mu alpha0 alpha1 beta1]
}

// What the model expects before it has seen data, and after.
func ExampleProgram_Predictive() {
	m := model.New()
	rate := m.Positive("rate", model.Gamma(2, 0.1))
	m.Observe(m.Data("calls", []float64{11, 14, 9, 12, 10, 13}), model.Poisson(rate))
	p, err := m.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	prior, err := p.Prior(context.Background(), 20000, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	posterior, err := nuts.Sample(context.Background(), p.Target,
		nuts.Config{Settings: hmc.Settings{Seed: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	before, err := p.Predictive(context.Background(), prior, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	after, err := p.Predictive(context.Background(), posterior, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range []struct {
		when string
		sd   float64
	}{{"before", before.Summary().Parameters[0].SD}, {"after", after.Summary().Parameters[0].SD}} {
		fmt.Printf("%s the data, calls have a standard deviation of %.0f\n", s.when, s.sd)
	}
	// Output:
	// before the data, calls have a standard deviation of 15
	// after the data, calls have a standard deviation of 4
}

// Regression with a Gaussian process, and the function at a point that was not observed.
func ExampleConditional() {
	x := []float64{0, 0.6, 1.1, 1.7, 2.2, 2.9, 3.4, 4.1}
	y := []float64{0.05, 0.52, 0.93, 0.96, 0.85, 0.21, -0.28, -0.79} // a sine, with noise

	m := model.New()
	amplitude := m.Positive("amplitude", model.HalfNormal(1))
	length := m.Positive("lengthscale", model.InvGamma(3, 3))
	noise := m.Positive("noise", model.HalfNormal(0.3))
	k := model.SquaredExponential(m.Data("x", x), amplitude, length, noise.Square())
	seen := m.Data("y", y)
	m.Observe(seen, model.MvNormal(0, k.Cholesky()))
	at := m.Data("new", []float64{2.5})
	f := m.Predict("f", 1, model.Conditional(k, seen, at))
	m.Predict("y_new", 1, model.Normal(f, noise))

	p, err := m.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := nuts.Sample(context.Background(), p.Target,
		nuts.Config{Settings: hmc.Settings{Seed: 1, TargetAccept: 0.95}})
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := p.Predictive(context.Background(), run, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range again.Summary().Parameters[len(x):] {
		fmt.Printf("%s is about %.1f, give or take %.1f\n", s.Name, s.Mean, s.SD)
	}
	// Output:
	// f[1] is about 0.6, give or take 0.1
	// y_new[1] is about 0.6, give or take 0.1
}

// Which of two means a value comes from is not known: the latents are summed out, and drawn back by Predictive.
func ExampleModel_Latent() {
	m := model.New()
	mu := m.Ordered("mu", 2, model.Normal(0, 5))
	part := m.Latent("part", 5, model.Bernoulli(0.4))
	m.Observe(m.Data("y", []float64{-2.1, -1.8, 2.2, 1.9, 2.4}), model.Normal(mu.Pick(part), 1))
	p, err := m.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p)
	// Output:
	// mu[2] ~ normal(0, 5), in increasing order
	// part[5] ~ bernoulli(0.4), summed out
	// y[5] ~ normal(mu(part), 1), observed
	// sum over part: one by one, 2 states each
	// 2 coordinates to sample
}
