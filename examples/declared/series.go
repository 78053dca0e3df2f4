package declared

import (
	"bayeskernel/examples/models"
	"bayeskernel/model"
)

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

// ARMA is a series whose mean follows the value before and the error of the value before. With
// error y - mean it is mean[t] = mu + (phi + theta) y[t-1] - theta mean[t-1].
func ARMA() (*model.Model, error) {
	var d struct{ Y []float64 }
	if err := models.Data("arma11", &d); err != nil {
		return nil, err
	}
	m, n := model.New(), len(d.Y)
	y := m.Data("y", d.Y)
	mu, phi := m.Real("mu", model.Normal(0, 10)), m.Real("phi", model.Normal(0, 2))
	theta := m.Real("theta", model.Normal(0, 2))
	sigma := m.Positive("sigma", model.HalfCauchy(2.5))
	add := mu.Add(phi.Add(theta).Mul(y.Slice(0, n-1)))
	mean := model.Recur(n, mu.Add(phi.Mul(mu)), add, theta.Neg())
	m.Observe(y, model.Normal(mean, sigma))
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
