package model

import (
	"bayeskernel/engine"

	"bayeskernel/kernels"
)

// Points are the inputs of a Gaussian process, which must be data: numbers, or the rows of a matrix.
type Points interface{ Expr | *Matrix }

// SquaredExponential returns the kernel matrix of a Gaussian process at the points x,
//
//	amplitude² exp(-r²/(2 lengthscale²)),
//
// r being the distance of two points, with jitter, a variance, added to the diagonal. The points of a
// matrix may have a lengthscale for each column. Other kernels, sums and products: see KernelMatrix.
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
	return kernelMatrix("Matern32", kernels.Matern{Nu: 1.5}, x, argumentOf(amplitude),
		argumentOf(lengthscale),
		argumentOf(jitter))
}

// Matern52 returns the kernel matrix
//
//	amplitude² (1 + u + u²/3) exp(-u), u = sqrt 5 r / lengthscale,
//
// with jitter added to the diagonal.
func Matern52[X Points, A, B, C Arg](x X, amplitude A, lengthscale B, jitter C) Mat {
	return kernelMatrix("Matern52", kernels.Matern{Nu: 2.5}, x, argumentOf(amplitude),
		argumentOf(lengthscale),
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
	args := []*engine.Node{e.node}
	for i, a := range of {
		v := a.in(m, where)
		if i == 1 && v.N == dim && dim > 1 {
			of[0].expr, of[0].value = args[1], nil
			k := Kernel{scaledKernel{of[0], Kernel{radialKernel{k, argument{expr: v}}}}}
			return covariance(name, where, p, k, of[2])
		}
		if !v.Scalar {
			m.failAt(where, "%s: its %s has %s, want %s", name,
				[]string{"amplitude", "lengthscale", "jitter"}[i], sizeOf(v), lengthsWanted(i == 1, dim))
			return brokenMat(m, n, n, where)
		}
		args = append(args, v)
	}
	op := engine.Kernel{Radial: k, N: n, Dim: dim}
	return Mat{Expr{m.apply(name, op, n*n, false, where, args...)}, n, n}
}
