package declared

import (
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
	theta1, theta2 := m.Simplex("theta1", 2, model.Flat()), m.Simplex("theta2", 2, model.Flat())
	mu := m.PositiveOrdered("mu", 2, model.Normal([]float64{3, 10}, 1))
	z := twoStates(m, len(d.Y), theta1, theta2)
	m.Observe(m.Data("y", d.Y), model.Normal(mu.Pick(z), 1))
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
	theta1 := m.Simplex("theta1", 2, model.Dirichlet(d.Alpha[0]))
	theta2 := m.Simplex("theta2", 2, model.Dirichlet(d.Alpha[1]))
	phi := m.PositiveOrdered("phi", 2, model.Normal([]float64{0, 3}, 1))
	lambda := m.PositiveOrdered("lambda", 2, model.Normal([]float64{0, 3}, 1))
	z := twoStates(m, len(d.U), theta1, theta2)
	m.Observe(m.Data("u", d.U), model.Exponential(phi.Pick(z)))
	m.Observe(m.Data("v", d.V), model.Exponential(lambda.Pick(z)))
	return m, nil
}

// twoStates are the states of a chain with rows theta1 and theta2 of transition probabilities. The first is
// either with the same probability.
func twoStates(m *model.Model, n int, theta1, theta2 model.Expr) model.Expr {
	return m.Latent("z", n, model.Markov([]float64{.5, .5}, model.MatOf(2, 2, model.Stack(theta1, theta2))))
}
