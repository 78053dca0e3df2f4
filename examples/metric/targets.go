package main

import (
	"math"
	"math/rand/v2"

	"bayeskernel/examples/models"
	"bayeskernel/hmc"
)

// target is a density to sample. Dear ones make do with fewer draws.
type target struct {
	name string
	new  func() hmc.Target
}

// targets lists the targets of the study, all simulated.
func targets() []target {
	return []target{
		{"normal100", func() hmc.Target { return independent{100, normal} }},
		{"laplace100", func() hmc.Target { return independent{100, laplace} }},
		{"t3_100", func() hmc.Target { return independent{100, student3} }},
		{"ar500", func() hmc.Target { return models.AR1{N: 500, Rho: 0.95} }},
		{"spiked500", func() hmc.Target { return models.NewSpiked(2, 500, 5, 30, nil) }},
		{"crossed237", func() hmc.Target { return newCrossed(7) }},
	}
}

// independent has components that are independent and alike.
type independent struct {
	d int
	f func(x float64) (lp, grad float64)
}

// Dim returns the number of components.
func (t independent) Dim() int { return t.d }

// LogDensity is a sum over the components.
func (t independent) LogDensity(x, grad []float64) float64 {
	sum := 0.0
	for i, v := range x {
		lp, g := t.f(v)
		sum += lp
		grad[i] = g
	}
	return sum
}

func normal(x float64) (lp, grad float64) { return -x * x / 2, -x }

func laplace(x float64) (lp, grad float64) { return -math.Abs(x), -math.Copysign(1, x) }

func student3(x float64) (lp, grad float64) {
	w := 1 + x*x/3
	return -2 * math.Log(w), -4 * x / 3 / w
}

// crossed is a Poisson regression of counts with the effects of two crossed factors, not centred:
// an intercept, two log standard deviations, and the standardised effects.
type crossed struct {
	rows, cols   int
	row, col     []int
	y            []float64
	effect, grad []float64 // of rows, then columns
}

// newCrossed simulates counts for 180 rows and 54 columns, a quarter of all cells observed: 237
// parameters.
func newCrossed(seed uint64) *crossed {
	r := rand.New(rand.NewPCG(seed, 0))
	c := &crossed{rows: 180, cols: 54}
	a := make([]float64, c.rows+c.cols)
	for i := range a {
		a[i] = r.NormFloat64() * 0.7
		if i >= c.rows {
			a[i] *= 0.5
		}
	}
	for i := range c.rows {
		for j := range c.cols {
			if r.Float64() < 0.25 {
				c.row, c.col = append(c.row, i), append(c.col, c.rows+j)
				c.y = append(c.y, poisson(r, math.Exp(0.5+a[i]+a[c.rows+j])))
			}
		}
	}
	c.effect, c.grad = make([]float64, len(a)), make([]float64, len(a))
	return c
}

// poisson counts the exponential waiting times that fit into mean.
func poisson(r *rand.Rand, mean float64) float64 {
	n := 0.0
	for t := r.ExpFloat64(); t < mean; t += r.ExpFloat64() {
		n++
	}
	return n
}

// Dim returns the number of parameters.
func (c *crossed) Dim() int { return 3 + c.rows + c.cols }

// Cost counts an exponential as twenty multiplications.
func (c *crossed) Cost() float64 { return 30 * float64(len(c.y)) }

// LogDensity has priors N(0, 5^2) for the intercept and N(0, 1) for the rest.
func (c *crossed) LogDensity(x, grad []float64) float64 {
	clear(grad)
	lp := -x[0]*x[0]/50 - x[1]*x[1]/2 - x[2]*x[2]/2
	grad[0], grad[1], grad[2] = -x[0]/25, -x[1], -x[2]
	z := x[3:]
	for i, v := range z {
		lp -= v * v / 2
		c.effect[i] = v * math.Exp(x[c.factor(i)])
	}
	clear(c.grad)
	for k, y := range c.y {
		eta := x[0] + c.effect[c.row[k]] + c.effect[c.col[k]]
		mu := math.Exp(eta)
		lp += y*eta - mu
		d := y - mu
		grad[0] += d
		c.grad[c.row[k]] += d
		c.grad[c.col[k]] += d
	}
	for i, v := range z {
		f := c.factor(i)
		grad[3+i] = c.grad[i]*math.Exp(x[f]) - v
		grad[f] += c.grad[i] * c.effect[i]
	}
	return lp
}

// factor returns where the log standard deviation of an effect is.
func (c *crossed) factor(i int) int {
	if i < c.rows {
		return 1
	}
	return 2
}
