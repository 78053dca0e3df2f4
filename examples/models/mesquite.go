package models

import (
	"math"

	"bayeskernel/examples/models/internal/byhand"
)

type mesquiteData struct {
	Weight, Diam1, Diam2, Density, Group []float64

	CanopyHeight []float64 `json:"canopy_height"`
	TotalHeight  []float64 `json:"total_height"`
}

// LogMesquite predicts the leaf weight of 46 mesquite bushes from their measures, all on the log
// scale but for the group (Gelman and Hill 2006, chapter 4):
//
//	log weight ~ normal(beta[1] + beta[2] log diam1 + beta[3] log diam2 + beta[4] log canopy_height
//	                    + beta[5] log total_height + beta[6] log density + beta[7] group, sigma)
//
// with flat priors on beta and on sigma > 0.
func LogMesquite() (Posterior, error) {
	var data mesquiteData
	ref, err := load("mesquite", &data)
	if err != nil {
		return Posterior{}, err
	}
	var l linear
	for i, w := range data.Weight {
		l.y = append(l.y, math.Log(w))
		l.x = append(l.x, []float64{1, math.Log(data.Diam1[i]), math.Log(data.Diam2[i]),
			math.Log(data.CanopyHeight[i]), math.Log(data.TotalHeight[i]),
			math.Log(data.Density[i]), data.Group[i]})
	}
	var m byhand.Model
	m.Reals("beta", 7, nil)
	sigma := m.Positive("sigma", nil)
	return Posterior{"logmesquite", m.Factory(shared(l.likelihood(sigma))), ref}, nil
}
