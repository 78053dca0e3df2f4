package embedding

import (
	"math"

	"bayeskernel/bke"
	"bayeskernel/internal/fused"
	"bayeskernel/kernels"
)

// field evaluates the kernel k and the prior covariance r of the embedding at given hyperparameters,
// over all pairs of two sets of points. It is all that this package knows of the kernel.
type field struct {
	path   kernels.Path
	nu     bke.Nu
	dim    int
	radial kernels.Radial
	k      kernels.Kernel // with its lengthscales
	r, rho *kernels.Prior // under nu, and with unit diagonal
	amp    float64        // r = amp rho, unless nu is Gaussian
	eval   *bke.Evaluator // for level
}

// largestAmplitude bounds the amplitude of r. Against noise below 1 nothing changes long before.
const largestAmplitude = 1e150

func newField(m *bke.Model) *field {
	path, _ := fused.Parse(m.Path()) // the model has checked the name
	f := &field{path: path, nu: m.Nu(), dim: m.Rank(), radial: m.Kernel(),
		eval: m.Evaluator()}
	f.rho = prior(f.radial, kernels.Unit, f.dim)
	if f.nu == kernels.Gaussian {
		f.r = prior(f.radial, f.nu, f.dim)
		f.r.Path = path
		if f.rho == nil {
			// The square of the kernel is not integrable, and only a measure with mass one has an r. A
			// squared exponential has the same curvature at 0.
			f.rho = prior(kernels.SE{}, kernels.Unit, f.dim)
		}
	}
	return f
}

// prior returns nil where r is infinite.
func prior(k kernels.Radial, nu kernels.Nu, dim int) *kernels.Prior {
	p, err := kernels.NewPrior(k, nu, dim)
	if err != nil {
		return nil
	}
	return p
}

// set takes new hyperparameters.
func (f *field) set(p bke.Params) {
	f.k = kernels.Stationary{Radial: f.radial, Theta: p.Theta}
	f.rho.Set(p.Theta, 0)
	f.amp = 1
	if f.nu == kernels.Gaussian {
		f.r.Set(p.Theta, p.Eta)
	}
	if f.nu == kernels.Lebesgue {
		r := prior(f.radial, f.nu, f.dim)
		r.Set(p.Theta, 0)
		f.amp = min(math.Exp(r.LogAmplitude()), largestAmplitude)
	}
}

// level returns v, the tau2 of the central limit theorem.
func (f *field) level(p bke.Params) float64 { return f.eval.Level(p) }

// kernel writes k(x_i, y_j) into dst[i*ny+j].
func (f *field) kernel(dst, x, y []float64) { kernels.Fill(dst, f.k, f.path, x, y, f.dim) }

// correlation writes what r is under Unit, which has unit diagonal, into dst[i*ny+j].
func (f *field) correlation(dst, x, y []float64) { f.rho.Fill(dst, f.path, x, y) }

// prior writes r(x_i, y_j) into dst[i*ny+j].
func (f *field) prior(dst, x, y []float64) {
	if f.nu == kernels.Gaussian {
		f.r.Fill(dst, f.path, x, y)
		return
	}
	f.rho.Fill(dst, f.path, x, y)
	if f.amp != 1 {
		for i := range dst {
			dst[i] *= f.amp
		}
	}
}

// diagonal writes r(x_i, x_i).
func (f *field) diagonal(dst, x []float64) {
	if f.nu == kernels.Gaussian {
		f.r.Diagonal(dst, x)
		return
	}
	for i := range dst {
		dst[i] = f.amp
	}
}

// isCorrelation reports whether r is a multiple of correlation, and which.
func (f *field) isCorrelation() (amp float64, ok bool) { return f.amp, f.nu != kernels.Gaussian }
