package calibration

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/draws"
	"bayeskernel/hmc"
)

// target is a target with names, made of functions.
type target struct {
	names     []string
	dim       int
	density   func(x, grad []float64) float64
	constrain func(dst, x []float64)
}

func (t target) Dim() int                             { return t.dim }
func (t target) LogDensity(x, grad []float64) float64 { return t.density(x, grad) }
func (t target) Names() []string                      { return t.names }
func (t target) Constrain(dst, x []float64)           { t.constrain(dst, x) }

func (t target) factory() (hmc.Target, error) { return t, nil }

// normal is y[i] ~ N(mu, sd), mu ~ N(0, 1), log sd ~ N(0, 1/2), sampled as (mu, log sd). It has
// some knobs to be wrong by.
type normal struct {
	n           int
	priorSD     float64 // of mu, in the density (1)
	noJacobian  bool    // density of sd where that of log sd is meant
	missing     int     // observations that the density forgets
	badGradient bool
}

func (m normal) draw(theta []float64, r *rand.Rand) {
	theta[0], theta[1] = r.NormFloat64(), 0.5*r.NormFloat64()
}

func (m normal) data(theta []float64, r *rand.Rand) []float64 {
	y := make([]float64, m.n)
	for i := range y {
		y[i] = theta[0] + math.Exp(theta[1])*r.NormFloat64()
	}
	return y
}

func (m normal) target(y []float64) target {
	v := m.priorSD * m.priorSD
	if v == 0 {
		v = 1
	}
	y = y[m.missing:]
	n := float64(len(y))
	return target{names: []string{"mu", "sd"}, dim: 2,
		density: func(x, g []float64) float64 {
			mu, s := x[0], x[1]
			w := math.Exp(-2 * s)
			sum, ss := 0.0, 0.0
			for _, v := range y {
				sum += v - mu
				ss += (v - mu) * (v - mu)
			}
			g[0] = -mu/v + w*sum
			g[1] = -4*s - n + w*ss
			lp := -mu*mu/(2*v) - 2*s*s - n*s - w*ss/2
			if m.noJacobian {
				g[1]--
				lp -= s
			}
			if m.badGradient {
				g[1] *= 1.5
			}
			return lp
		},
		constrain: func(dst, x []float64) { dst[0], dst[1] = x[0], math.Exp(x[1]) },
	}
}

func (m normal) model() Model {
	return Model{Quantities: []string{"log likelihood"},
		Simulate: func(r *rand.Rand) (Simulation, error) {
			theta := make([]float64, 2)
			m.draw(theta, r)
			y := m.data(theta, r)
			return Simulation{
				Truth:      []float64{theta[0], math.Exp(theta[1])},
				Posterior:  m.target(y).factory,
				Quantities: func(dst, v []float64) { dst[0] = logLikelihood(y, v[0], v[1]) },
			}, nil
		}}
}

func logLikelihood(y []float64, mu, sd float64) float64 {
	l := -float64(len(y)) * math.Log(sd)
	for _, v := range y {
		l -= (v - mu) * (v - mu) / (2 * sd * sd)
	}
	return l
}

func (m normal) joint() Joint {
	return Joint{Dim: 2, Prior: m.draw,
		Posterior: func(theta []float64, r *rand.Rand) (hmc.Target, func([]float64) float64) {
			y := m.data(theta, r)
			return m.target(y), func(x []float64) float64 {
				return logLikelihood(y, x[0], math.Exp(x[1]))
			}
		}}
}

// groups is y[j][k] ~ N(theta[j], 1), theta[j] ~ N(mu, tau), mu ~ N(0, 1), log tau ~ N(-1/2, 1/2):
// three groups of four, sampled as mu, log tau and (theta[j] - mu)/tau.
func groups() Model {
	const each = 4
	names := []string{"mu", "tau", "theta[1]", "theta[2]", "theta[3]"}
	constrain := func(dst, x []float64) {
		tau := math.Exp(x[1])
		dst[0], dst[1] = x[0], tau
		for j := range 3 {
			dst[2+j] = x[0] + tau*x[2+j]
		}
	}
	simulate := func(r *rand.Rand) (Simulation, error) {
		x := []float64{r.NormFloat64(), -0.5 + 0.5*r.NormFloat64(), r.NormFloat64(),
			r.NormFloat64(), r.NormFloat64()}
		truth := make([]float64, 5)
		constrain(truth, x)
		var mean [3]float64 // sufficient
		for j := range mean {
			for range each {
				mean[j] += (truth[2+j] + r.NormFloat64()) / each
			}
		}
		t := target{names: names, dim: 5, constrain: constrain,
			density: func(x, g []float64) float64 {
				mu, tau := x[0], math.Exp(x[1])
				lp := -mu*mu/2 - 2*(x[1]+0.5)*(x[1]+0.5)
				g[0], g[1] = -mu, -4*(x[1]+0.5)
				for j, eta := range x[2:] {
					res := mean[j] - mu - tau*eta
					lp -= eta*eta/2 + each*res*res/2
					g[0] += each * res
					g[1] += each * res * tau * eta
					g[2+j] = -eta + each*res*tau
				}
				return lp
			}}
		return Simulation{Truth: truth, Posterior: t.factory,
			Quantities: func(dst, v []float64) {
				dst[0] = 0
				for j, m := range mean {
					dst[0] -= each * (m - v[2+j]) * (m - v[2+j]) / 2
				}
			}}, nil
	}
	return Model{Quantities: []string{"log likelihood"}, Simulate: simulate}
}

// exact carries a normal posterior of some coordinates: independent ones, unless pair is set, when
// there are two with correlation rho. A sampler of it need not be a chain.
type exact struct {
	target
	mean, sd, rho float64
}

func (e exact) factory() (hmc.Target, error) { return e, nil }

// conjugate is y[i] ~ N(mu, 1), i = 1 … 5, mu ~ N(0, 1).
func conjugate() Model {
	return Model{Simulate: func(r *rand.Rand) (Simulation, error) {
		mu := r.NormFloat64()
		sum := 0.0
		for range 5 {
			sum += mu + r.NormFloat64()
		}
		e := exact{target: target{names: []string{"mu"}, dim: 1}, mean: sum / 6,
			sd: math.Sqrt(1.0 / 6)}
		return Simulation{Truth: []float64{mu}, Posterior: e.factory}, nil
	}}
}

// sum is y ~ N(a+b, 1/2), a and b ~ N(0, 1): given y, a and b have mean 4y/9, variance 5/9 and
// correlation -4/5.
func sum() Model {
	return Model{Quantities: []string{"log likelihood"},
		Simulate: func(r *rand.Rand) (Simulation, error) {
			a, b := r.NormFloat64(), r.NormFloat64()
			y := a + b + 0.5*r.NormFloat64()
			e := exact{target: target{names: []string{"a", "b"}, dim: 2}, mean: 4 * y / 9,
				sd: math.Sqrt(5.0 / 9), rho: -0.8}
			return Simulation{Truth: []float64{a, b}, Posterior: e.factory,
				Quantities: func(dst, v []float64) {
					dst[0] = -2 * (y - v[0] - v[1]) * (y - v[0] - v[1])
				}}, nil
		}}
}

// independent samples an exact posterior, after the errors that it is told to make.
type independent struct {
	shift, scale  float64 // of the draws, in sds and as a factor
	uncorrelated  bool
	draws, chains int
	round         float64 // draws are multiples of this
}

func (s independent) sample(_ context.Context, f hmc.Factory, seed uint64) (*draws.Run, error) {
	t, err := f()
	if err != nil {
		return nil, err
	}
	e, ok := t.(exact)
	if !ok {
		return nil, fmt.Errorf("a target of type %T", t)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	run := &draws.Run{Names: e.names, Chains: make([]draws.Chain, s.chains)}
	for c := range run.Chains {
		for range s.draws {
			row := make([]float64, e.dim)
			row[0] = r.NormFloat64()
			if e.dim == 2 {
				row[1] = r.NormFloat64()
				if !s.uncorrelated {
					row[1] = e.rho*row[0] + math.Sqrt(1-e.rho*e.rho)*row[1]
				}
			}
			for j, v := range row {
				v = e.mean + e.sd*(s.shift+s.scale*v)
				if s.round > 0 {
					v = s.round * math.Round(v/s.round)
				}
				row[j] = v
			}
			run.Chains[c].Values = append(run.Chains[c].Values, row)
		}
	}
	return run, nil
}

// sticky samples an exact posterior by a chain of 400 draws with autocorrelation 0.9, which are
// worth about 21.
func sticky(_ context.Context, f hmc.Factory, seed uint64) (*draws.Run, error) {
	t, err := f()
	if err != nil {
		return nil, err
	}
	e := t.(exact)
	r := rand.New(rand.NewPCG(seed, 2))
	run := &draws.Run{Names: e.names, Chains: make([]draws.Chain, 1)}
	x := r.NormFloat64()
	for range 400 {
		x = 0.9*x + math.Sqrt(1-0.81)*r.NormFloat64()
		run.Chains[0].Values = append(run.Chains[0].Values, []float64{e.mean + e.sd*x})
	}
	return run, nil
}
