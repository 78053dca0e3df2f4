package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// problem is a law of (X, Y, Z). With dependent false X and Y are independent given Z.
type problem struct {
	name      string
	given     int  // columns of Z
	wide      int  // columns of X and of Y
	dependent bool // there is a version with dependence
	draw      func(r *rand.Rand, x, y, z []float64, dependent bool)
}

// problems are those of the table in README.md.
func problems() []problem {
	return []problem{
		{"pnl1", 1, 1, true, postNonlinear},
		{"pnl2", 2, 1, true, postNonlinear},
		{"sine", 1, 1, true, sine},
		{"lingauss", 1, 1, true, linear},
		{"square", 1, 1, true, square},
		{"circle", 2, 2, false, circle},
		{"hetero", 1, 1, false, hetero},
	}
}

// postNonlinear is the design of Zhang et al. (2011, section 4.1): functions of functions of z with
// noise, and dependence by a shared variable.
func postNonlinear(r *rand.Rand, x, y, z []float64, dependent bool) {
	s := 0.0
	for a := range z {
		z[a] = r.NormFloat64()
		s += z[a] / math.Sqrt(float64(len(z)))
	}
	u := math.Tanh(s) + 0.5*s + 0.5*r.NormFloat64()
	laplace := r.ExpFloat64() / math.Sqrt2
	if r.Float64() < 0.5 {
		laplace = -laplace
	}
	v := math.Tanh(2*s) - 0.5*s + 0.5*laplace
	x[0], y[0] = math.Tanh(u)+0.1*u*u*u, v+0.1*v*v*v
	if dependent {
		w := r.NormFloat64()
		x[0] += 0.3 * w
		y[0] += 0.3 * w
	}
}

// sine has noises whose correlation changes its sign with z and is 0 on average.
func sine(r *rand.Rand, x, y, z []float64, dependent bool) {
	z[0] = r.NormFloat64()
	a, b := r.NormFloat64(), r.NormFloat64()
	if dependent {
		c := 0.9 * math.Sin(2*z[0])
		b = c*a + math.Sqrt(1-c*c)*b
	}
	f := math.Sin(3 * z[0])
	x[0], y[0] = f+0.3*a, f+0.3*b
}

// linear is normal, so that the partial correlation has the most power.
func linear(r *rand.Rand, x, y, z []float64, dependent bool) {
	z[0] = r.NormFloat64()
	a, b := r.NormFloat64(), r.NormFloat64()
	if dependent {
		b = 0.3*a + math.Sqrt(1-0.09)*b
	}
	x[0], y[0] = z[0]+0.3*a, z[0]+0.3*b
}

// square has a noise with the square of the other in it, so that there is no correlation at any z.
func square(r *rand.Rand, x, y, z []float64, dependent bool) {
	z[0] = r.NormFloat64()
	a, b := r.NormFloat64(), r.NormFloat64()
	if dependent {
		b = 0.8*b + 0.4*a*a
	}
	x[0], y[0] = math.Sin(z[0])+0.5*a, z[0]*z[0]/2+0.5*b
}

// circle has Z on the unit circle, X and Y near it.
func circle(r *rand.Rand, x, y, z []float64, _ bool) {
	z[0], z[1] = r.NormFloat64(), r.NormFloat64()
	size := math.Hypot(z[0], z[1])
	for a := range 2 {
		z[a] /= size
		x[a], y[a] = z[a]+0.05*r.NormFloat64(), z[a]+0.05*r.NormFloat64()
	}
}

// hetero has noises whose scales both depend on z.
func hetero(r *rand.Rand, x, y, z []float64, _ bool) {
	z[0] = r.NormFloat64()
	s := math.Exp(z[0] / 2)
	x[0], y[0] = z[0]+s*r.NormFloat64(), z[0]+s*r.NormFloat64()
}

// table draws n rows, and says which columns are x, y and z.
func (p problem) table(r *rand.Rand, n int, dependent bool) (t *mat.Dense, x, y, z []int) {
	w := p.wide
	t = mat.NewDense(n, 2*w+p.given, nil)
	for i := range n {
		row := t.RawRowView(i)
		p.draw(r, row[:w], row[w:2*w], row[2*w:], dependent)
	}
	for j := range 2*w + p.given {
		switch {
		case j < w:
			x = append(x, j)
		case j < 2*w:
			y = append(y, j)
		default:
			z = append(z, j)
		}
	}
	return t, x, y, z
}
