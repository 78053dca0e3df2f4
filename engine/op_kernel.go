package engine

import (
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/kernels"
)

// Kernel is a kernel matrix of n points. With s the amplitude and l the lengthscale, an entry K_ij, i
// and j being different, is s² phi(q), q = r²/l². Its derivative in s is 2 K_ij/s, and that in l is
// s² kappa q/l with kappa = -2 phi'(q), because dq/dl = -2q/l. A diagonal entry is s² + jitter.
//
// With a Covariance entries are those of that, and the amplitude and the lengthscale are one node, all
// of its parameters.
type Kernel struct {
	Radial     kernels.Radial
	N, Dim     int
	Covariance Covariance
}

// String names the kernel.
func (k Kernel) String() string {
	if k.Covariance != nil {
		return k.Covariance.String()
	}
	return k.Radial.String()
}

type kernelStep struct {
	Kernel
	out, adj, x                  []float64
	amplitude, length, jitter    []float64
	dAmplitude, dLength, dJitter []float64
	slope                        []float64 // l times the derivatives in l, below the diagonal
}

func (k Kernel) Bind(out, adj []float64, in, din [][]float64) Step {
	if k.Covariance != nil {
		return k.bindCovariance(out, adj, in, din)
	}
	return &kernelStep{Kernel: k, out: out, adj: adj, x: in[0], amplitude: in[1], length: in[2],
		jitter: in[3], dAmplitude: din[1], dLength: din[2], dJitter: din[3],
		slope: make([]float64, k.N*(k.N-1)/2)}
}

func (s *kernelStep) Forward() {
	a2, l := s.amplitude[0]*s.amplitude[0], s.length[0]
	if !(l > 0) || !(s.jitter[0] >= 0) {
		for i := range s.out {
			s.out[i] = math.NaN()
		}
		return
	}
	at := 0
	for i := range s.N {
		s.out[i*s.N+i] = a2 + s.jitter[0]
		row, slope := s.out[i*s.N:i*s.N+i], s.slope[at:at+i]
		s.fill(row, slope, s.x[i*s.Dim:(i+1)*s.Dim], s.x, a2, l)
		for j, v := range row {
			s.out[j*s.N+i] = v
		}
		at += i
	}
}

// fill writes a2 times the kernel of the point x with each of the first points y, and, unless nil, the
// lengthscale l times its derivatives in it.
func (k Kernel) fill(dst, slope, x, y []float64, a2, l float64) {
	for j := range dst {
		dst[j] = k.distance2(x, y, j) / (l * l)
	}
	kernels.Profiles(k.Radial, fused.Best(), dst, slope, nil, nil, dst)
	for j := range dst {
		dst[j] *= a2
	}
	for j := range slope {
		slope[j] *= a2 * (k.distance2(x, y, j) / (l * l))
	}
}

// distance2 is the squared distance of the point x and the j-th of y.
func (k Kernel) distance2(x, y []float64, j int) float64 {
	sum := 0.0
	for a, v := range y[j*k.Dim : (j+1)*k.Dim] {
		sum += (x[a] - v) * (x[a] - v)
	}
	return sum
}

func (s *kernelStep) Backward() {
	byAmplitude, byLength, byJitter := 0.0, 0.0, 0.0
	at := 0
	for i := range s.N {
		byJitter += s.adj[i*s.N+i]
		for j := range i {
			a := s.adj[i*s.N+j] + s.adj[j*s.N+i]
			byAmplitude += a * s.out[i*s.N+j]
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

// ConditionalMean is K* a with a = L'⁻¹ w and w = L⁻¹ f, for m new points. With c its adjoint, that of
// a is b = K*' c, that of w is v = L⁻¹ b, and that of f is u = L'⁻¹ v; that of L gains -a v' - u w' in
// its lower triangle, and that of K* is c a'.
type ConditionalMean struct {
	Kernel
	M int
}

type conditionalStep struct {
	ConditionalMean
	out, adj                []float64
	x, new, l               []float64
	amplitude, length, f    []float64
	dl, dAmplitude, dLength []float64
	df                      []float64
	row                     covarianceRow // of a Covariance
	own                     []float64
	cross, slope            []float64 // K*, and the lengthscale times its derivatives in it, by rows
	a, w, b, u              []float64
}

func (c ConditionalMean) Bind(out, adj []float64, in, din [][]float64) Step {
	s := &conditionalStep{ConditionalMean: c, out: out, adj: adj, x: in[0], new: in[1], l: in[2],
		amplitude: in[3], length: in[4], f: in[5], dl: din[2], dAmplitude: din[3], dLength: din[4],
		df: din[5], cross: make([]float64, c.N*c.M), slope: make([]float64, c.N*c.M),
		a: make([]float64, c.N), w: make([]float64, c.N), b: make([]float64, c.N),
		u: make([]float64, c.N)}
	if c.Covariance != nil {
		s.row, s.own = c.Covariance.bind(c.N, c.Dim), make([]float64, c.N)
	}
	return s
}

func (s *conditionalStep) Forward() {
	s.between(s.row, s.cross, s.slope, s.new, s.x, s.amplitude, s.length)
	forwardSolve(s.w, s.l, s.f)
	backSolve(s.a, s.l, s.w)
	for i := range s.out {
		s.out[i] = dot(s.cross[i*s.N:(i+1)*s.N], s.a)
	}
}

func (s *conditionalStep) Backward() {
	clear(s.b)
	byAmplitude, byLength := 0.0, 0.0
	for i, c := range s.adj {
		slope := s.slope[i*s.N : (i+1)*s.N]
		for j, k := range s.cross[i*s.N : (i+1)*s.N] {
			s.b[j] += c * k
			byAmplitude += c * k * s.a[j]
			byLength += c * slope[j] * s.a[j]
		}
		if s.row != nil && s.dLength != nil {
			x := s.new[i*s.Dim : (i+1)*s.Dim]
			s.row.fill(s.own, x, s.x, s.length)
			for j, a := range s.a {
				s.own[j] = c * a
			}
			s.row.back(s.own, x, s.x, s.length, s.dLength)
		}
	}
	if s.row == nil && s.dAmplitude != nil && s.amplitude[0] != 0 {
		s.dAmplitude[0] += 2 * byAmplitude / s.amplitude[0]
	}
	if s.row == nil && s.dLength != nil {
		s.dLength[0] += byLength / s.length[0]
	}
	forwardSolve(s.u, s.l, s.b)
	copy(s.b, s.u) // v
	backSolve(s.u, s.l, s.u)
	for i, u := range s.u {
		if s.df != nil {
			s.df[i] += u
		}
		if s.dl == nil {
			continue
		}
		row := s.dl[i*s.N : i*s.N+i+1]
		for j := range row {
			row[j] -= s.a[i]*s.b[j] + u*s.w[j]
		}
	}
}

// between writes the kernel of each of the points x with each of y, by rows, and, unless nil, the
// lengthscale times its derivatives in it.
func (k Kernel) between(r covarianceRow, dst, slope, x, y, amplitude, length []float64) {
	a2, n := amplitude[0]*amplitude[0], len(y)/k.Dim
	for i := range len(x) / k.Dim {
		if r != nil {
			r.fill(dst[i*n:(i+1)*n], x[i*k.Dim:(i+1)*k.Dim], y, length)
			continue
		}
		var row []float64
		if slope != nil {
			row = slope[i*n : (i+1)*n]
		}
		k.fill(dst[i*n:(i+1)*n], row, x[i*k.Dim:(i+1)*k.Dim], y, a2, length[0])
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
