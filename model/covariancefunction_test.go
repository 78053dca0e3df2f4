package model_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/kernels"
	"bayeskernel/model"
)

// kernelCases are kernels of four positive parameters and points with two columns, and what package kernels
// computes with the same numbers.
var kernelCases = []struct {
	name  string
	of    func(p model.Expr) model.Kernel
	value func(p, x, y []float64) float64
}{
	{"squared exponential, two lengthscales", func(p model.Expr) model.Kernel {
		return model.Scaled(p.El(0), model.Stationary(kernels.SE{}, p.Slice(1, 3)))
	}, func(p, x, y []float64) float64 { return p[0] * p[0] * kernels.SquaredExponential(p[1:3]...).At(x, y) }},
	{"rational quadratic", func(p model.Expr) model.Kernel {
		return model.Stationary(kernels.RQ{Alpha: 1.5}, p.El(0))
	}, func(p, x, y []float64) float64 {
		return kernels.Stationary{Radial: kernels.RQ{Alpha: 1.5}, Theta: p[:1]}.At(x, y)
	}},
	{"Matern 7/2", func(p model.Expr) model.Kernel {
		return model.Stationary(kernels.Matern{Nu: 3.5}, p.Slice(0, 2))
	}, func(p, x, y []float64) float64 {
		return kernels.Stationary{Radial: kernels.Matern{Nu: 3.5}, Theta: p[:2]}.At(x, y)
	}},
	{"mixture", func(p model.Expr) model.Kernel {
		return model.Stationary(kernels.Mixture{Weights: []float64{.4, .6}, Widths: []float64{1, 3}}, p.El(0))
	}, func(p, x, y []float64) float64 {
		m := kernels.Mixture{Weights: []float64{.4, .6}, Widths: []float64{1, 3}}
		return kernels.Stationary{Radial: m, Theta: p[:1]}.At(x, y)
	}},
	{"Laplacian", func(p model.Expr) model.Kernel { return model.Laplacian(p.Slice(0, 2)) },
		func(p, x, y []float64) float64 { return kernels.Laplacian{Theta: p[:2]}.At(x, y) }},
	{"trend and season", func(p model.Expr) model.Kernel {
		season := model.Periodic(p.El(0), p.El(1)).Times(model.Stationary(kernels.SE{}, 2))
		return model.Scaled(p.El(2), model.LinearKernel().Plus(model.ConstantKernel())).Plus(
			model.Scaled(p.El(3), season))
	}, func(p, x, y []float64) float64 {
		season := kernels.Product{kernels.Periodic{Period: p[0], Theta: p[1]}, kernels.SquaredExponential(2)}
		return p[2]*p[2]*(1+kernels.Linear{}.At(x, y)) + p[3]*p[3]*season.At(x, y)
	}},
	{"product of three", func(p model.Expr) model.Kernel {
		return model.Stationary(kernels.SE{}, p.El(0)).Times(model.LinearKernel()).Times(
			model.Scaled(p.El(1), model.Stationary(kernels.SE{}, p.Slice(2, 4)).Plus(model.ConstantKernel())))
	}, func(p, x, y []float64) float64 {
		return kernels.SquaredExponential(p[0]).At(x, y) * kernels.Linear{}.At(x, y) * p[1] * p[1] *
			(1 + kernels.SquaredExponential(p[2:4]...).At(x, y))
	}},
}

// The matrix of a kernel is made of what package kernels computes, the mean of the process at new points is
// that by the inverse, and so is the covariance, from draws: one of the 15 is off by more than 5.5 standard
// errors with a probability of 4e-8.
func TestKernelMatrix(t *testing.T) {
	const n, to, count = 6, 5, 20_000
	x, at := mat.NewDense(n, 2, numbers(2*n)), mat.NewDense(to, 2, numbers(2*to))
	for _, c := range kernelCases {
		t.Run(c.name, func(t *testing.T) {
			m := model.New()
			p := m.Positives("p", 4, model.LogNormal(0, 0.3))
			k := model.KernelMatrix(m.Matrix("x", x), c.of(p), 0.1)
			f := k.Cholesky().MatVec(m.Reals("z", n, model.Normal(0, 1)))
			m.Quantity("k", k.Values())
			m.Quantity("f", f)
			m.Quantity("mean", model.ConditionalMean(k, f, m.Matrix("at", at)))
			m.Predict("new", to, model.Conditional(k, f, m.Matrix("again", at)))
			program := compile(t, m)
			run, err := program.Prior(t.Context(), 1, 3)
			if err != nil {
				t.Fatal(err)
			}
			row := run.Chains[0].Values[0]
			values := func(a, b *mat.Dense) *mat.Dense {
				i, _ := a.Dims()
				j, _ := b.Dims()
				out := mat.NewDense(i, j, nil)
				out.Apply(func(i, j int, _ float64) float64 {
					return c.value(row[:4], a.RawRowView(i), b.RawRowView(j))
				}, out)
				return out
			}
			own := values(x, x)
			for i := range n {
				own.Set(i, i, own.At(i, i)+0.1)
			}
			for i, w := range own.RawMatrix().Data {
				if got := row[4+n+i]; !(math.Abs(got-w) <= 1e-13*(1+math.Abs(w))) {
					t.Errorf("entry %d is %v, want %v", i, got, w)
				}
			}
			var inverse, part, mean, cov mat.Dense
			if err := inverse.Inverse(own); err != nil {
				t.Fatal(err)
			}
			part.Mul(values(at, x), &inverse)
			mean.Mul(&part, mat.NewDense(n, 1, row[4+n+n*n:4+2*n+n*n]))
			cov.Mul(&part, values(x, at))
			cov.Sub(values(at, at), &cov)
			for i := range to {
				if got, w := row[4+2*n+n*n+i], mean.At(i, 0); !(math.Abs(got-w) <= 1e-10*(1+math.Abs(w))) {
					t.Errorf("the mean of value %d is %v, want %v", i, got, w)
				}
			}
			run.Chains[0].Values = slices.Repeat([][]float64{row}, count)
			got, err := program.Predictive(t.Context(), run, 4)
			if err != nil {
				t.Fatal(err)
			}
			for i := range to {
				for k := range i + 1 {
					sum := 0.0
					for _, v := range got.Chains[0].Values {
						sum += (v[i] - mean.At(i, 0)) * (v[k] - mean.At(k, 0)) / count
					}
					ii, kk, ik := cov.At(i, i), cov.At(k, k), cov.At(i, k)
					if se := math.Sqrt((ii*kk + ik*ik) / count); !(math.Abs(sum-ik) <= 5.5*se+1e-9) {
						t.Errorf("covariance (%d, %d) is %v, want %v", i, k, sum, ik)
					}
				}
			}
		})
	}
}

// The derivatives of the matrix and of the mean at new points.
func TestKernelMatrixGradient(t *testing.T) {
	for _, c := range kernelCases {
		t.Run(c.name, func(t *testing.T) {
			checkGradient(t, func(m *model.Model) {
				p, j := m.Positives("p", 4, model.InvGamma(3, 2)), m.Positive("j", model.HalfNormal(1))
				k := model.KernelMatrix(m.Matrix("x", mat.NewDense(5, 2, numbers(10))), c.of(p), j)
				weighed(m, k.Values())
				f := m.Reals("f", 5, model.Normal(0, 1))
				weighed(m, model.ConditionalMean(k, f, m.Matrix("at", mat.NewDense(4, 2, numbers(8)))))
				for _, e := range []model.Expr{p, j, f} {
					weighed(m, e)
				}
			}, 0.7)
		})
	}
}

// One lengthscale for each column, without a kernel of its own.
func TestLengthscales(t *testing.T) {
	m := model.New()
	x := m.Matrix("x", mat.NewDense(4, 2, numbers(8)))
	l := m.Positives("l", 2, model.InvGamma(3, 2))
	a := model.SquaredExponential(x, 1.5, l, 0.1)
	b := model.KernelMatrix(x, model.Scaled(1.5, model.Stationary(kernels.SE{}, l)), 0.1)
	m.Quantity("difference", a.Values().Sub(b.Values()))
	m.Observe(m.Data("y", numbers(4)), model.MvNormal(0, a.Cholesky()))
	p := compile(t, m)
	if !strings.Contains(p.String(), "amplitude² se") {
		t.Errorf("no kernel in\n%v", p)
	}
	run, err := p.Prior(t.Context(), 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range run.Chains[0].Values {
		for _, v := range row[2:] {
			if v != 0 {
				t.Errorf("the matrices differ by %v", v)
			}
		}
	}
}

func TestKernelMatrixErrors(t *testing.T) {
	for want, k := range map[string]func(p model.Expr) model.Kernel{
		"its kernel is none": func(model.Expr) model.Kernel { return model.Kernel{} },
		"the lengthscale of its kernel has 3 values, want a number or 2, one for each column": func(p model.Expr) model.Kernel {
			return model.Stationary(kernels.SE{}, p)
		},
		"the period of its kernel has 3 values, want a number": func(p model.Expr) model.Kernel { return model.Periodic(p, 1) },
		"the lengthscale of its kernel is 0, want a positive":  func(model.Expr) model.Kernel { return model.Laplacian(0) },
		"nu of Matern is 0.5": func(p model.Expr) model.Kernel {
			return model.Stationary(kernels.Matern{Nu: 0.5}, p.El(0))
		},
		"the amplitude of its kernel has 3 values": func(p model.Expr) model.Kernel {
			return model.LinearKernel().Plus(model.Scaled(p, model.ConstantKernel()))
		},
	} {
		m := model.New()
		p := m.Positives("p", 3, model.HalfNormal(1))
		l := model.KernelMatrix(m.Matrix("x", mat.NewDense(4, 2, numbers(8))), k(p), 0.1).Cholesky()
		m.Observe(m.Data("y", numbers(4)), model.MvNormal(0, l))
		_, err := m.Compile()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
