package model_test

import (
	"fmt"

	"bayeskernel/model"
)

// Effects of neighbouring regions, a random walk over years, and a ratio with a prior of its own.
func ExampleModel_Density() {
	m := model.New()
	sd, drift := m.Positive("sd", model.HalfNormal(1)), m.Positive("drift", model.HalfNormal(1))
	phi := m.Reals("phi", 3, model.ICAR(3, []int{0, 1}, []int{1, 2}))
	year := m.Reals("year", 3, model.RandomWalk(model.Normal(0, 1), model.Normal(0, drift)))
	m.Density("ratio", sd.Div(drift), model.LogNormal(0, 1))
	m.Observe(m.Counts("cases", []int{3, 1, 4}), model.PoissonLog(phi.Mul(sd).Add(year)))
	p, err := m.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p)
	// Output:
	// sd ~ half_normal(1)
	// drift ~ half_normal(1)
	// phi[3] ~ icar
	// year[3] ~ autoregression [1] from normal(0, 1) by normal(0, drift)
	// cases[3] ~ poisson_log(phi * sd + year), observed
	// ratio: sd / drift ~ lognormal(0, 1), a factor
	// 8 coordinates to sample
	// rewritten: example_series_test.go:16: an expression with its product as one
}
