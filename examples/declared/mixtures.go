package declared

import (
	"bayeskernel/examples/models"
	"bayeskernel/model"
)

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
