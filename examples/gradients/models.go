package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/examples/declared"
	"bayeskernel/hmc"
	"bayeskernel/model"
)

// dataOf has the data of the models of posteriordb, by their names.
var dataOf = map[string]string{
	"eight_schools_noncentered": "eight_schools",
	"arK":                       "arK",
	"low_dim_gauss_mix":         "low_dim_gauss_mix",
	"diamonds":                  "diamonds",
	"arma11":                    "arma",
	"hmm_example":               "hmm_example",
	"hmm_drive_0":               "bball_drive_event_0",
	"blr":                       "sblri",
	"GLM_Poisson_model":         "GLM_Poisson_Data",
	"dogs":                      "dogs",
	"surgical_model":            "surgical_data",
	"logmesquite":               "mesquite",
	"kidscore_interaction":      "kidiq",
}

// ownProgram is a model whose Stan program is here.
type ownProgram struct {
	program string
	data    func() any
	declare func() *model.Model
}

var ownPrograms = map[string]ownProgram{
	"gp of 300 points": {gpProgram, func() any { return gpData() }, declareGP},
	"groups":           {groupsProgram, func() any { return groupsData() }, declareGroups},
}

var modelNames = []string{"eight_schools_noncentered", "arK", "low_dim_gauss_mix", "diamonds", "arma11",
	"hmm_example", "hmm_drive_0", "blr", "GLM_Poisson_model", "dogs", "surgical_model", "logmesquite",
	"kidscore_interaction", "gp of 300 points", "groups"}

func modelTasks(corpus string) []task {
	posteriors := map[string]func() (*model.Model, error){}
	for _, p := range declared.All() {
		posteriors[p.Name] = p.Declare
	}
	var tasks []task
	for _, name := range modelNames {
		tasks = append(tasks, task{name: name, ours: func() (hmc.Target, []float64, error) {
			m := (*model.Model)(nil)
			if own, ok := ownPrograms[name]; ok {
				m = own.declare()
			} else {
				var err error
				if m, err = posteriors[name](); err != nil {
					return nil, nil, fmt.Errorf("declaring: %w", err)
				}
			}
			return modelTarget(m)
		}})
	}
	return tasks
}

// modelTarget is the target with all rewrites, at a point near 0.
func modelTarget(m *model.Model) (hmc.Target, []float64, error) {
	p, err := m.Compile()
	if err != nil {
		return nil, nil, err
	}
	t, err := p.Target()
	if err != nil {
		return nil, nil, err
	}
	x := make([]float64, t.Dim())
	for i := range x {
		x[i] = 0.1 * float64(i%7)
	}
	return t, x, nil
}

const gpProgram = `data { int n; real x[n]; vector[n] y; }
parameters { real<lower=0> alpha; real<lower=0> rho; real<lower=0> sigma; }
model {
  matrix[n, n] K = cov_exp_quad(x, alpha, rho);
  for (i in 1:n) K[i, i] += square(sigma) + 1e-10;
  rho ~ inv_gamma(5, 5);
  alpha ~ normal(0, 1);
  sigma ~ normal(0, 1);
  y ~ multi_normal_cholesky(rep_vector(0, n), cholesky_decompose(K));
}
`

type gpSample struct {
	N int       `json:"n"`
	X []float64 `json:"x"`
	Y []float64 `json:"y"`
}

func gpData() gpSample {
	r := rand.New(rand.NewPCG(3, 4))
	s := gpSample{N: 300}
	for range s.N {
		x := 6*r.Float64() - 3
		s.X, s.Y = append(s.X, x), append(s.Y, math.Sin(2*x)+0.3*r.NormFloat64())
	}
	return s
}

func declareGP() *model.Model {
	s, m := gpData(), model.New()
	alpha := m.Positive("alpha", model.HalfNormal(1))
	rho := m.Positive("rho", model.InvGamma(5, 5))
	sigma := m.Positive("sigma", model.HalfNormal(1))
	k := model.SquaredExponential(m.Data("x", s.X), alpha, rho, sigma.Square().Shift(1e-10))
	m.Observe(m.Data("y", s.Y), model.MvNormal(0, k.Cholesky()))
	return m
}

const groupsProgram = `data { int n; int k; int g[n]; vector[n] x; int y[n]; }
parameters { real mu; real<lower=0> tau; real b; vector[k] z; }
model {
  vector[k] a = mu + tau * z;
  mu ~ normal(0, 5);
  tau ~ normal(0, 5);
  b ~ normal(0, 5);
  z ~ normal(0, 1);
  y ~ bernoulli_logit(a[g] + b * x);
}
`

type groupsSample struct {
	N int       `json:"n"`
	K int       `json:"k"`
	G []int     `json:"g"`
	X []float64 `json:"x"`
	Y []int     `json:"y"`
}

func groupsData() groupsSample {
	r := rand.New(rand.NewPCG(5, 6))
	s := groupsSample{N: 50_000, K: 200}
	effect := make([]float64, s.K)
	for i := range effect {
		effect[i] = r.NormFloat64()
	}
	for range s.N {
		g, x, y := r.IntN(s.K), r.NormFloat64(), 0
		if r.Float64() < 1/(1+math.Exp(-0.2-effect[g]-0.5*x)) {
			y = 1
		}
		s.G, s.X, s.Y = append(s.G, g+1), append(s.X, x), append(s.Y, y)
	}
	return s
}

func declareGroups() *model.Model {
	s, m := groupsData(), model.New()
	mu, tau := m.Real("mu", model.Normal(0, 5)), m.Positive("tau", model.HalfNormal(5))
	b := m.Real("b", model.Normal(0, 5))
	groups, g := m.Codes("g", s.K, s.G)
	a := groups.Reals("a", model.Normal(mu, tau), model.NonCentred)
	eta := a.Of(g).Add(b.Mul(m.Data("x", s.X)))
	m.Observe(m.Counts("y", s.Y), model.BernoulliLogit(eta))
	return m
}
