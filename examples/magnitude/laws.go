package main

import (
	"math"
	"math/rand/v2"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// law is a distribution on the line whose truth is known.
type law interface {
	Prob(x float64) float64
	CDF(x float64) float64
	Quantile(p float64) float64
	Mean() float64
	Variance() float64
}

// shifted is scale times a law, plus a shift.
type shifted struct {
	law
	shift, scale float64
}

func (s shifted) Prob(x float64) float64     { return s.law.Prob((x-s.shift)/s.scale) / s.scale }
func (s shifted) CDF(x float64) float64      { return s.law.CDF((x - s.shift) / s.scale) }
func (s shifted) Quantile(p float64) float64 { return s.shift + s.scale*s.law.Quantile(p) }
func (s shifted) Mean() float64              { return s.shift + s.scale*s.law.Mean() }
func (s shifted) Variance() float64          { return s.scale * s.scale * s.law.Variance() }

// mixture is a normal law with probability 1-share, and with probability share another.
type mixture struct {
	a, b  distuv.Normal
	share float64
}

func (m mixture) Prob(x float64) float64 { return (1-m.share)*m.a.Prob(x) + m.share*m.b.Prob(x) }
func (m mixture) CDF(x float64) float64  { return (1-m.share)*m.a.CDF(x) + m.share*m.b.CDF(x) }
func (m mixture) Mean() float64          { return (1-m.share)*m.a.Mu + m.share*m.b.Mu }
func (m mixture) Variance() float64 {
	d := m.a.Mu - m.b.Mu
	return (1-m.share)*m.a.Variance() + m.share*m.b.Variance() + m.share*(1-m.share)*d*d
}
func (m mixture) Quantile(p float64) float64 {
	lo, hi := -50.0, 50.0
	for range 60 {
		if mid := (lo + hi) / 2; m.CDF(mid) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// counts is the Poisson distribution.
type counts struct{ distuv.Poisson }

func (c counts) Quantile(p float64) float64 {
	return float64(sort.Search(1000, func(k int) bool { return c.CDF(float64(k)) >= p*(1-1e-12) }))
}

// lognormal is the standard lognormal law.
type lognormal struct{ distuv.LogNormal }

func (l lognormal) CDF(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return l.LogNormal.CDF(x)
}

// t3 is Student's law with three degrees of freedom.
func t3() law { return distuv.StudentsT{Sigma: 1, Nu: 3} }

func normal(mu, sd float64) distuv.Normal { return distuv.Normal{Mu: mu, Sigma: sd} }

func poisson(mean float64) law { return counts{distuv.Poisson{Lambda: mean}} }

// draw draws from a law by its quantile function.
func draw(l law, n int, r *rand.Rand) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = l.Quantile(r.Float64()*(1-1e-15) + 1e-16)
	}
	return out
}

// discrete reports whether a law has ties.
func discrete(l law) bool { _, ok := l.(counts); return ok }

const grid = 40000

// exceeds is P(X > Y) + P(X = Y)/2, and overlap the area below both densities, by integrals over
// the quantiles of Y.
func exceeds(p, q law) float64 {
	s := 0.0
	if discrete(p) {
		for k := range 200 {
			v := float64(k)
			s += q.Prob(v) * (1 - p.CDF(v) + p.Prob(v)/2)
		}
		return s
	}
	for i := range grid {
		s += 1 - p.CDF(q.Quantile((float64(i)+0.5)/grid))
	}
	return s / grid
}

func overlap(p, q law) float64 {
	s := 0.0
	if discrete(p) {
		for k := range 200 {
			s += min(p.Prob(float64(k)), q.Prob(float64(k)))
		}
		return s
	}
	for i := range grid {
		v := q.Quantile((float64(i) + 0.5) / grid)
		s += min(1, p.Prob(v)/q.Prob(v))
	}
	return s / grid
}

// minus is the law of a normal variable minus another one: of the second of a pair.
type minus struct {
	base distuv.Normal
	d    law
	at   []float64 // quantiles of d
}

func newMinus(base distuv.Normal, d law) minus {
	m := minus{base: base, d: d}
	for i := range 2000 {
		m.at = append(m.at, d.Quantile((float64(i)+0.5)/2000))
	}
	return m
}

func (m minus) Prob(y float64) float64 {
	s := 0.0
	for _, d := range m.at {
		s += m.base.Prob(y + d)
	}
	return s / float64(len(m.at))
}

func (m minus) CDF(y float64) float64 {
	s := 0.0
	for _, d := range m.at {
		s += m.base.CDF(y + d)
	}
	return s / float64(len(m.at))
}

// overlapWithBase is the area below the density of the base and of m.
func (m minus) overlapWithBase() float64 {
	s := 0.0
	const n = 2000
	for i := range n {
		x := m.base.Quantile((float64(i) + 0.5) / n)
		s += math.Min(1, m.Prob(x)/m.base.Prob(x))
	}
	return s / n
}
