// Package laws has distributions whose mean embeddings are known in closed form or to many digits,
// for the squared exponential kernel: what the studies of bands compare with.
package laws

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Law is a distribution of which the embedding is known.
type Law struct {
	Dim  int
	Draw func(dst []float64, r *rand.Rand)
	// Embedding is E exp(-sum_a (X_a-t_a)²/(2 theta_a²)); theta has one lengthscale for each column.
	Embedding func(t, theta []float64) float64
}

// Product has independent columns, each of one of some laws of a single column.
func Product(columns ...Law) Law {
	return Law{Dim: len(columns),
		Draw: func(dst []float64, r *rand.Rand) {
			for a, l := range columns {
				l.Draw(dst[a:a+1], r)
			}
		},
		Embedding: func(t, theta []float64) float64 {
			product := 1.0
			for a, l := range columns {
				product *= l.Embedding(t[a:a+1], theta[a:a+1])
			}
			return product
		}}
}

// Normals is an equal mixture of normal distributions with one covariance.
func Normals(means [][]float64, cov *mat.SymDense) Law {
	dim := cov.SymmetricDim()
	var c mat.Cholesky
	if !c.Factorize(cov) {
		panic("laws: covariance is not positive definite")
	}
	var l mat.TriDense
	c.LTo(&l)
	return Law{Dim: dim,
		Draw: func(dst []float64, r *rand.Rand) {
			u := mat.NewVecDense(dim, dst)
			for i := range dst {
				dst[i] = r.NormFloat64()
			}
			u.MulVec(&l, u)
			u.AddVec(u, mat.NewVecDense(dim, means[r.IntN(len(means))]))
		},
		Embedding: func(t, theta []float64) float64 {
			wide := mat.NewSymDense(dim, nil)
			wide.CopySym(cov)
			for i := range dim {
				wide.SetSym(i, i, wide.At(i, i)+theta[i]*theta[i])
			}
			var c mat.Cholesky
			c.Factorize(wide)
			amp := math.Exp(-c.LogDet() / 2)
			for _, v := range theta {
				amp *= v
			}
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

// Normal is N(0, S) in some dimensions, S with ones on the diagonal and one correlation.
func Normal(dim int, correlation float64) Law {
	s := mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := range i {
			s.SetSym(i, j, correlation)
		}
		s.SetSym(i, i, 1)
	}
	return Normals([][]float64{make([]float64, dim)}, s)
}

// Line is an equal mixture of normal distributions in one dimension.
func Line(sd float64, means ...float64) Law {
	var m [][]float64
	for _, v := range means {
		m = append(m, []float64{v})
	}
	return Normals(m, mat.NewSymDense(1, []float64{sd * sd}))
}

// Grid has nine components on a 3 x 3 grid of spacing 10, stretched along the diagonal.
func Grid(stretch float64) Law {
	var means [][]float64
	for i := range 9 {
		means = append(means, []float64{float64(10 * (i / 3)), float64(10 * (i % 3))})
	}
	a, b := (stretch+1)/2, (stretch-1)/2
	return Normals(means, mat.NewSymDense(2, []float64{a, b, b, a}))
}

// Laplace is the Laplace distribution around 0.
func Laplace(scale float64) Law {
	return Law{Dim: 1,
		Draw: func(dst []float64, r *rand.Rand) {
			dst[0] = scale * (r.ExpFloat64() - r.ExpFloat64())
		},
		Embedding: func(t, theta []float64) float64 {
			// The convolution of a two-sided exponential with a normal density, times the constant
			// of the latter.
			u := theta[0] / scale
			side := func(v float64) float64 {
				if u+v > 25 { // erfc times exp, asymptotically
					w := u + v
					return math.Exp(-v*v/2) / w * math.Sqrt(2/math.Pi) * (1 - 1/(w*w) + 3/(w*w*w*w))
				}
				return math.Exp(u*u/2+u*v) * math.Erfc((u+v)/math.Sqrt2)
			}
			v := t[0] / theta[0]
			return u * math.Sqrt(2*math.Pi) / 4 * (side(v) + side(-v))
		}}
}

// Student is Student's t distribution with 3 degrees of freedom.
func Student() Law {
	return Law{Dim: 1,
		Draw: func(dst []float64, r *rand.Rand) {
			s := 0.0
			for range 3 {
				z := r.NormFloat64()
				s += z * z
			}
			dst[0] = r.NormFloat64() / math.Sqrt(s/3)
		},
		Embedding: func(t, theta []float64) float64 {
			// The trapezoidal rule, which converges geometrically here.
			const step = 0.02
			sum := 0.0
			for k := -500; k <= 500; k++ {
				u := step * float64(k)
				x := t[0] + theta[0]*u
				density := 2 / (math.Sqrt(3) * math.Pi * (1 + x*x/3) * (1 + x*x/3))
				sum += density * math.Exp(-u*u/2)
			}
			return sum * step * theta[0]
		}}
}

// Poisson is the Poisson distribution.
func Poisson(mean float64) Law {
	return Law{Dim: 1,
		Draw: func(dst []float64, r *rand.Rand) {
			// Arrivals in unit time.
			count, at := 0.0, r.ExpFloat64()/mean
			for at < 1 {
				count++
				at += r.ExpFloat64() / mean
			}
			dst[0] = count
		},
		Embedding: func(t, theta []float64) float64 {
			sum, p := 0.0, math.Exp(-mean)
			for k := range 100 {
				d := (t[0] - float64(k)) / theta[0]
				sum += p * math.Exp(-d*d/2)
				p *= mean / float64(k+1)
			}
			return sum
		}}
}
