package models

import (
	"math"

	"bayeskernel/examples/models/internal/byhand"
	"bayeskernel/priors"
)

// regression declares beta, with independent priors, and sigma, and returns the posterior of the
// linear regression l.
func regression(name string, l linear, beta, sigma priors.Prior,
	ref map[string]Moments) Posterior {
	var m byhand.Model
	m.Reals("beta", len(l.x[0]), beta)
	s := m.Positive("sigma", sigma)
	return Posterior{name, m.Factory(shared(l.likelihood(s))), ref}
}

// indicator is 1 if a equals b, else 0.
func indicator(a, b float64) float64 {
	if a == b {
		return 1
	}
	return 0
}

type blrData struct {
	Y []float64
	X [][]float64
}

// BLR is a linear regression of 100 simulated values on five nearly independent columns:
//
//	y ~ normal(X beta, sigma)
//	beta[k] ~ normal(0, 10)
//	sigma ~ half-normal(0, 10)
//
// The only difficulty are standard deviations of 1e-3 for beta.
func BLR() (Posterior, error) {
	var data blrData
	ref, err := load("blr", &data)
	if err != nil {
		return Posterior{}, err
	}
	return regression("blr", linear{data.Y, data.X}, priors.Normal{Mean: 0, SD: 10},
		priors.HalfNormal{Scale: 10}, ref), nil
}

// KidScoreMomHSIQ regresses the test scores of KidScore without the product:
//
//	kid_score ~ normal(beta[1] + beta[2] mom_hs + beta[3] mom_iq, sigma)
//	sigma ~ half-Cauchy(0, 2.5)
//
// with flat priors on beta. Since mom_iq is not centred, beta[1] and beta[3] correlate at -0.95.
func KidScoreMomHSIQ() (Posterior, error) {
	var data kidData
	ref, err := loadFrom("kidscore.json", "kidscore_momhsiq_reference.json", &data)
	if err != nil {
		return Posterior{}, err
	}
	l := linear{y: data.KidScore}
	for i, hs := range data.MomHS {
		l.x = append(l.x, []float64{1, hs, data.MomIQ[i]})
	}
	return regression("kidscore_momhsiq", l, nil, priors.HalfCauchy{Scale: 2.5}, ref), nil
}

type momWorkData struct {
	KidScore []float64 `json:"kid_score"`
	MomWork  []float64 `json:"mom_work"`
}

// KidScoreMomWork regresses the test scores on four classes of the mother's work:
//
//	kid_score ~ normal(beta[1] + beta[2] [mom_work = 2] + beta[3] [mom_work = 3]
//	                   + beta[4] [mom_work = 4], sigma)
//
// with flat priors on beta and on sigma > 0.
func KidScoreMomWork() (Posterior, error) {
	var data momWorkData
	ref, err := load("kidscore_mom_work", &data)
	if err != nil {
		return Posterior{}, err
	}
	l := linear{y: data.KidScore}
	for _, w := range data.MomWork {
		l.x = append(l.x, []float64{1, indicator(w, 2), indicator(w, 3), indicator(w, 4)})
	}
	return regression("kidscore_mom_work", l, nil, nil, ref), nil
}

type nesData struct {
	PartyID []float64 `json:"partyid7"`
	Ideo    []float64 `json:"real_ideo"`
	Race    []float64 `json:"race_adj"`
	Age     []float64 `json:"age_discrete"`
	Educ    []float64 `json:"educ1"`
	Gender  []float64
	Income  []float64
}

// NES regresses the party that 1043 Americans identified with in 1996 on what else they told
// (Gelman and Hill 2006, chapter 4):
//
//	partyid7 ~ normal(beta[1] + beta[2] real_ideo + beta[3] race_adj + beta[4] [age = 2]
//	                  + beta[5] [age = 3] + beta[6] [age = 4] + beta[7] educ1 + beta[8] gender
//	                  + beta[9] income, sigma)
//
// with flat priors on beta and on sigma > 0.
func NES() (Posterior, error) {
	var d nesData
	ref, err := load("nes", &d)
	if err != nil {
		return Posterior{}, err
	}
	l := linear{y: d.PartyID}
	for i, age := range d.Age {
		l.x = append(l.x, []float64{1, d.Ideo[i], d.Race[i], indicator(age, 2), indicator(age, 3),
			indicator(age, 4), d.Educ[i], d.Gender[i], d.Income[i]})
	}
	return regression("nes", l, nil, nil, ref), nil
}

// Mesquite predicts the leaf weight of the bushes of LogMesquite from the measures as they are:
//
//	weight ~ normal(beta[1] + beta[2] diam1 + beta[3] diam2 + beta[4] canopy_height
//	                + beta[5] total_height + beta[6] density + beta[7] group, sigma)
//
// with flat priors on beta and on sigma > 0. The coefficients are in the hundreds, far from where
// chains start.
func Mesquite() (Posterior, error) {
	var d mesquiteData
	ref, err := loadFrom("mesquite.json", "mesquite_raw_reference.json", &d)
	if err != nil {
		return Posterior{}, err
	}
	l := linear{y: d.Weight}
	for i := range d.Weight {
		l.x = append(l.x, []float64{1, d.Diam1[i], d.Diam2[i], d.CanopyHeight[i], d.TotalHeight[i],
			d.Density[i], d.Group[i]})
	}
	return regression("mesquite", l, nil, nil, ref), nil
}

// LogVASh predicts the log weight of the same bushes from volume, area and shape of the canopy:
//
//	log weight ~ normal(beta[1] + beta[2] log(diam1 diam2 canopy_height)
//	                    + beta[3] log(diam1 diam2) + beta[4] log(diam1 / diam2)
//	                    + beta[5] log total_height + beta[6] group, sigma)
//
// with flat priors on beta and on sigma > 0. Volume and area are nearly collinear.
func LogVASh() (Posterior, error) {
	var d mesquiteData
	ref, err := loadFrom("mesquite.json", "logmesquite_logvash_reference.json", &d)
	if err != nil {
		return Posterior{}, err
	}
	var l linear
	for i, w := range d.Weight {
		area := d.Diam1[i] * d.Diam2[i]
		l.y = append(l.y, math.Log(w))
		l.x = append(l.x, []float64{1, math.Log(area * d.CanopyHeight[i]), math.Log(area),
			math.Log(d.Diam1[i] / d.Diam2[i]), math.Log(d.TotalHeight[i]), d.Group[i]})
	}
	return regression("logmesquite_logvash", l, nil, nil, ref), nil
}

type kilpisData struct {
	X, Y                               []float64
	PMuAlpha, PSAlpha, PMuBeta, PSBeta float64
}

// Kilpisjarvi is the trend of 62 summer temperatures over the years x:
//
//	y ~ normal(alpha + beta x, sigma)
//	alpha ~ normal(pmualpha, psalpha),  beta ~ normal(pmubeta, psbeta)
//
// with a flat prior on sigma > 0. The years are not centred: alpha and beta correlate at -0.99999,
// and their scales differ 4000-fold.
func Kilpisjarvi() (Posterior, error) {
	var d kilpisData
	ref, err := load("kilpisjarvi", &d)
	if err != nil {
		return Posterior{}, err
	}
	l := linear{y: d.Y}
	for _, x := range d.X {
		l.x = append(l.x, []float64{1, x})
	}
	var m byhand.Model
	m.Real("alpha", priors.Normal{Mean: d.PMuAlpha, SD: d.PSAlpha})
	m.Real("beta", priors.Normal{Mean: d.PMuBeta, SD: d.PSBeta})
	sigma := m.Positive("sigma", nil)
	return Posterior{"kilpisjarvi", m.Factory(shared(l.likelihood(sigma))), ref}, nil
}
