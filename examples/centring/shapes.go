package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/model"
)

// shape is a model with data of one seed.
type shape struct {
	name    string
	declare func(seed uint64, o ...model.Option) *model.Model
}

func shapes() []shape {
	return []shape{{"schools", schools}, {"hospitals", hospitals}, {"seeds", seeds}, {"radon", radon},
		{"schools with many pupils", pupils}}
}

// schools is the classical model of eight schools (Rubin 1981), with its data.
func schools(_ uint64, o ...model.Option) *model.Model {
	m := model.New()
	mu, tau := m.Real("mu", model.Normal(0, 5)), m.Positive("tau", model.HalfCauchy(5))
	theta := m.Reals("theta", 8, model.Normal(mu, tau), o...)
	m.Observe(m.Data("y", []float64{28, 8, -3, 7, -1, 1, 18, 12}),
		model.Normal(theta, []float64{15, 10, 16, 11, 9, 11, 10, 18}))
	return m
}

// hospitals has the shape of the example surgical of BUGS: deaths among the operations of 12
// hospitals. The numbers are simulated.
func hospitals(seed uint64, o ...model.Option) *model.Model {
	r := rand.New(rand.NewPCG(seed, 1))
	m := model.New()
	n, deaths := make([]float64, 12), make([]float64, 12)
	for i := range n {
		n[i] = math.Floor(50 * math.Pow(16, r.Float64()))
		p := 1 / (1 + math.Exp(2.5-.4*r.NormFloat64()))
		for range int(n[i]) {
			if r.Float64() < p {
				deaths[i]++
			}
		}
	}
	mu, variance := m.Real("mu", model.Normal(0, 1000)), m.Positive("variance", model.InvGamma(.001, .001))
	b := m.Reals("b", 12, model.Normal(mu, variance.Sqrt()), o...)
	m.Observe(m.Data("deaths", deaths), model.BinomialLogit(n, b))
	return m
}

// seeds has the shape of the example of that name of BUGS: germinated seeds on 21 plates, of two kinds
// on two extracts, with an effect of each plate. The numbers are simulated.
func seeds(seed uint64, o ...model.Option) *model.Model {
	r := rand.New(rand.NewPCG(seed, 2))
	m := model.New()
	const plates = 21
	n, grown, kind, extract := make([]float64, plates), make([]float64, plates), make([]float64, plates),
		make([]float64, plates)
	both := make([]float64, plates)
	for i := range n {
		n[i] = float64(4 + r.IntN(75))
		kind[i], extract[i] = float64(i/11), float64(i%2)
		both[i] = kind[i] * extract[i]
		eta := -.5 + .1*kind[i] + 1.3*extract[i] - .8*both[i] + .3*r.NormFloat64()
		for range int(n[i]) {
			if r.Float64() < 1/(1+math.Exp(-eta)) {
				grown[i]++
			}
		}
	}
	mean := m.Real("alpha0", model.Normal(0, 1))
	for k, x := range [][]float64{kind, extract, both} {
		mean = mean.Add(m.Real(fmt.Sprint("alpha", k+1), model.Normal(0, 1)).Mul(m.Data(fmt.Sprint("x", k+1), x)))
	}
	b := m.Reals("b", plates, model.Normal(0, m.Positive("sigma", model.HalfCauchy(1))), o...)
	m.Observe(m.Data("grown", grown), model.BinomialLogit(n, mean.Add(b)))
	return m
}

// radon has the shape of the survey of Minnesota (Gelman and Hill 2006, chapter 12): an intercept and a
// slope for each of 85 counties with 919 houses, most of them in a few. The numbers are simulated.
func radon(seed uint64, o ...model.Option) *model.Model {
	r := rand.New(rand.NewPCG(seed, 3))
	m := model.New()
	const counties, houses = 85, 919
	a, b := make([]float64, counties), make([]float64, counties)
	for k := range a {
		a[k], b[k] = 1.5+.35*r.NormFloat64(), -.7+.3*r.NormFloat64()
	}
	var county []string
	var floor, y []float64
	for i := range houses {
		k := i % counties
		if i >= counties {
			k = int(counties * math.Pow(r.Float64(), 2.5))
		}
		f := 0.0
		if r.Float64() < .17 {
			f = 1
		}
		county, floor = append(county, fmt.Sprint(k)), append(floor, f)
		y = append(y, a[k]+b[k]*f+.75*r.NormFloat64())
	}
	at, in := m.Factor("county", county)
	muA, muB := m.Real("mu_a", model.Normal(0, 2)), m.Real("mu_b", model.Normal(0, 2))
	sdA, sdB := m.Positive("sd_a", model.HalfNormal(1)), m.Positive("sd_b", model.HalfNormal(1))
	sigma := m.Positive("sigma", model.HalfNormal(1))
	alpha := at.Reals("alpha", model.Normal(muA, sdA), o...)
	beta := at.Reals("beta", model.Normal(muB, sdB), o...)
	m.Observe(m.Data("log_radon", y), model.Normal(alpha.Of(in).Add(beta.Of(in).Mul(m.Data("floor", floor))), sigma))
	return m
}

// pupils has 6 schools with 50 pupils each, whose means the data place well apart. The numbers are simulated.
func pupils(seed uint64, o ...model.Option) *model.Model {
	r := rand.New(rand.NewPCG(seed, 4))
	m := model.New()
	var school []string
	var y []float64
	for k := range 6 {
		mean := 2 * r.NormFloat64()
		for range 50 {
			school, y = append(school, fmt.Sprint(k)), append(y, mean+r.NormFloat64())
		}
	}
	at, in := m.Factor("school", school)
	theta := at.Reals("theta", model.Normal(m.Real("mu", model.Normal(0, 10)), m.Positive("tau", model.HalfNormal(5))), o...)
	m.Observe(m.Data("y", y), model.Normal(theta.Of(in), m.Positive("sigma", model.HalfNormal(5))))
	return m
}
