package kerneltest

import (
	"math"

	"bayeskernel/bke"
	"bayeskernel/kernels"
)

// radial returns the kernel of the model with these lengthscales: all kernels that are not the user's
// are made here.
func radial(o bke.Options, theta ...float64) kernels.Kernel {
	if o.Kernel == nil {
		return kernels.SquaredExponential(theta...)
	}
	return kernels.Stationary{Radial: o.Kernel, Theta: theta}
}

// lengthscale is that of a kernel, the geometric mean of several, and NaN where there is none.
func lengthscale(k kernels.Kernel) float64 {
	if s, ok := kernels.AsStationary(k); ok {
		return geometric(s.Theta)
	}
	return math.NaN()
}
