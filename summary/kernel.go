package summary

import (
	"math"
	"slices"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/logdet"
	"bayeskernel/kernels"
)

// kernelSums computes the sums over one block of rows at one lengthscale. It is a workspace, for one
// goroutine.
type kernelSums struct {
	path fused.Kind
	dim  int
	z    []float64 // row by row

	c        []float64 // sum over the rows of k - shift, for each pseudo-input
	spread   float64   // sum of (k - shift)², over the pseudo-inputs too
	logGamma float64   // sum of log gamma + 2 D log theta

	line  *fused.Sums
	gram  *fused.Gram
	x     []float64 // the rows
	apart []float64 // |x - z|² of each row and pseudo-input, where rows go one by one

	det                   *logdet.Workspace
	q, k, kappa, logKappa []float64
	theta                 []float64
}

// newKernelSums takes pseudo-inputs row by row.
func newKernelSums(z []float64, dim int, path fused.Kind) *kernelSums {
	m := len(z) / dim
	s := &kernelSums{path: path, dim: dim, z: z, theta: make([]float64, 1)}
	s.det = logdet.NewInputs(s.z, s.dim).Workspace(path)
	s.q, s.k = make([]float64, m), make([]float64, m)
	s.kappa, s.logKappa = make([]float64, m), make([]float64, m)
	switch {
	case s.dim == 1:
		s.line = fused.NewSums(m)
	case s.dim <= fused.MaxDim:
		s.gram = fused.NewGram(s.dim, m, false, func(i int, _ []float64) float64 {
			return 2 * s.row(s.x[i*s.dim:(i+1)*s.dim], true)
		})
	}
	s.c = make([]float64, m)
	return s
}

// load takes rows to sum over, at one lengthscale after the other. They must not change before the next.
func (s *kernelSums) load(x []float64) {
	s.x = x
	if s.line != nil || s.gram != nil {
		return
	}
	m := len(s.k)
	s.apart = slices.Grow(s.apart[:0], len(x)/s.dim*m)[:len(x)/s.dim*m]
	for i := 0; i < len(x); i += s.dim {
		s.squares(s.apart[i/s.dim*m:][:m], x[i:i+s.dim])
	}
}

// squares sets to the squared distances of a row from the pseudo-inputs.
func (s *kernelSums) squares(to, x []float64) {
	z := s.z
	for l := range to {
		sum := 0.0
		for a, v := range z[:len(x)] {
			u := x[a] - v
			sum += float64(u * u)
		}
		to[l], z = sum, z[len(x):]
	}
}

// run computes the sums for the rows that were loaded. Without density it leaves out log gamma.
func (s *kernelSums) run(n Node, density bool) {
	x := s.x
	s.theta[0], s.spread = n.Theta, 0
	switch {
	case s.line != nil:
		fused.Run(s.path, s.line, x, s.z, n.Shift, n.Theta)
		copy(s.c, s.line.C)
		s.total(s.line.F)
		s.logGamma = s.line.LogA / 2
	case s.gram != nil:
		s.det.SetTheta(s.theta)
		s.gram.Run(s.path, x, s.z, n.Shift, s.theta)
		copy(s.c, s.gram.C)
		s.total(s.gram.F)
		s.logGamma = s.gram.LogDet / 2
	default:
		s.rows(n, density)
	}
}

func (s *kernelSums) total(f []float64) {
	for _, v := range f {
		s.spread += v
	}
}

// rows is run for any number of columns.
func (s *kernelSums) rows(n Node, density bool) {
	s.det.SetTheta(s.theta)
	clear(s.c)
	s.logGamma = 0
	m, shift := len(s.k), n.Shift[:len(s.k)]
	for i := 0; i < len(s.x); i += s.dim {
		s.logGamma += s.at(s.x[i:i+s.dim], s.apart[i/s.dim*m:][:m], density)
		spread, c := 0.0, s.c[:m]
		for l, k := range s.k {
			d := k - shift[l]
			c[l] += d
			spread += float64(d * d)
		}
		s.spread += spread
	}
}

// row computes the kernel values of one row, and returns log gamma + 2 D log theta if it is wanted.
func (s *kernelSums) row(x []float64, density bool) float64 {
	s.squares(s.q, x)
	return s.at(x, s.q, density)
}

// at is row, given the squared distances from the pseudo-inputs.
func (s *kernelSums) at(x, apart []float64, density bool) float64 {
	inv := 1 / s.theta[0]
	for l, v := range apart {
		s.q[l] = float64(v*inv) * inv
	}
	kernels.Profiles(kernels.SE{}, s.path, s.k, s.kappa, s.logKappa, nil, s.q)
	if !density {
		return 0
	}
	return s.det.LogDet(x, s.kappa, s.logKappa)
}

// logThetas is what kernelSums leaves out of log gamma, per row.
func logThetas(dim int, theta float64) float64 { return 2 * float64(dim) * math.Log(theta) }
