package stan_test

import (
	"fmt"

	"bayeskernel/stan"
)

func Example() {
	p, err := stan.Parse(`
data { int N; vector[N] y; }
parameters { real mu; real<lower=0> sigma; }
model { y ~ normal(mu, sigma); }`)
	if err != nil {
		fmt.Println(err)
		return
	}
	data, _ := stan.ParseData([]byte(`{"N": 3, "y": [1, 2, 3]}`))
	m, err := p.Bind(data, stan.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	// At mu = 2 and sigma = exp(0): the density of the data, and the log of sigma from its transform.
	grad := make([]float64, m.Dim())
	lp, _ := m.LogDensity([]float64{2, 0}, grad)
	fmt.Println(m.Names())
	fmt.Printf("%.4f %.1f\n", lp, grad)
	// Output:
	// [mu sigma]
	// -3.7568 [0.0 0.0]
}
