package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// law is a distribution of which the embedding is known.
type law struct {
	dim  int
	draw func(dst []float64, r *rand.Rand)
	// embedding is E exp(-|X-t|²/(2 theta²)).
	embedding func(t []float64, theta float64) float64
}

// normals is an equal mixture of normal distributions with one covariance.
func normals(means [][]float64, cov *mat.SymDense) law {
	dim := cov.SymmetricDim()
	var c mat.Cholesky
	if !c.Factorize(cov) {
		panic("coverage: covariance is not positive definite")
	}
	var l mat.TriDense
	c.LTo(&l)
	return law{dim: dim,
		draw: func(dst []float64, r *rand.Rand) {
			u := mat.NewVecDense(dim, dst)
			for i := range dst {
				dst[i] = r.NormFloat64()
			}
			u.MulVec(&l, u)
			u.AddVec(u, mat.NewVecDense(dim, means[r.IntN(len(means))]))
		},
		embedding: func(t []float64, theta float64) float64 {
			wide := mat.NewSymDense(dim, nil)
			wide.CopySym(cov)
			for i := range dim {
				wide.SetSym(i, i, wide.At(i, i)+theta*theta)
			}
			var c mat.Cholesky
			c.Factorize(wide)
			amp := math.Exp(float64(dim)*math.Log(theta) - c.LogDet()/2)
			sum := 0.0
			d, v := mat.NewVecDense(dim, nil), mat.NewVecDense(dim, nil)
			for _, m := range means {
				for i := range dim {
					d.SetVec(i, t[i]-m[i])
				}
				c.SolveVecTo(v, d)
				sum += math.Exp(-mat.Dot(d, v) / 2)
			}
			return amp * sum / float64(len(means))
		}}
}

// normal is N(0, S) in some dimensions, S with ones on the diagonal and one correlation.
func normal(dim int, correlation float64) law {
	s := mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := range i {
			s.SetSym(i, j, correlation)
		}
		s.SetSym(i, i, 1)
	}
	return normals([][]float64{make([]float64, dim)}, s)
}

// line is an equal mixture of normal distributions in one dimension.
func line(sd float64, means ...float64) law {
	var m [][]float64
	for _, v := range means {
		m = append(m, []float64{v})
	}
	return normals(m, mat.NewSymDense(1, []float64{sd * sd}))
}

// grid has nine components on a 3 x 3 grid of spacing 10, stretched along the diagonal.
func grid(stretch float64) law {
	var means [][]float64
	for i := range 9 {
		means = append(means, []float64{float64(10 * (i / 3)), float64(10 * (i % 3))})
	}
	a, b := (stretch+1)/2, (stretch-1)/2
	return normals(means, mat.NewSymDense(2, []float64{a, b, b, a}))
}

// laplace is the Laplace distribution around 0.
func laplace(scale float64) law {
	return law{dim: 1,
		draw: func(dst []float64, r *rand.Rand) {
			dst[0] = scale * (r.ExpFloat64() - r.ExpFloat64())
		},
		embedding: func(t []float64, theta float64) float64 {
			// The convolution of a two-sided exponential with a normal density, times the constant
			// of the latter.
			u := theta / scale
			side := func(v float64) float64 {
				if u+v > 25 { // erfc times exp, asymptotically
					w := u + v
					return math.Exp(-v*v/2) / w * math.Sqrt(2/math.Pi) * (1 - 1/(w*w) + 3/(w*w*w*w))
				}
				return math.Exp(u*u/2+u*v) * math.Erfc((u+v)/math.Sqrt2)
			}
			v := t[0] / theta
			return u * math.Sqrt(2*math.Pi) / 4 * (side(v) + side(-v))
		}}
}

// student is Student's t distribution with 3 degrees of freedom.
func student() law {
	return law{dim: 1,
		draw: func(dst []float64, r *rand.Rand) {
			s := 0.0
			for range 3 {
				z := r.NormFloat64()
				s += z * z
			}
			dst[0] = r.NormFloat64() / math.Sqrt(s/3)
		},
		embedding: func(t []float64, theta float64) float64 {
			// The trapezoidal rule, which converges geometrically here.
			const step = 0.02
			sum := 0.0
			for k := -500; k <= 500; k++ {
				u := step * float64(k)
				x := t[0] + theta*u
				density := 2 / (math.Sqrt(3) * math.Pi * (1 + x*x/3) * (1 + x*x/3))
				sum += density * math.Exp(-u*u/2)
			}
			return sum * step * theta
		}}
}

// poisson is the Poisson distribution.
func poisson(mean float64) law {
	return law{dim: 1,
		draw: func(dst []float64, r *rand.Rand) {
			// Arrivals in unit time.
			count, at := 0.0, r.ExpFloat64()/mean
			for at < 1 {
				count++
				at += r.ExpFloat64() / mean
			}
			dst[0] = count
		},
		embedding: func(t []float64, theta float64) float64 {
			sum, p := 0.0, math.Exp(-mean)
			for k := range 100 {
				d := (t[0] - float64(k)) / theta
				sum += p * math.Exp(-d*d/2)
				p *= mean / float64(k+1)
			}
			return sum
		}}
}
