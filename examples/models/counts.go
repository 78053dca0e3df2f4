package models

import (
	"math"

	"bayeskernel/examples/models/internal/byhand"
	"bayeskernel/priors"
)

type poissonData struct{ Year, C []float64 }

// GLMPoisson is a Poisson regression of 40 yearly counts C on a cubic of the standardised year:
//
//	C[i] ~ Poisson(exp(eta[i])),  eta[i] = alpha + beta1 year + beta2 year^2 + beta3 year^3
//	alpha ~ uniform(-20, 20),  beta1, beta2, beta3 ~ uniform(-10, 10)
//
// Where chains start the rates reach exp(15) and more.
//
// Without the factorial of C, log p = sum_i C[i] eta[i] - exp(eta[i]), so that the derivative in
// the coefficient of year^k is sum_i (C[i] - exp(eta[i])) year[i]^k.
func GLMPoisson() (Posterior, error) {
	var data poissonData
	ref, err := load("glm_poisson", &data)
	if err != nil {
		return Posterior{}, err
	}
	var m byhand.Model
	m.Interval("alpha", -20, 20, priors.Uniform{Lo: -20, Hi: 20})
	for _, name := range []string{"beta1", "beta2", "beta3"} {
		m.Interval(name, -10, 10, priors.Uniform{Lo: -10, Hi: 10})
	}
	logLikelihood := func(v, grad []float64) float64 {
		lp := 0.0
		for i, x := range data.Year {
			eta := v[0] + x*(v[1]+x*(v[2]+x*v[3]))
			rate := math.Exp(eta)
			lp += data.C[i]*eta - rate
			d := data.C[i] - rate
			for k := range 4 {
				grad[k] += d
				d *= x
			}
		}
		return lp
	}
	return Posterior{"GLM_Poisson_model", m.Factory(shared(logLikelihood)), ref}, nil
}

type dogsData struct{ Y [][]int }

// trials are those trials of the dogs that were preceded by as many avoidances and shocks.
type trials struct{ avoid, shock, n, shocked float64 }

// Dogs is a logistic regression of a learning experiment (Gelman and Hill 2006, chapter 24): 30
// dogs were shocked unless they jumped in time, 25 times each. In trial t
//
//	shocked ~ Bernoulli(s(eta)),  eta = beta[1] + beta[2] avoid + beta[3] shock
//	beta[k] ~ normal(0, 100)
//
// where avoid and shock count the dog's avoidances and shocks before, and s(eta) is the logistic
// function 1 / (1 + exp(-eta)).
//
// Trials with the same counts are taken together. n of them, with r shocks, contribute
//
//	r log s(eta) + (n-r) log s(-eta)
//
// whose derivative in eta is r - n s(eta).
func Dogs() (Posterior, error) {
	var data dogsData
	ref, err := load("dogs", &data)
	if err != nil {
		return Posterior{}, err
	}
	all := data.group()
	var m byhand.Model
	m.Reals("beta", 3, priors.Normal{Mean: 0, SD: 100})
	logLikelihood := func(v, grad []float64) float64 {
		lp := 0.0
		for _, c := range all {
			eta := v[0] + v[1]*c.avoid + v[2]*c.shock
			lp += binomial(c.shocked, c.n, eta)
			d := c.shocked - c.n*logistic(eta)
			grad[0] += d
			grad[1] += d * c.avoid
			grad[2] += d * c.shock
		}
		return lp
	}
	return Posterior{"dogs", m.Factory(shared(logLikelihood)), ref}, nil
}

// group takes the trials with the same counts together.
func (data dogsData) group() []trials {
	var all []trials
	index := map[[2]int]int{}
	for _, dog := range data.Y {
		shocks := 0
		for t, y := range dog {
			at := [2]int{t - shocks, shocks}
			i, ok := index[at]
			if !ok {
				i = len(all)
				index[at] = i
				all = append(all, trials{avoid: float64(at[0]), shock: float64(at[1])})
			}
			all[i].n++
			all[i].shocked += float64(y)
			shocks += y
		}
	}
	return all
}

// binomial is the log probability of r successes in n trials at log odds eta, without the binomial
// coefficient. A term of no trials is left out, for it would be 0 times infinity in the far tails.
func binomial(r, n, eta float64) float64 {
	lp := 0.0
	if r > 0 {
		lp += r * logLogistic(eta)
	}
	if n > r {
		lp += (n - r) * logLogistic(-eta)
	}
	return lp
}

type surgicalData struct {
	Count int       `json:"N"` // or else it would be taken for n
	N     []float64 `json:"n"`
	R     []float64
}

// Surgical is a hierarchical model of the deaths r[i] among n[i] operations in 12 hospitals:
//
//	r[i] ~ binomial(n[i], p[i]),  p[i] = s(b[i]),  s the logistic function
//	b[i] ~ normal(mu, sigma),     sigma = sqrt sigmasq
//	mu ~ normal(0, 1000)
//	sigmasq ~ inv_gamma(0.001, 0.001)
//
// It is centred and so a mild funnel: sigma may be small, and the first hospital had no deaths.
//
// With z[i] = b[i] - mu and w = 1 / sigmasq,
//
//	log p       = sum_i log binomial(b[i]) - (w z[i]^2 + log sigmasq) / 2
//	d/d b[i]    = r[i] - n[i] p[i] - w z[i]
//	d/d mu      = w sum_i z[i]
//	d/d sigmasq = w sum_i (w z[i]^2 - 1) / 2
func Surgical() (Posterior, error) {
	var data surgicalData
	ref, err := load("surgical", &data)
	if err != nil {
		return Posterior{}, err
	}
	n := len(data.N)
	var m byhand.Model
	mu := m.Real("mu", priors.Normal{Mean: 0, SD: 1000})
	sigmasq := m.Positive("sigmasq", priors.InvGamma{Shape: 0.001, Scale: 0.001})
	b := m.Reals("b", n, nil) // its prior depends on mu and sigmasq
	m.Quantity("sigma", func(v []float64) float64 { return math.Sqrt(v[sigmasq]) })
	m.Quantities("p", n, func(p, v []float64) {
		for i, x := range b.Of(v) {
			p[i] = logistic(x)
		}
	})
	m.Quantity("pop_mean", func(v []float64) float64 { return logistic(v[mu]) })
	logLikelihood := func(v, grad []float64) float64 {
		w := 1 / v[sigmasq]
		if math.IsInf(w, 1) {
			return math.Inf(-1)
		}
		lp := -float64(n) * math.Log(v[sigmasq]) / 2
		g := b.Of(grad)
		for i, x := range b.Of(v) {
			z := x - v[mu]
			lp += binomial(data.R[i], data.N[i], x) - w*z*z/2
			g[i] = data.R[i] - data.N[i]*logistic(x) - w*z
			grad[mu] += w * z
			grad[sigmasq] += w * (w*z*z - 1) / 2
		}
		return lp
	}
	return Posterior{"surgical_model", m.Factory(shared(logLikelihood)), ref}, nil
}
