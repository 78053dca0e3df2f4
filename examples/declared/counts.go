package declared

import (
	"bayeskernel/examples/models"
	"bayeskernel/model"
)

// GLMPoisson is a Poisson regression of yearly counts on a cubic of the year.
func GLMPoisson() (*model.Model, error) {
	var d struct{ Year, C []float64 }
	if err := models.Data("glm_poisson", &d); err != nil {
		return nil, err
	}
	m := model.New()
	year := m.Data("year", d.Year)
	logRate := m.Interval("alpha", -20, 20, model.Uniform(-20, 20))
	power := year
	for _, name := range []string{"beta1", "beta2", "beta3"} {
		logRate = logRate.Add(m.Interval(name, -10, 10, model.Uniform(-10, 10)).Mul(power))
		power = power.Mul(year)
	}
	m.Observe(m.Data("C", d.C), model.PoissonLog(logRate))
	return m, nil
}

// Dogs is a logistic regression of a learning experiment: a dog is shocked or not, given how often
// it avoided the shock before and how often it did not.
func Dogs() (*model.Model, error) {
	var d struct{ Y [][]int }
	if err := models.Data("dogs", &d); err != nil {
		return nil, err
	}
	var shocked, avoidances, shocks []float64
	for _, dog := range d.Y {
		before := 0
		for t, y := range dog {
			shocked = append(shocked, float64(y))
			avoidances = append(avoidances, float64(t-before))
			shocks = append(shocks, float64(before))
			before += y
		}
	}
	m := model.New()
	b := m.Reals("beta", 3, model.Normal(0, 100))
	logOdds := b.El(0).Add(b.El(1).Mul(m.Data("avoidances", avoidances))).
		Add(b.El(2).Mul(m.Data("shocks", shocks)))
	m.Observe(m.Data("y", shocked), model.BernoulliLogit(logOdds))
	return m, nil
}

// Surgical is a hierarchical model of the deaths among operations in 12 hospitals.
func Surgical() (*model.Model, error) {
	var d struct {
		Count int       `json:"N"` // or else it would be taken for n
		N     []float64 `json:"n"`
		R     []float64
	}
	if err := models.Data("surgical", &d); err != nil {
		return nil, err
	}
	m := model.New()
	mu := m.Real("mu", model.Normal(0, 1000))
	sigmasq := m.Positive("sigmasq", model.InvGamma(0.001, 0.001))
	sigma := sigmasq.Sqrt()
	b := m.Reals("b", len(d.N), model.Normal(mu, sigma))
	m.Quantity("sigma", sigma)
	m.Quantity("p", b.InvLogit())
	m.Quantity("pop_mean", mu.InvLogit())
	m.Observe(m.Data("r", d.R), model.BinomialLogit(d.N, b))
	return m, nil
}
