package declared

import (
	"math"

	"bayeskernel/examples/models"
	"bayeskernel/model"
)

// LotkaVolterra is the dynamics of predator and prey.
func LotkaVolterra() (*model.Model, error) {
	var d struct {
		TS    []float64
		YInit [2]float64 `json:"y_init"`
		Y     [][2]float64
	}
	if err := models.Data("lotka_volterra", &d); err != nil {
		return nil, err
	}
	var seen []float64
	var which []int
	for _, y := range append([][2]float64{d.YInit}, d.Y...) {
		seen, which = append(seen, y[0], y[1]), append(which, 0, 1)
	}
	m := model.New()
	theta := m.Positives("theta", 4, model.Normal([]float64{1, 0.05, 1, 0.05},
		[]float64{0.5, 0.05, 0.5, 0.05}))
	z := m.Positives("z_init", 2, model.LogNormal(math.Log(10), 1))
	sigma := m.Positives("sigma", 2, model.LogNormal(-1, 1))
	solve := func() model.Computation { return newSolution(models.NewPredators(d.TS), 2, 6) }
	logZ := m.Custom(len(seen), solve, theta, z)
	m.Observe(m.Data("y", seen), model.LogNormal(logZ, sigma.At(which)))
	return m, nil
}

// OneComp is a drug's concentration in one compartment.
func OneComp() (*model.Model, error) {
	var d struct {
		D, V  float64 // dose and volume
		Times []float64
		CHat  []float64 `json:"C_hat"`
	}
	if err := models.Data("one_comp", &d); err != nil {
		return nil, err
	}
	m := model.New()
	ka, km := m.Positive("k_a", model.HalfCauchy(1)), m.Positive("K_m", model.HalfCauchy(1))
	vm, sigma := m.Positive("V_m", model.HalfCauchy(1)), m.Positive("sigma", model.HalfCauchy(1))
	m.Quantity("log_K_m", km.Log())
	m.Quantity("log_V_m", vm.Log())
	solve := func() model.Computation {
		return newSolution(models.NewElimination(d.D, d.V, d.Times), 1, 3)
	}
	c := m.Custom(len(d.Times), solve, ka, km, vm)
	m.Observe(m.Data("C_hat", d.CHat), model.LogNormal(c.Log(), sigma))
	return m, nil
}

// solver calls at with the states of a system of equations at each time, followed by the
// derivatives of each state in the logs of v, and reports whether it could be solved.
type solver interface {
	Solve(v []float64, at func(t int, y []float64)) bool
}

// solution is the states of a system of equations at all times, as a node of a model. Its
// derivatives are solved for together with it.
type solution struct {
	of     solver
	states int
	v      []float64 // parameters, one after the other
	slopes []float64 // of each value in the logs of the parameters
	out    []float64
	store  func(t int, y []float64)
}

func newSolution(of solver, states, parameters int) *solution {
	s := &solution{of: of, states: states, v: make([]float64, parameters)}
	s.store = func(t int, y []float64) {
		at := t * states
		copy(s.out[at:], y[:states])
		copy(s.slopes[at*parameters:], y[states:])
	}
	return s
}

// Forward implements model.Computation.
func (s *solution) Forward(out []float64, in [][]float64) {
	k := 0
	for _, a := range in {
		k += copy(s.v[k:], a)
	}
	if s.slopes == nil {
		s.slopes = make([]float64, len(out)*len(s.v))
	}
	s.out = out
	if !s.of.Solve(s.v, s.store) {
		for i := range out {
			out[i] = math.NaN()
		}
	}
}

// Pullback implements model.Computation.
func (s *solution) Pullback(din [][]float64, dout, _ []float64, in [][]float64) {
	k := 0
	for a, values := range in {
		for i, v := range values {
			sum := 0.0
			for j, d := range dout {
				sum += d * s.slopes[j*len(s.v)+k]
			}
			if din[a] != nil {
				din[a][i] += sum / v
			}
			k++
		}
	}
}
