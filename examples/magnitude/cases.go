package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"bayeskernel/magnitude"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// problem is what data sets are drawn from, and the truth.
type problem struct {
	name  string
	p, q  law // q is nil for pairs, whose differences have law p
	m, n  int
	truth map[string]float64
	pair  func(r *rand.Rand) (x, y float64) // of two variables
}

var sizes = [][2]int{{30, 30}, {300, 300}, {30, 120}, {120, 30}}

// problems are those of the study, without their truth.
func problems() []*problem {
	exp := distuv.Exponential{Rate: 1}
	logn := lognormal{distuv.LogNormal{Sigma: 1}}
	two := mixture{a: normal(-1, 0.6), b: normal(1.2, 0.6), share: 0.4}
	laws := []struct {
		name string
		p, q law
	}{
		{"normal, shift .6", normal(0.6, 1), normal(0, 1)},
		{"normal, sd 1.8", normal(0.3, 1.8), normal(0, 1)},
		{"exponential, scale 1.6", shifted{exp, 0, 1.6}, exp},
		{"exponential, shift .4", shifted{exp, 0.4, 1}, exp},
		{"uniform, shift .2", distuv.Uniform{Min: 0.2, Max: 1.2}, distuv.Uniform{Min: 0, Max: 1}},
		{"t3, shift .8", shifted{t3(), 0.8, 1}, t3()},
		{"lognormal, scale 1.5", shifted{logn, 0, 1.5}, logn},
		{"Laplace, shift .6", distuv.Laplace{Mu: 0.6, Scale: 1}, distuv.Laplace{Scale: 1}},
		{"logistic, shift 1", distuv.Logistic{Mu: 1, S: 1}, distuv.Logistic{S: 1}},
		{"Gumbel, shift .7", distuv.GumbelRight{Mu: 0.7, Beta: 1}, distuv.GumbelRight{Beta: 1}},
		{"two bumps, normal", two, normal(0, 1)},
		{"contaminated normal, shift .6", mixture{a: normal(0.6, 1), b: normal(0.6, 3), share: 0.1},
			mixture{a: normal(0, 1), b: normal(0, 3), share: 0.1}},
		{"Gumbel, logistic", distuv.GumbelRight{Beta: 1}, distuv.Logistic{S: 0.7}},
		{"normal, Laplace", normal(0, 1), distuv.Laplace{Scale: math.Sqrt(0.5)}},
		{"Poisson 4, 3", poisson(4), poisson(3)},
		{"Poisson 1, 0.6", poisson(1), poisson(0.6)},
	}
	var out []*problem
	for _, s := range sizes {
		for _, l := range laws {
			out = append(out, &problem{name: fmt.Sprintf("%s, %d and %d", l.name, s[0], s[1]), p: l.p, q: l.q, m: s[0], n: s[1]})
		}
	}
	for _, n := range []int{30, 300} {
		for _, l := range []struct {
			name string
			p    law
		}{
			{"normal", normal(0.5, 1)}, {"exponential", exp}, {"uniform", distuv.Uniform{Min: -0.3, Max: 0.7}},
			{"t3", shifted{t3(), 0.6, 1}}, {"lognormal", shifted{logn, -0.6, 1}},
			{"Laplace", distuv.Laplace{Mu: 0.6, Scale: 1}}, {"logistic", distuv.Logistic{Mu: 0.8, S: 1}},
			{"Gumbel", distuv.GumbelRight{Mu: 0.2, Beta: 1}}, {"two bumps", two},
			{"Poisson 3, less 2", shifted{poisson(3), -2, 1}},
		} {
			out = append(out, &problem{name: fmt.Sprintf("pairs, %s, %d", l.name, n), p: l.p, m: n, n: n})
		}
		for _, l := range dependences() {
			l.name = fmt.Sprintf("%s, %d", l.name, n)
			l.m, l.n = n, n
			out = append(out, l)
		}
	}
	return out
}

// dependences are laws of two variables.
func dependences() []*problem {
	gauss := func(rho float64) func(r *rand.Rand) (float64, float64) {
		return func(r *rand.Rand) (float64, float64) {
			x := r.NormFloat64()
			return x, rho*x + math.Sqrt(1-rho*rho)*r.NormFloat64()
		}
	}
	return []*problem{
		{name: "dependence, none", pair: gauss(0)},
		{name: "dependence, correlation .3", pair: gauss(0.3)},
		{name: "dependence, correlation .7", pair: gauss(0.7)},
		{name: "dependence, square", pair: func(r *rand.Rand) (float64, float64) {
			x := r.NormFloat64()
			return x, x*x + r.NormFloat64()
		}},
		{name: "dependence, exponential", pair: func(r *rand.Rand) (float64, float64) {
			x := r.ExpFloat64()
			return x, x * r.ExpFloat64()
		}},
		{name: "dependence, t3", pair: func(r *rand.Rand) (float64, float64) {
			t := func() float64 { return distuv.StudentsT{Sigma: 1, Nu: 3}.Quantile(r.Float64()) }
			x := t()
			return x, x/2 + t()
		}},
		{name: "dependence, uniform", pair: func(r *rand.Rand) (float64, float64) {
			x := r.Float64()
			return x, x + r.Float64()
		}},
		{name: "dependence, spread", pair: func(r *rand.Rand) (float64, float64) {
			x := 2 * r.Float64()
			return x, x * r.NormFloat64()
		}},
		{name: "dependence, circle", pair: func(r *rand.Rand) (float64, float64) {
			a := 2 * math.Pi * r.Float64()
			return math.Cos(a) + 0.2*r.NormFloat64(), math.Sin(a) + 0.2*r.NormFloat64()
		}},
		{name: "dependence, counts", pair: func(r *rand.Rand) (float64, float64) {
			x := poisson(2).Quantile(r.Float64())
			return x, x + poisson(2).Quantile(r.Float64())
		}},
	}
}

// base is the first of a pair; the second is it minus the difference.
var base = normal(0, 1)

// samples draws data set number set.
func (c *problem) samples(seed uint64, set int) (x, y *mat.Dense) {
	h := fnv.New64a()
	h.Write([]byte(c.name))
	r := rand.New(rand.NewPCG(seed^h.Sum64(), uint64(set)))
	var a, b []float64
	switch {
	case c.pair != nil:
		for range c.m {
			u, v := c.pair(r)
			a, b = append(a, u), append(b, v)
		}
	case c.q == nil:
		d := draw(c.p, c.m, r)
		for _, v := range d {
			u := r.NormFloat64()
			if tied(c.p) {
				u = math.Round(2 * u)
			}
			a, b = append(a, u), append(b, u-v)
		}
	default:
		a, b = draw(c.p, c.m, r), draw(c.q, c.n, r)
	}
	return mat.NewDense(c.m, 1, a), mat.NewDense(c.n, 1, b)
}

// tied reports whether a law, shifted or not, has ties.
func tied(l law) bool {
	if s, ok := l.(shifted); ok {
		return discrete(s.law)
	}
	return discrete(l)
}

// measure tells on which side of the truth each interval of a part of the numbers lies.
func (c *problem) measure(ctx context.Context, seed uint64, set int, part string) (result, error) {
	out := result{Case: named(c.name, part), Set: set, Side: map[string]int{}}
	x, y := c.samples(seed, set)
	check := func(what string, i magnitude.Interval) {
		truth, ok := c.truth[what]
		switch {
		case !ok || !i.Known():
		case i.Lower > truth:
			out.Side[what] = 1
		case i.Upper < truth:
			out.Side[what] = -1
		default:
			out.Side[what] = 0
		}
	}
	if c.pair != nil {
		d, err := magnitude.Dependence(ctx, x, y, magnitude.Options{Seed: uint64(set)})
		if err != nil {
			return out, err
		}
		check("dependence", d)
		return out, nil
	}
	compare := magnitude.Samples
	if c.q == nil {
		compare = magnitude.Pairs
	}
	r, err := compare(ctx, x, y, magnitude.Options{Seed: uint64(set), Parallel: 1, Only: parts[part]})
	if err != nil {
		return out, err
	}
	v := r.Columns[0]
	check("mean", v.Mean)
	check("standardised", v.Standardized)
	check("exceeds", v.Exceeds)
	check("overlap", v.Overlap)
	check("overall", r.Overall)
	for _, q := range v.Quantiles {
		check(fmt.Sprintf("q%g", q.P), q.Interval)
	}
	return out, nil
}
