package model

import (
	"math"

	"bayeskernel/kernels"
)

// Points are the inputs of a Gaussian process, which must be data: numbers, or the rows of a matrix.
type Points interface{ Expr | *Matrix }

// SquaredExponential returns the kernel matrix of a Gaussian process at the points x,
//
//	amplitude² exp(-r²/(2 lengthscale²)),
//
// r being the distance of two points, with jitter, a variance, added to the diagonal.
func SquaredExponential[X Points, A, B, C Arg](x X, amplitude A, lengthscale B, jitter C) Mat {
	return kernelMatrix("SquaredExponential", kernels.SE{}, x, argumentOf(amplitude),
		argumentOf(lengthscale), argumentOf(jitter))
}

// Matern32 returns the kernel matrix
//
//	amplitude² (1 + u) exp(-u), u = sqrt 3 r / lengthscale,
//
// with jitter added to the diagonal.
func Matern32[X Points, A, B, C Arg](x X, amplitude A, lengthscale B, jitter C) Mat {
	return kernelMatrix("Matern32", kernels.Matern{Nu: 1.5}, x, argumentOf(amplitude), argumentOf(lengthscale),
		argumentOf(jitter))
}

// Matern52 returns the kernel matrix
//
//	amplitude² (1 + u + u²/3) exp(-u), u = sqrt 5 r / lengthscale,
//
// with jitter added to the diagonal.
func Matern52[X Points, A, B, C Arg](x X, amplitude A, lengthscale B, jitter C) Mat {
	return kernelMatrix("Matern52", kernels.Matern{Nu: 2.5}, x, argumentOf(amplitude), argumentOf(lengthscale),
		argumentOf(jitter))
}

func kernelMatrix[X Points](name string, k kernels.Radial, x X, of ...argument) Mat {
	where := caller()
	p := pointsOf(x)
	e, dim := p.e, p.dim
	if e.node == nil {
		return Mat{nowhere(name, where), 1, 1}
	}
	n, m := e.node.N/dim, e.about().m
	if e.about().broken {
		return brokenMat(m, n, n, where)
	}
	if !e.node.Fixed {
		m.failAt(where, "%s: its points depend on parameters, want data", name)
		return brokenMat(m, n, n, where)
	}
	args := []*Node{e.node}
	for i, a := range of {
		v := a.in(m, where)
		if !v.Scalar {
			m.failAt(where, "%s: its %s has %s, want a number", name,
				[]string{"amplitude", "lengthscale", "jitter"}[i], sizeOf(v))
			return brokenMat(m, n, n, where)
		}
		args = append(args, v)
	}
	return Mat{Expr{m.apply(name, kernel{k, n, dim}, n*n, false, where, args...)}, n, n}
}

// kernel is a kernel matrix of n points. With s the amplitude and l the lengthscale, an entry K_ij, i
// and j being different, is s² phi(q), q = r²/l². Its derivative in s is 2 K_ij/s, and that in l is
// s² kappa q/l with kappa = -2 phi'(q), because dq/dl = -2q/l. A diagonal entry is s² + jitter.
type kernel struct {
	radial kernels.Radial
	n, dim int
}

type kernelStep struct {
	kernel
	out, adj, x                  []float64
	amplitude, length, jitter    []float64
	dAmplitude, dLength, dJitter []float64
	slope                        []float64 // l times the derivatives in l, below the diagonal
}

func (k kernel) bind(out, adj []float64, in, din [][]float64) step {
	return &kernelStep{kernel: k, out: out, adj: adj, x: in[0], amplitude: in[1], length: in[2],
		jitter: in[3], dAmplitude: din[1], dLength: din[2], dJitter: din[3],
		slope: make([]float64, k.n*(k.n-1)/2)}
}

func (s *kernelStep) forward() {
	a2, l := s.amplitude[0]*s.amplitude[0], s.length[0]
	if !(l > 0) || !(s.jitter[0] >= 0) {
		for i := range s.out {
			s.out[i] = math.NaN()
		}
		return
	}
	at := 0
	for i := range s.n {
		s.out[i*s.n+i] = a2 + s.jitter[0]
		row, slope := s.out[i*s.n:i*s.n+i], s.slope[at:at+i]
		s.fill(row, slope, s.x[i*s.dim:(i+1)*s.dim], s.x, a2, l)
		for j, v := range row {
			s.out[j*s.n+i] = v
		}
		at += i
	}
}

// fill writes a2 times the kernel of the point x with each of the first points y, and, unless nil, the
// lengthscale l times its derivatives in it. Exponentials are the portable ones: same bits everywhere.
func (k kernel) fill(dst, slope, x, y []float64, a2, l float64) {
	for j := range dst {
		dst[j] = k.distance2(x, y, j) / (l * l)
	}
	kernels.Profiles(k.radial, 0, dst, slope, nil, nil, dst)
	for j := range dst {
		dst[j] *= a2
	}
	for j := range slope {
		slope[j] *= a2 * (k.distance2(x, y, j) / (l * l))
	}
}

// distance2 is the squared distance of the point x and the j-th of y.
func (k kernel) distance2(x, y []float64, j int) float64 {
	sum := 0.0
	for a, v := range y[j*k.dim : (j+1)*k.dim] {
		sum += (x[a] - v) * (x[a] - v)
	}
	return sum
}

func (s *kernelStep) backward() {
	byAmplitude, byLength, byJitter := 0.0, 0.0, 0.0
	at := 0
	for i := range s.n {
		byJitter += s.adj[i*s.n+i]
		for j := range i {
			a := s.adj[i*s.n+j] + s.adj[j*s.n+i]
			byAmplitude += a * s.out[i*s.n+j]
			byLength += a * s.slope[at]
			at++
		}
	}
	if s.dAmplitude != nil {
		a := s.amplitude[0]
		s.dAmplitude[0] += 2 * byJitter * a
		if a != 0 {
			s.dAmplitude[0] += 2 * byAmplitude / a
		}
	}
	if s.dLength != nil {
		s.dLength[0] += byLength / s.length[0]
	}
	if s.dJitter != nil {
		s.dJitter[0] += byJitter
	}
}
