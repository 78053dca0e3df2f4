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
	cov      []*mat.SymDense
	m        int
	centre   []float64 // of (alpha, beta/kappa) by the moment form
	factor   *mat.TriDense
	logDet   float64
	a0, sd0  float64
	sigma    func(x float64) (logp, dlogp float64)
	kappa    func(x float64) (logp, dlogp float64)
	norm     float64
}

// New prepares the posterior of a regression at the given parameters, those of a fit.
//
// Chains move in coordinates in which the weights given kappa have the mean 0 and the covariance I, as
// the moment form has them at p. The change of coordinates is linear.
func New(m *distreg.Model, p distreg.Params, o Options) (*Posterior, error) {
	e, err := m.Embeddings(p, nil)
	if err != nil {
		return nil, err
	}
	out := &Posterior{o: o, at: p, embedded: p, y: m.Labels(), mean: e.Mean, cov: e.Cov}
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
		out.centre = make([]float64, out.m+1)
		out.factor = mat.NewTriDense(out.m+1, mat.Lower, nil)
		out.factor.SetTri(0, 0, out.sd0)
		for l := 1; l <= out.m; l++ {
			out.factor.SetTri(l, l, 1)
		}
	} else {
		if out.centre, out.factor, err = m.Weights(p); err != nil {
			return nil, err
		}
		for l := 1; l <= out.m; l++ {
			out.centre[l] /= p.Kappa
			for k := range l + 1 {
				out.factor.SetTri(l, k, out.factor.At(l, k)/p.Kappa)
			}
		}
	}
	for l := range out.m + 1 {
		out.logDet += math.Log(out.factor.At(l, l))
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
	n := len(p.y)
	return &chain{Posterior: p, weights: make([]float64, p.m+1), bar: make([]float64, p.m+1),
		product: make([]float64, p.m), logits: make([]float64, n)}, nil
}

// chain has the workspace of a chain.
type chain struct {
	*Posterior
	weights, bar, product, logits []float64
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

// read sets the intercept and the standardised weights, and returns kappa, sigma.
func (p *Posterior) read(weights, x []float64) (kappa, sigma float64) {
	w := mat.NewVecDense(p.m+1, weights)
	w.MulVec(p.factor, mat.NewVecDense(p.m+1, x[:p.m+1]))
	floats.Add(weights, p.centre)
	next := p.m + 1
	kappa, sigma = p.at.Kappa, 0
	if !p.o.FixedKappa {
		kappa *= math.Exp(x[next])
		next++
	}
	if !p.o.Classes {
		sigma = p.at.Sigma * math.Exp(x[next])
	}
	return kappa, sigma
}

// Constrain writes alpha, beta, kappa and sigma.
func (p *Posterior) Constrain(dst, x []float64) {
	kappa, sigma := p.read(dst[:p.m+1], x)
	floats.Scale(kappa, dst[1:p.m+1])
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
	kappa, sigma := c.read(c.weights, x)
	if math.IsInf(kappa, 0) || math.IsInf(sigma, 0) || kappa == 0 || !c.o.Classes && sigma == 0 {
		return math.Inf(-1)
	}
	alpha, xi := c.weights[0], c.weights[1:]
	clear(c.bar)
	barXi := c.bar[1:]
	byKappa, bySigma := 0.0, 0.0 // in the logarithms
	value := c.norm + c.logDet
	v2 := mat.NewVecDense(c.m, xi)
	product := mat.NewVecDense(c.m, c.product)
	for i, y := range c.y {
		row := c.mean.RawRowView(i)
		product.MulVec(c.cov[i], v2)
		linear, spread := kappa*floats.Dot(row, xi), kappa*kappa*floats.Dot(c.product, xi)
		var byMean, byVar float64
		if c.o.Classes {
			var l float64
			l, byMean, byVar = logLogistic(y, alpha+linear, spread)
			value += l
		} else {
			v := sigma*sigma + spread
			r := (y - alpha - linear) / v
			value -= (math.Log(2*math.Pi*v) + r*r*v) / 2
			byMean, byVar = r, (r*r-1/v)/2
			bySigma += 2 * sigma * sigma * byVar
		}
		c.bar[0] += byMean
		floats.AddScaled(barXi, byMean*kappa, row)
		floats.AddScaled(barXi, 2*byVar*kappa*kappa, c.product)
		byKappa += byMean*linear + 2*byVar*spread
	}
	e := (alpha - c.a0) / c.sd0
	value -= (float64(c.m+1)*math.Log(2*math.Pi)+e*e+floats.Dot(xi, xi))/2 + math.Log(c.sd0)
	c.bar[0] -= e / c.sd0
	floats.Sub(barXi, xi)
	mat.NewVecDense(c.m+1, grad[:c.m+1]).MulVec(c.factor.T(), mat.NewVecDense(c.m+1, c.bar))
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
