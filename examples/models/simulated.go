package models

import (
	"math"
	"math/rand/v2"

	"bayeskernel/hmc"
)

// Simulated returns targets on which chains start far away: regressions of the shape of two textbook
// ones, with simulated data and flat priors on columns in their own units, as people write them
// first; and normals of very unequal scales.
func Simulated() []Posterior {
	return []Posterior{
		{Name: "wells_like", Factory: hmc.Shared(NewWells(11))},
		{Name: "earnings_like", Factory: hmc.Shared(NewEarnings(12))},
		{Name: "scales17", Factory: hmc.Shared(Scales())},
		{Name: "rotated50", Factory: hmc.Shared(NewRotated(14, 50))},
	}
}

// Scales returns a normal of 17 dimensions with standard deviations from 1e-8 to 1e8, ten times as
// large from one to the next.
func Scales() hmc.Target {
	sd := make([]float64, 17)
	for i := range sd {
		sd[i] = math.Pow(10, float64(i-8))
	}
	return NewSpiked(13, len(sd), 0, 1, sd)
}

// Rotated is a normal with given variances along orthonormal directions.
type Rotated struct {
	variance   []float64
	directions [][]float64
}

// NewRotated returns a normal of d dimensions in random directions, with standard deviations from
// 1e-4 to 1 in equal ratios: a condition number of 1e8.
func NewRotated(seed uint64, d int) *Rotated {
	r := rand.New(rand.NewPCG(seed, 0))
	m := &Rotated{}
	for i := range d {
		u := make([]float64, d)
		for j := range u {
			u[j] = r.NormFloat64()
		}
		for range 2 {
			for _, v := range m.directions {
				c := inner(u, v)
				for j := range u {
					u[j] -= c * v[j]
				}
			}
		}
		n := math.Sqrt(inner(u, u))
		for j := range u {
			u[j] /= n
		}
		m.directions = append(m.directions, u)
		m.variance = append(m.variance, math.Pow(10, -8*float64(i)/float64(d-1)))
	}
	return m
}

// Dim returns the number of dimensions.
func (m *Rotated) Dim() int { return len(m.variance) }

// LogDensity is that of the normal, up to a constant.
func (m *Rotated) LogDensity(x, grad []float64) float64 {
	clear(grad)
	lp := 0.0
	for k, u := range m.directions {
		c := inner(u, x)
		w := c / m.variance[k]
		lp -= c * w / 2
		for j, v := range u {
			grad[j] -= w * v
		}
	}
	return lp
}

// Logistic is a logistic regression with flat priors.
type Logistic struct {
	d int
	x []float64 // rows of d
	y []float64
}

// NewWells simulates whether 3020 households change their well, by distance, arsenic and education
// with their interactions.
func NewWells(seed uint64) *Logistic {
	r := rand.New(rand.NewPCG(seed, 0))
	m := &Logistic{d: 7}
	beta := []float64{-0.15, -0.9, 0.5, 0.04, -0.18, 0.03, 0.005}
	for range 3020 {
		dist := r.ExpFloat64() * 0.48 // in 100 metres
		arsenic := 0.5 + r.ExpFloat64()*1.15
		educ := float64(r.IntN(17)) / 4
		row := []float64{1, dist, arsenic, educ, dist * arsenic, dist * educ, arsenic * educ}
		eta := 0.0
		for j, v := range row {
			eta += v * beta[j]
		}
		y := 0.0
		if r.Float64() < 1/(1+math.Exp(-eta)) {
			y = 1
		}
		m.x, m.y = append(m.x, row...), append(m.y, y)
	}
	return m
}

// Dim returns the number of columns.
func (m *Logistic) Dim() int { return m.d }

// LogDensity is the log likelihood.
func (m *Logistic) LogDensity(x, grad []float64) float64 {
	clear(grad)
	lp := 0.0
	for i, y := range m.y {
		row := m.x[i*m.d : (i+1)*m.d]
		eta := 0.0
		for j, v := range row {
			eta += v * x[j]
		}
		e := math.Exp(-math.Abs(eta))
		p := 1 / (1 + e)
		lp += y*eta - max(eta, 0) - math.Log1p(e)
		if eta < 0 {
			p = e / (1 + e)
		}
		for j, v := range row {
			grad[j] += (y - p) * v
		}
	}
	return lp
}

// Earnings is a regression of earnings on height with flat priors: intercept, slope and the log of
// the residual standard deviation, which has the density of a flat prior on its own scale.
type Earnings struct {
	n, sumX, sumXX, sumY, sumXY, sumYY float64
}

// NewEarnings simulates 1192 people, in dollars and inches.
func NewEarnings(seed uint64) *Earnings {
	r := rand.New(rand.NewPCG(seed, 0))
	m := &Earnings{}
	for range 1192 {
		x := 66.9 + 3.8*r.NormFloat64()
		y := -61000 + 1250*x + 18800*r.NormFloat64()
		m.n++
		m.sumX += x
		m.sumXX += x * x
		m.sumY += y
		m.sumXY += x * y
		m.sumYY += y * y
	}
	return m
}

// Dim returns 3.
func (m *Earnings) Dim() int { return 3 }

// LogDensity is the log likelihood plus the log of the standard deviation.
func (m *Earnings) LogDensity(x, grad []float64) float64 {
	a, b, s := x[0], x[1], x[2]
	w := math.Exp(-2 * s)
	rss := m.sumYY - 2*a*m.sumY - 2*b*m.sumXY + m.n*a*a + 2*a*b*m.sumX + b*b*m.sumXX
	grad[0] = w * (m.sumY - m.n*a - b*m.sumX)
	grad[1] = w * (m.sumXY - a*m.sumX - b*m.sumXX)
	grad[2] = w*rss - m.n + 1
	return -w*rss/2 - (m.n-1)*s
}
