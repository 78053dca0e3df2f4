package ica

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// sweep turns components pair by pair, each by the angle at which the HSIC of the two is least. Angles
// are looked for over all of a quarter turn, so that no local minimum holds a pair.
//
// The kernel of a pair is that of the features cos(kwy) and sin(kwy), k = 1..harmonics, weighted by the
// spectral density of the squared exponential: one sine and cosine a value, and the others by recurrence.
type sweep struct {
	n, m  int
	y     []float64 // components, one after the other
	w     float64   // lowest frequency
	scale [harmonics]float64
	f     [2][]float64 // features of both components of a pair, row by row
}

const (
	harmonics = 5
	period    = 12.0 // of the features, in standard deviations
	angles    = 12   // tried over a quarter turn
	exact     = 0.01 // how well an angle is found; descent ends the search
)

// newSweep begins at the rotation q of whitened rows z.
func newSweep(z []float64, m int, q *mat.Dense) *sweep {
	n := len(z) / m
	s := &sweep{n: n, m: m, y: make([]float64, n*m), w: 2 * math.Pi / period}
	for t := range n {
		for i := range m {
			s.y[i*n+t] = blas64.Dot(blas64.Vector{N: m, Inc: 1, Data: z[t*m:]},
				blas64.Vector{N: m, Inc: 1, Data: q.RawRowView(i)})
		}
	}
	for k := range s.f {
		s.f[k] = make([]float64, 2*harmonics*n)
	}
	return s
}

// at sets the lengthscale.
func (s *sweep) at(theta float64) {
	for k := range s.scale {
		e := float64(k+1) * s.w * theta
		s.scale[k] = math.Exp(-e * e / 4) // the root of the density
	}
}

// pair is the HSIC of components i and j turned by an angle.
func (s *sweep) pair(i, j int, angle float64) float64 {
	sin, cos := math.Sincos(angle)
	a, b := s.y[i*s.n:(i+1)*s.n], s.y[j*s.n:(j+1)*s.n]
	var mean [2][2 * harmonics]float64
	for t := range s.n {
		s.features(0, t, &mean[0], cos*a[t]+sin*b[t])
		s.features(1, t, &mean[1], cos*b[t]-sin*a[t])
	}
	var c [2 * harmonics][2 * harmonics]float64
	for t := range s.n {
		u := (*[2 * harmonics]float64)(s.f[0][t*2*harmonics:])
		v := (*[2 * harmonics]float64)(s.f[1][t*2*harmonics:])
		for k := range c {
			for l := range c {
				c[k][l] += u[k] * v[l]
			}
		}
	}
	sum, n := 0.0, float64(s.n)
	for k := range c {
		for l := range c {
			d := c[k][l]/n - mean[0][k]/n*mean[1][l]/n
			sum += d * d
		}
	}
	return sum
}

func (s *sweep) features(which, t int, mean *[2 * harmonics]float64, y float64) {
	sin1, cos1 := math.Sincos(s.w * y)
	sin, cos := sin1, cos1
	f := (*[2 * harmonics]float64)(s.f[which][t*2*harmonics:])
	for k := range harmonics {
		f[k], f[harmonics+k] = s.scale[k]*cos, s.scale[k]*sin
		mean[k] += f[k]
		mean[harmonics+k] += f[harmonics+k]
		sin, cos = sin*cos1+cos*sin1, cos*cos1-sin*sin1
	}
}

// best is the angle at which a pair is least dependent, from a grid and then by golden section; near
// looks at small angles alone.
func (s *sweep) best(i, j int, near bool) float64 {
	const width = math.Pi / 2 / angles
	now := s.pair(i, j, 0)
	at, low := 0.0, now
	for k := 1; k < angles && !near; k++ {
		if v := s.pair(i, j, float64(k)*width); v < low {
			at, low = float64(k)*width, v
		}
	}
	const golden = 0.6180339887498949
	lo, hi := at-width, at+width
	a, b := hi-golden*(hi-lo), lo+golden*(hi-lo)
	fa, fb := s.pair(i, j, a), s.pair(i, j, b)
	for hi-lo > exact {
		if fa < fb {
			hi, b, fb = b, a, fa
			a = hi - golden*(hi-lo)
			fa = s.pair(i, j, a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + golden*(hi-lo)
			fb = s.pair(i, j, b)
		}
	}
	if math.Min(fa, fb) >= now {
		return 0
	}
	return (lo + hi) / 2
}

// all turns each pair until none turns by more than a twentieth, at most so many times. Q is turned
// along.
func (s *sweep) all(ctx context.Context, q *mat.Dense, times int, near bool) error {
	for range times {
		most := 0.0
		for i := range s.m {
			for j := range i {
				if err := ctx.Err(); err != nil {
					return err
				}
				angle := s.best(i, j, near)
				if angle == 0 {
					continue
				}
				most = math.Max(most, math.Abs(angle))
				sin, cos := math.Sincos(angle)
				turn(s.y[i*s.n:(i+1)*s.n], s.y[j*s.n:(j+1)*s.n], sin, cos)
				turn(q.RawRowView(i), q.RawRowView(j), sin, cos)
			}
		}
		if most < 0.05 {
			break
		}
	}
	return nil
}

func turn(a, b []float64, sin, cos float64) {
	for t, u := range a {
		a[t], b[t] = cos*u+sin*b[t], cos*b[t]-sin*u
	}
}
