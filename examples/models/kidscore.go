package models

import (
	"bayeskernel/examples/models/internal/byhand"
	"bayeskernel/priors"
)

type kidData struct {
	KidScore []float64 `json:"kid_score"`
	MomHS    []float64 `json:"mom_hs"`
	MomIQ    []float64 `json:"mom_iq"`
}

// KidScore regresses the test scores of 434 children on whether the mother finished high school,
// on her IQ, and on the product of the two (Gelman and Hill 2006, chapter 3):
//
//	kid_score ~ normal(beta[1] + beta[2] mom_hs + beta[3] mom_iq + beta[4] mom_hs mom_iq, sigma)
//	sigma ~ half-Cauchy(0, 2.5)
//
// with flat priors on beta. The covariates are used as they are, neither centred nor scaled, so
// that the coefficients are strongly correlated and of very different sizes.
func KidScore() (Posterior, error) {
	var data kidData
	ref, err := load("kidscore", &data)
	if err != nil {
		return Posterior{}, err
	}
	l := linear{y: data.KidScore}
	for i, hs := range data.MomHS {
		iq := data.MomIQ[i]
		l.x = append(l.x, []float64{1, hs, iq, hs * iq})
	}
	var m byhand.Model
	m.Reals("beta", 4, nil)
	sigma := m.Positive("sigma", priors.HalfCauchy{Scale: 2.5})
	return Posterior{"kidscore_interaction", m.Factory(shared(l.likelihood(sigma))), ref}, nil
}
