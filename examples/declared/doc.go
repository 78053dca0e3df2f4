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
		{"garch11", GARCH},
		{"low_dim_gauss_mix", GaussMix},
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

// ARK is an autoregression of order K.
func ARK() (*model.Model, error) {
	var d struct {
		K int
		Y []float64
	}
	if err := models.Data("ark", &d); err != nil {
		return nil, err
	}
	m, n := model.New(), len(d.Y)
	y := m.Data("y", d.Y)
	alpha, beta := m.Real("alpha", model.Normal(0, 10)), m.Reals("beta", d.K, model.Normal(0, 10))
	sigma := m.Positive("sigma", model.HalfCauchy(2.5))
	mean := alpha
	for k := range d.K {
		mean = mean.Add(beta.El(k).Mul(y.Slice(d.K-1-k, n-1-k)))
	}
	m.Observe(y.Slice(d.K, n), model.Normal(mean, sigma))
	return m, nil
}

// KidScore regresses test scores of children on two properties of the mother and their product.
func KidScore() (*model.Model, error) {
	var d struct {
		KidScore []float64 `json:"kid_score"`
		MomHS    []float64 `json:"mom_hs"`
		MomIQ    []float64 `json:"mom_iq"`
	}
	if err := models.Data("kidscore", &d); err != nil {
		return nil, err
	}
	m := model.New()
	hs, iq := m.Data("mom_hs", d.MomHS), m.Data("mom_iq", d.MomIQ)
	b, sigma := m.Reals("beta", 4, model.Flat()), m.Positive("sigma", model.HalfCauchy(2.5))
	mean := b.El(0).Add(b.El(1).Mul(hs)).Add(b.El(2).Mul(iq)).Add(b.El(3).Mul(hs.Mul(iq)))
	m.Observe(m.Data("kid_score", d.KidScore), model.Normal(mean, sigma))
	return m, nil
}

// GARCH is a series whose variance follows its own past.
func GARCH() (*model.Model, error) {
	var d struct {
		Y      []float64
		Sigma1 float64
	}
	if err := models.Data("garch", &d); err != nil {
		return nil, err
	}
	m, n := model.New(), len(d.Y)
	y := m.Data("y", d.Y)
	mu, a0 := m.Real("mu", model.Flat()), m.Positive("alpha0", model.Flat())
	a1 := m.Interval("alpha1", 0, 1, model.Flat())
	b1 := m.Between("beta1", m.Const(0), a1.OneMinus(), model.Flat())
	shock := y.Sub(mu).Square().Slice(0, n-1)
	h := model.Recur(n, d.Sigma1*d.Sigma1, a0.Add(a1.Mul(shock)), b1)
	m.Observe(y, model.Normal(mu, h.Sqrt()))
	return m, nil
}

// GaussMix is a mixture of two normal distributions.
func GaussMix() (*model.Model, error) {
	var d struct{ Y []float64 }
	if err := models.Data("gauss_mix", &d); err != nil {
		return nil, err
	}
	m := model.New()
	mu, sd := m.Ordered("mu", 2, model.Normal(0, 2)), m.Positives("sigma", 2, model.HalfNormal(2))
	t := m.Interval("theta", 0, 1, model.Beta(5, 5))
	m.Observe(m.Data("y", d.Y), model.Mix(model.Stack(t, t.OneMinus()),
		model.Normal(mu.El(0), sd.El(0)), model.Normal(mu.El(1), sd.El(1))))
	return m, nil
}
