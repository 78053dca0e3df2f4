package target

import (
	"fmt"
	"math"

	"bayeskernel/distreg"
	"bayeskernel/hmc"
	"bayeskernel/priors"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Options say what is sampled.
type Options struct {
	// Classes means that labels are 0 and 1, and the regression is that of their log odds.
	Classes bool
	// Sigma and Kappa are priors. Nil is half-normal for Sigma, with the labels' standard deviation,
	// and for Kappa log-normal around that of the fit, with standard deviation 1 of the logarithm.
	Sigma, Kappa priors.Prior
	// FixedKappa keeps Kappa at the value of the fit.
	FixedKappa bool
}

// Posterior is that of alpha, beta, sigma and kappa, at the fit's eta, s and theta.
type Posterior struct {
	o        Options
	at       distreg.Params
	embedded distreg.Params // what embeddings were computed at
	y        []float64
	mean     *mat.Dense
	cov      packed
	m        int
	way      *way
	a0, sd0  float64
	sigma    func(x float64) (logp, dlogp float64)
	kappa    func(x float64) (logp, dlogp float64)
	norm     float64
}

// New prepares the posterior of a regression at the given parameters, those of a fit.
//
// Chains move in coordinates in which the weights have the mean 0 and the covariance I where kappa is that of p, as
// the moment form has them. Of another kappa a direction of the weights keeps its scale if the data know it, and has
// kappa's if they do not: see way.
func New(m *distreg.Model, p distreg.Params, o Options) (*Posterior, error) {
	e, err := m.Embeddings(p, nil)
	if err != nil {
		return nil, err
	}
	out := &Posterior{o: o, at: p, embedded: p, y: m.Labels(), mean: e.Mean, cov: pack(e.Cov)}
	_, out.m = e.Mean.Dims()
	out.a0, out.sd0 = m.Intercept()
	if o.Classes {
		for i, y := range out.y {
			if y != 0 && y != 1 {
				return nil, fmt.Errorf("target: label %v is %v; classes are 0 and 1", i, y)
			}
		}
		// The log odds have a scale of their own.
		out.a0, out.sd0 = 0, 10
		out.at.Kappa = 5
		if out.way, err = newWay(make([]float64, out.m+1), prior(out.m, out.sd0, out.at.Kappa), out.at.Kappa); err != nil {
			return nil, err
		}
	} else {
		centre, factor, err := m.Weights(p)
		if err != nil {
			return nil, err
		}
		if out.way, err = newWay(centre, factor, p.Kappa); err != nil {
			return nil, err
		}
	}
	if o.Sigma == nil {
		spread := 0.0
		for _, y := range out.y {
			spread += (y - out.a0) * (y - out.a0)
		}
		o.Sigma = priors.HalfNormal{Scale: max(math.Sqrt(spread/float64(len(out.y))), math.SmallestNonzeroFloat32)}
	}
	if o.Kappa == nil {
		o.Kappa = priors.LogNormal{Mu: math.Log(out.at.Kappa), Sigma: 1}
	}
	for _, q := range []priors.Prior{o.Sigma, o.Kappa} {
		if err := q.Check(); err != nil {
			return nil, err
		}
	}
	var norm float64
	out.kappa, norm = priors.Split(o.Kappa)
	if !o.FixedKappa {
		out.norm += norm
	}
	out.sigma, norm = priors.Split(o.Sigma)
	if !o.Classes {
		out.norm += norm
	}
	return out, nil
}

// Target is the factory of the log posterior density.
func (p *Posterior) Target() (hmc.Target, error) {
	return &chain{Posterior: p, weights: make([]float64, p.m+1), bar: make([]float64, p.m+1),
		v:       make([]float64, p.m),
		squares: make([]float64, p.cov.size), sum: make([]float64, p.cov.size)}, nil
}

// chain has the workspace of a chain.
type chain struct {
	*Posterior
	weights, bar, v, squares, sum []float64
}

// Dim is the number of coordinates: the intercept, the weights, and the logarithms that are sampled.
func (p *Posterior) Dim() int {
	d := p.m + 1
	if !p.o.FixedKappa {
		d++
	}
	if !p.o.Classes {
		d++
	}
	return d
}

// Names are those of the draws.
func (p *Posterior) Names() []string {
	names := []string{"alpha"}
	for l := range p.m {
		names = append(names, fmt.Sprintf("beta[%v]", l+1))
	}
	if !p.o.FixedKappa {
		names = append(names, "kappa")
	}
	if !p.o.Classes {
		names = append(names, "sigma")
	}
	return names
}

// read sets the intercept and the weights, and those along U to v, and returns kappa, sigma.
func (p *Posterior) read(weights, v, x []float64) (kappa, sigma float64) {
	next := p.m + 1
	change := 0.0
	if !p.o.FixedKappa {
		change = x[next]
		next++
	}
	if !p.o.Classes {
		sigma = p.at.Sigma * math.Exp(x[next])
	}
	p.way.weights(weights, v, x, change)
	return p.at.Kappa * math.Exp(change), sigma
}

// Constrain writes alpha, beta, kappa and sigma.
func (p *Posterior) Constrain(dst, x []float64) {
	kappa, sigma := p.read(dst[:p.m+1], make([]float64, p.m), x)
	next := p.m + 1
	if !p.o.FixedKappa {
		dst[next] = kappa
		next++
	}
	if !p.o.Classes {
		dst[next] = sigma
	}
}

// LogDensity is the log of likelihood, priors and the change of coordinates, constants included.
func (c *chain) LogDensity(x, grad []float64) float64 {
	kappa, sigma := c.read(c.weights, c.v, x)
	if math.IsInf(kappa, 0) || math.IsInf(sigma, 0) || kappa == 0 || !c.o.Classes && sigma == 0 {
		return math.Inf(-1)
	}
	alpha, beta := c.weights[0], c.weights[1:]
	clear(c.bar)
	clear(c.sum)
	products(c.squares, beta)
	barBeta := c.bar[1:]
	bySigma := 0.0 // in the logarithm
	value := c.norm
	for i, y := range c.y {
		row, cov := c.mean.RawRowView(i), c.cov.of(i)
		f, spread := alpha+floats.Dot(row, beta), floats.Dot(cov, c.squares)
		var byMean, byVar float64
		if c.o.Classes {
			var l float64
			l, byMean, byVar = logLogistic(y, f, spread)
			value += l
		} else {
			v := sigma*sigma + spread
			r := (y - f) / v
			value -= (math.Log(2*math.Pi*v) + r*r*v) / 2
			byMean, byVar = r, (r*r-1/v)/2
			bySigma += 2 * sigma * sigma * byVar
		}
		c.bar[0] += byMean
		floats.AddScaled(barBeta, byMean, row)
		floats.AddScaled(c.sum, byVar, cov)
	}
	slope(barBeta, c.sum, beta)
	e := (alpha - c.a0) / c.sd0
	size := floats.Dot(beta, beta) / (kappa * kappa)
	value -= (float64(c.m+1)*math.Log(2*math.Pi)+e*e+size)/2 + math.Log(c.sd0) + float64(c.m)*math.Log(kappa)
	c.bar[0] -= e / c.sd0
	floats.AddScaled(barBeta, -1/(kappa*kappa), beta)
	jacobian, byKappa := c.way.back(grad[:c.m+1], c.bar, c.v, math.Log(kappa/c.at.Kappa))
	value += jacobian
	byKappa += size - float64(c.m)
	next := c.m + 1
	if !c.o.FixedKappa {
		l, d := c.kappa(kappa)
		value += l + math.Log(kappa)
		grad[next] = byKappa + d*kappa + 1
		next++
	}
	if !c.o.Classes {
		l, d := c.sigma(sigma)
		value += l + math.Log(sigma)
		grad[next] = bySigma + d*sigma + 1
	}
	if math.IsNaN(value) {
		return math.Inf(-1)
	}
	return value
}
