package models

import (
	"math"

	"bayeskernel/examples/models/internal/byhand"
	"bayeskernel/priors"
)

type lotkaData struct {
	TS    []float64
	YInit [2]float64 `json:"y_init"`
	Y     [][2]float64
}

// LotkaVolterra is the dynamics of predator and prey, in 21 years of pelts of hare and lynx:
//
//	du/dt = (alpha - beta v) u,  dv/dt = (-gamma + delta u) v,  (u, v) = z_init at t = 0
//	y[t,k] ~ lognormal(log z[t,k], sigma[k]),  z = (u, v),  t = 0, ..., 20
//	alpha, gamma ~ normal(1, 0.5),  beta, delta ~ normal(0.05, 0.05), positive
//	z_init[k] ~ lognormal(log 10, 1),  sigma[k] ~ lognormal(-1, 1)
//
// theta is (alpha, beta, gamma, delta). Solved are x = log u and y = log v,
//
//	dx/dt = alpha - beta exp y,  dy/dt = -gamma + delta exp x
//
// together with their derivatives in q, the logs of the four parameters and of z_init: those of
// the right-hand sides in themselves are
//
//	d/dt dx/dq = d(alpha - beta exp y)/dq   - beta exp y dy/dq
//	d/dt dy/dq = d(-gamma + delta exp x)/dq + delta exp x dx/dq
//
// where the first terms are (alpha, -beta exp y, 0, 0, 0, 0) and (0, 0, -gamma, delta exp x, 0, 0).
// At t = 0, dx/dq and dy/dq are 1 in the log of their own initial value and 0 elsewhere.
//
// With r = log y[t,k] - log z[t,k], log p = sum -log sigma[k] - r^2 / (2 sigma[k]^2) and
//
//	d/dq        = sum r / sigma[k]^2 d log z[t,k]/dq,  d/d theta = d/dq / theta, ...
//	d/d sigma[k] = sum (r^2 / sigma[k]^2 - 1) / sigma[k]
func LotkaVolterra() (Posterior, error) {
	var data lotkaData
	ref, err := load("lotka_volterra", &data)
	if err != nil {
		return Posterior{}, err
	}
	log := make([][2]float64, 0, len(data.Y)+1)
	for _, y := range append([][2]float64{data.YInit}, data.Y...) {
		log = append(log, [2]float64{math.Log(y[0]), math.Log(y[1])})
	}
	var m byhand.Model
	theta := m.Declare("theta", 4, priors.Positive(), nil) // their priors differ
	m.Positives("z_init", 2, priors.LogNormal{Mu: math.Log(10), Sigma: 1})
	sigma := m.Positives("sigma", 2, priors.LogNormal{Mu: -1, Sigma: 1})
	likelihood := func() byhand.LogLikelihood {
		l := &lotka{NewPredators(data.TS), log}
		return func(v, grad []float64) float64 {
			lp := l.logLikelihood(v[:6], sigma.Of(v), grad[:6], sigma.Of(grad))
			for i, t := range theta.Of(v) {
				prior := priors.Normal{Mean: 1, SD: 0.5}
				if i%2 == 1 {
					prior = priors.Normal{Mean: 0.05, SD: 0.05}
				}
				p, dp := prior.LogDensityGrad(t)
				lp += p
				theta.Of(grad)[i] += dp
			}
			if !finite(lp, grad...) {
				return math.Inf(-1)
			}
			return lp
		}
	}
	return Posterior{"lotka_volterra", m.Factory(likelihood), ref}, nil
}

// Predators solves the equations of LotkaVolterra, with sensitivities, for one chain.
type Predators struct {
	times  []float64
	p      [4]float64 // theta
	solver *rk45
	y      [14]float64 // log u, log v, then the derivatives of either in the six q
}

// NewPredators returns a solver for these times, which are positive and increase.
func NewPredators(times []float64) *Predators {
	l := &Predators{times: times}
	l.solver = newRK45(len(l.y), 1e-8, func([]float64) float64 { return 1 }, l.rightHandSide)
	return l
}

func (l *Predators) rightHandSide(_ float64, y, dy []float64) {
	bv, du := l.p[1]*math.Exp(y[1]), l.p[3]*math.Exp(y[0])
	dy[0], dy[1] = l.p[0]-bv, du-l.p[2]
	x, z, dx, dz := y[2:8], y[8:14], dy[2:8], dy[8:14]
	for i := range 6 {
		dx[i], dz[i] = -bv*z[i], du*x[i]
	}
	dx[0] += l.p[0]
	dx[1] -= bv
	dz[2] -= l.p[2]
	dz[3] += du
}

// Solve calls at with log u and log v at time 0, and then at each time, followed by the six
// derivatives of the one and the six of the other in the logs of v, which holds theta and z_init. It
// reports false where the equations cannot be solved.
func (l *Predators) Solve(v []float64, at func(t int, y []float64)) bool {
	l.p = [4]float64(v[:4])
	y := l.y[:]
	clear(y)
	y[0], y[1] = math.Log(v[4]), math.Log(v[5])
	y[2+4], y[8+5] = 1, 1
	l.solver.start(0, y, 0.01)
	at(0, y)
	for t, time := range l.times {
		if !l.solver.to(time, y) {
			return false
		}
		at(t+1, y)
	}
	return true
}

// lotka is the likelihood for one chain.
type lotka struct {
	*Predators
	log [][2]float64 // of what was observed, at time 0 and at times
}

// logLikelihood is that of v, which holds theta and z_init. It writes the derivatives in both
// arguments; it is -Inf where the equations cannot be solved.
func (l *lotka) logLikelihood(v, sigma, gv, gsigma []float64) float64 {
	lp := 0.0
	solved := l.Solve(v, func(t int, y []float64) {
		for k, s := range sigma {
			r := (l.log[t][k] - y[k]) / s
			lp -= math.Log(s) + r*r/2
			gsigma[k] += (r*r - 1) / s
			for i, d := range y[2+6*k : 8+6*k] {
				gv[i] += r / s * d
			}
		}
	})
	if !solved {
		return math.Inf(-1)
	}
	for i := range gv {
		gv[i] /= v[i]
	}
	return lp
}
