// Package declared has the posteriors of posteriordb declared with package model, as a reader of
// their papers would write them down. Package examples/models has the same posteriors with
// hand-derived gradients, by which these are checked.
package declared

import (
	"bayeskernel/examples/models"
	"bayeskernel/model"
)

// Posterior is a declared model by the name that posteriordb gives it.
type Posterior struct {
	Name    string
	Declare func() (*model.Model, error)
}

// All returns the posteriors.
func All() []Posterior {
	return []Posterior{
		{"eight_schools_noncentered", EightSchools},
		{"eight_schools_centered", EightSchoolsCentered},
		{"arK", ARK},
		{"kidscore_interaction", KidScore},
		{"logmesquite", LogMesquite},
		{"garch11", GARCH},
		{"low_dim_gauss_mix", GaussMix},
		{"diamonds", Diamonds},
		{"logmesquite_logvash", LogVASh},
		{"kidscore_momhsiq", KidScoreMomHSIQ},
		{"arma11", ARMA},
		{"hmm_example", HMMExample},
		{"hmm_drive_0", HMMDrive},
		{"one_comp_mm_elim_abs", OneComp},
		{"lotka_volterra", LotkaVolterra},
		{"accel_gp", AccelGP},
		{"blr", BLR},
		{"GLM_Poisson_model", GLMPoisson},
		{"dogs", Dogs},
		{"kidscore_mom_work", KidScoreMomWork},
		{"nes", NES},
		{"mesquite", Mesquite},
		{"kilpisjarvi", Kilpisjarvi},
		{"surgical_model", Surgical},
	}
}

// EightSchools is the meta-analysis of Rubin (1981), not centred.
func EightSchools() (*model.Model, error) { return eightSchools(model.NonCentred) }

// EightSchoolsCentered is the same with the effects themselves sampled.
func EightSchoolsCentered() (*model.Model, error) { return eightSchools() }

func eightSchools(o ...model.Option) (*model.Model, error) {
	var d struct{ Y, Sigma []float64 }
	if err := models.Data("eight_schools", &d); err != nil {
		return nil, err
	}
	m := model.New()
	mu, tau := m.Real("mu", model.Normal(0, 5)), m.Positive("tau", model.HalfCauchy(5))
	theta := m.Reals("theta", len(d.Y), model.Normal(mu, tau), o...)
	m.Observe(m.Data("y", d.Y), model.Normal(theta, d.Sigma))
	return m, nil
}
