package summary

import (
	"math"

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

	line *fused.Sums
	gram *fused.Gram
	x    []float64 // the block, for rows that gram leaves

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

// run computes the sums for the rows x. Without density it leaves out log gamma.
func (s *kernelSums) run(x []float64, n Node, density bool) {
	s.x, s.theta[0] = x, n.Theta
	s.spread = 0
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
		s.rows(x, n, density)
	}
}

func (s *kernelSums) total(f []float64) {
	for _, v := range f {
		s.spread += v
	}
}

// rows is run for any number of columns.
func (s *kernelSums) rows(x []float64, n Node, density bool) {
	s.det.SetTheta(s.theta)
	clear(s.c)
	s.logGamma = 0
	for i := 0; i < len(x); i += s.dim {
		s.logGamma += s.row(x[i:i+s.dim], density)
		for l, k := range s.k {
			d := k - n.Shift[l]
			s.c[l] += d
			s.spread += float64(d * d)
		}
	}
}

// row computes the kernel values of one row, and returns log gamma + 2 D log theta if it is wanted.
func (s *kernelSums) row(x []float64, density bool) float64 {
	inv := 1 / s.theta[0]
	for l := range s.q {
		sum := 0.0
		for a, z := range s.z[l*s.dim:][:s.dim] {
			u := (x[a] - z) * inv
			sum += float64(u * u)
		}
		s.q[l] = sum
	}
	kernels.Profiles(kernels.SE{}, s.path, s.k, s.kappa, s.logKappa, nil, s.q)
	if !density {
		return 0
	}
	return s.det.LogDet(x, s.kappa, s.logKappa)
}

// logThetas is what kernelSums leaves out of log gamma, per row.
func logThetas(dim int, theta float64) float64 { return 2 * float64(dim) * math.Log(theta) }
