package model

import (
	"fmt"

	"bayeskernel/engine"
	"bayeskernel/kernels"
)

// Kernel is the covariance function of a Gaussian process, whose parameters may be expressions. See
// KernelMatrix.
type Kernel struct{ k declaredKernel }

// declaredKernel is a kernel before it is known to which model it belongs.
type declaredKernel interface {
	// in returns the covariance function with the nodes of its parameters, nil where something is wrong,
	// which m is told.
	in(m *Model, name, where string, dim int) (engine.Covariance, []*engine.Node)
}

// Stationary is a radial kernel of package kernels, such as kernels.RQ or kernels.Matern, with one lengthscale
// or one for each column of the points.
func Stationary[A Arg](r kernels.Radial, lengthscale A) Kernel {
	return Kernel{radialKernel{r, argumentOf(lengthscale)}}
}

// Laplacian is exp(-r), with one lengthscale or one for each column: in one dimension the process of
// Ornstein and Uhlenbeck.
func Laplacian[A Arg](lengthscale A) Kernel {
	return Kernel{radialKernel{nil, argumentOf(lengthscale)}}
}

// Periodic is exp(-2 s/lengthscale²), s being the sum over columns of sin²(pi d/period) for a distance d.
func Periodic[A, B Arg](period A, lengthscale B) Kernel {
	return Kernel{periodicKernel{argumentOf(period), argumentOf(lengthscale)}}
}

// LinearKernel is x'y: Scaled, that of a regression whose coefficients have the amplitude for their
// standard deviation. ConstantKernel added to it is its intercept.
func LinearKernel() Kernel {
	return Kernel{plainKernel{engine.Plain{Kernel: kernels.Linear{}, Name: "linear"}}}
}

// ConstantKernel is 1.
func ConstantKernel() Kernel {
	return Kernel{plainKernel{engine.Plain{Kernel: kernels.Product{}, Name: "1"}}}
}

// Scaled is amplitude² times a kernel.
func Scaled[A Arg](amplitude A, k Kernel) Kernel {
	return Kernel{scaledKernel{argumentOf(amplitude), k}}
}

// Plus is the sum of two kernels.
func (k Kernel) Plus(other Kernel) Kernel { return Kernel{combinedKernel{k, other, false}} }

// Times is the product of two kernels.
func (k Kernel) Times(other Kernel) Kernel { return Kernel{combinedKernel{k, other, true}} }

// KernelMatrix returns the matrix of a kernel at the points x, with jitter, a variance, added to the diagonal:
//
//	trend := model.Scaled(a, model.Stationary(kernels.SE{}, years))
//	season := model.Scaled(b, model.Periodic(1, 0.5).Times(model.Stationary(kernels.SE{}, 10)))
//	k := model.KernelMatrix(x, trend.Plus(season), noise.Square())
//
// SquaredExponential, Matern32 and Matern52 are faster ways to say one scaled kernel with one lengthscale.
func KernelMatrix[X Points, C Arg](x X, k Kernel, jitter C) Mat {
	return covariance("KernelMatrix", caller(), pointsOf(x), k, argumentOf(jitter))
}

func covariance(name, where string, p points, k Kernel, jitter argument) Mat {
	if p.e.node == nil {
		return Mat{nowhere(name, where), 1, 1}
	}
	n, m := p.e.node.N/p.dim, p.e.about().m
	if p.e.about().broken {
		return brokenMat(m, n, n, where)
	}
	if !p.e.node.Fixed {
		m.failAt(where, "%s: its points depend on parameters, want data", name)
		return brokenMat(m, n, n, where)
	}
	f, of := k.in(m, name, where, p.dim)
	j := jitter.in(m, where)
	if !j.Scalar {
		m.failAt(where, "%s: its jitter has %s, want a number", name, sizeOf(j))
	}
	if f == nil || !j.Scalar || about(j).broken {
		return brokenMat(m, n, n, where)
	}
	var parameters *engine.Node
	switch size := f.Parameters(p.dim); {
	case size == 0:
		parameters = m.constant(0)
	case len(of) == 1:
		parameters = of[0]
	default:
		parameters = m.apply("Stack", engine.Stack{}, size, false, where, of...)
	}
	op := engine.Kernel{Covariance: f, N: n, Dim: p.dim}
	return Mat{Expr{m.apply(name, op, n*n, false, where, p.e.node, parameters, parameters, j)}, n, n}
}

func (k Kernel) in(m *Model, name, where string, dim int) (engine.Covariance, []*engine.Node) {
	if k.k == nil {
		m.failAt(where, "%s: its kernel is none, want one such as Stationary", name)
		return nil, nil
	}
	return k.k.in(m, name, where, dim)
}

// numberIn is the node of a parameter that is a number, or with dim > 1 one for each column.
func numberIn(a argument, m *Model, name, what, where string, dim int) *engine.Node {
	n := a.in(m, where)
	switch {
	case about(n).broken:
		return nil
	case !n.Scalar && n.N != 1 && (dim < 2 || n.N != dim):
		m.failAt(where, "%s: the %s of its kernel has %s, want %s", name, what, sizeOf(n),
			lengthsWanted(dim > 1, dim))
		return nil
	case n.Fixed && what != "amplitude":
		for _, v := range n.Value {
			if !(v > 0) {
				m.failAt(where, "%s: the %s of its kernel is %v, want a positive number", name, what, v)
				return nil
			}
		}
	}
	return n
}

func lengthsWanted(each bool, dim int) string {
	if each && dim > 1 {
		return fmt.Sprintf("a number or %d, one for each column", dim)
	}
	return "a number"
}

type radialKernel struct {
	radial kernels.Radial // nil: the Laplacian kernel
	length argument
}

func (k radialKernel) in(m *Model, name, where string, dim int) (engine.Covariance, []*engine.Node) {
	if k.radial != nil {
		if err := k.radial.Check(); err != nil {
			m.failAt(where, "%s: %v", name, err)
			return nil, nil
		}
	}
	n := numberIn(k.length, m, name, "lengthscale", where, dim)
	if n == nil {
		return nil, nil
	}
	return engine.Radial{Kernel: k.radial, Each: n.N > 1}, []*engine.Node{n}
}

type periodicKernel struct{ period, length argument }

func (k periodicKernel) in(m *Model, name, where string, _ int) (engine.Covariance, []*engine.Node) {
	p, l := numberIn(k.period, m, name, "period", where, 1), numberIn(k.length, m, name, "lengthscale", where, 1)
	if p == nil || l == nil {
		return nil, nil
	}
	return engine.Periodic{}, []*engine.Node{p, l}
}

type plainKernel struct{ k engine.Plain }

func (k plainKernel) in(*Model, string, string, int) (engine.Covariance, []*engine.Node) {
	return k.k, nil
}

type scaledKernel struct {
	amplitude argument
	of        Kernel
}

func (k scaledKernel) in(m *Model, name, where string, dim int) (engine.Covariance, []*engine.Node) {
	a := numberIn(k.amplitude, m, name, "amplitude", where, 1)
	f, of := k.of.in(m, name, where, dim)
	if a == nil || f == nil {
		return nil, nil
	}
	return engine.Scaled{Of: f}, append([]*engine.Node{a}, of...)
}

type combinedKernel struct {
	a, b    Kernel
	product bool
}

func (k combinedKernel) in(m *Model, name, where string, dim int) (engine.Covariance, []*engine.Node) {
	a, of := k.a.in(m, name, where, dim)
	b, more := k.b.in(m, name, where, dim)
	if a == nil || b == nil {
		return nil, nil
	}
	return engine.Combined{Of: []engine.Covariance{a, b}, Product: k.product}, append(of, more...)
}
