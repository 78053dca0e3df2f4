package models

import (
	"bayeskernel/examples/models/internal/byhand"
	"bayeskernel/priors"
)

type arkData struct {
	K int
	Y []float64
}

// ARK is an autoregression of order 5 of a time series of 200 values:
//
//	y[t] ~ normal(alpha + sum_k beta[k] y[t-k], sigma),  t > 5
//	alpha, beta[k] ~ normal(0, 10)
//	sigma ~ half-Cauchy(0, 2.5)
//
// It is a linear regression on the five values before.
func ARK() (Posterior, error) {
	var data arkData
	ref, err := load("ark", &data)
	if err != nil {
		return Posterior{}, err
	}
	l := linear{y: data.Y[data.K:]}
	for t := data.K; t < len(data.Y); t++ {
		row := []float64{1}
		for k := 1; k <= data.K; k++ {
			row = append(row, data.Y[t-k])
		}
		l.x = append(l.x, row)
	}
	var m byhand.Model
	m.Real("alpha", priors.Normal{Mean: 0, SD: 10})
	m.Reals("beta", data.K, priors.Normal{Mean: 0, SD: 10})
	sigma := m.Positive("sigma", priors.HalfCauchy{Scale: 2.5})
	return Posterior{"arK", m.Factory(shared(l.likelihood(sigma))), ref}, nil
}
