package declared

import (
	"math"

	"bayeskernel/examples/models"
	"bayeskernel/model"
)

// HMMExample is a hidden Markov model of values with two states.
func HMMExample() (*model.Model, error) {
	var d struct{ Y []float64 }
	if err := models.Data("hmm_example", &d); err != nil {
		return nil, err
	}
	m := model.New()
	y := m.Data("y", d.Y)
	theta1, theta2 := m.Simplex("theta1", 2, model.Flat()), m.Simplex("theta2", 2, model.Flat())
	mu := m.PositiveOrdered("mu", 2, model.Normal([]float64{3, 10}, 1))
	density := func(k int) model.Expr { return y.Sub(mu.El(k)).Square().Scale(-0.5) }
	m.AddLogDensity(twoStates(m, theta1, theta2, density))
	return m, nil
}

// HMMDrive is a hidden Markov model of two positive series.
func HMMDrive() (*model.Model, error) {
	var d struct {
		U, V  []float64
		Alpha [2][]float64
	}
	if err := models.Data("hmm_drive_0", &d); err != nil {
		return nil, err
	}
	m := model.New()
	u, v := m.Data("u", d.U), m.Data("v", d.V)
	theta1 := m.Simplex("theta1", 2, model.Dirichlet(d.Alpha[0]))
	theta2 := m.Simplex("theta2", 2, model.Dirichlet(d.Alpha[1]))
	phi := m.PositiveOrdered("phi", 2, model.Normal([]float64{0, 3}, 1))
	lambda := m.PositiveOrdered("lambda", 2, model.Normal([]float64{0, 3}, 1))
	density := func(k int) model.Expr { // of exponential distributions
		p, l := phi.El(k), lambda.El(k)
		return p.Log().Add(l.Log()).Sub(p.Mul(u)).Sub(l.Mul(v))
	}
	m.AddLogDensity(twoStates(m, theta1, theta2, density))
	return m, nil
}

// twoStates is the log likelihood of values with these log densities in either state, and rows theta1
// and theta2 of transition probabilities. The first state is either with the same probability.
func twoStates(m *model.Model, theta1, theta2 model.Expr, density func(k int) model.Expr) model.Expr {
	first, second := density(0), density(1)
	emission := model.MatOf(2, first.Len(), model.Stack(first, second)).T()
	transition := model.MatOf(2, 2, model.Stack(theta1, theta2).Log())
	return model.HiddenMarkov(m.Values([]float64{-math.Ln2, -math.Ln2}), transition, emission)
}
