package kerneltest

import (
	"math"

	"bayeskernel/bke"
	"bayeskernel/kernels"
)

// radial returns the kernel of the model with these lengthscales: all kernels that are not the
// user's are made here.
func radial(_ bke.Options, theta ...float64) kernels.Kernel {
	return kernels.SquaredExponential{Theta: theta}
}

// lengthscale is that of a kernel, the geometric mean of several, and NaN where there is none.
func lengthscale(k kernels.Kernel) float64 {
	if se, ok := k.(kernels.SquaredExponential); ok {
		return geometric(se.Theta)
	}
	return math.NaN()
}
