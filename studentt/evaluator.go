package studentt

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Evaluator computes the density. It has its own workspace, so each goroutine needs its own
// Evaluator. It sees rows added to the model later.
type Evaluator struct {
	m       *Model
	k, u, w []float64
	jet     kernels.Jet
	chol    []float64
	solved  []float64
}

// Evaluator returns an evaluator of the density.
func (m *Model) Evaluator() *Evaluator { return &Evaluator{m: m} }

// Dim is the number of columns.
func (e *Evaluator) Dim() int { return e.m.dim }

// LogDensity returns log q(x), with the Jacobian term but without the normalising constant, and writes
// the gradient into grad unless that is nil. It returns -Inf where the feature map has no volume. It
// takes O(N²) time. After the first call it does not allocate until rows are added.
func (e *Evaluator) LogDensity(x, grad []float64) float64 {
	m := e.m
	d := e.form(x, grad != nil)
	power := (1 + float64(m.n) + m.p.Alpha) / 2
	if grad != nil {
		e.formGradient(x, grad)
		for i := range grad {
			grad[i] *= -power / d
		}
	}
	if m.constant {
		return m.logJ - power*math.Log(d)
	}
	return e.jacobian(x, grad) - power*math.Log(d)
}

// Form returns D(x). The density is a negative power of D: the larger D, the farther x is from the
// rows.
func (e *Evaluator) Form(x []float64) float64 { return e.form(x, false) }

// form is D = gam + (q - |L^-1 T t|²)/Scale2 with t = k_x - c K1, q = k(x,x) - 2c 1'k_x + c² 1'K1
// and c = 1/(N+beta). It leaves L^-1 T t in u, and if asked W^-1 t = T' L'^-1 u in w.
func (e *Evaluator) form(x []float64, back bool) float64 {
	m := e.m
	if len(x) != m.dim {
		panic("studentt: length of x is not the number of columns")
	}
	e.k, e.u, e.w = grown(e.k, m.n), grown(e.u, m.n), grown(e.w, m.n)
	kernels.Fill(e.k, m.kernel, m.path, x, m.x, m.dim)
	weight := float64(m.n) + m.p.Beta
	c := 1 / weight
	sum := 0.0
	for i, v := range e.k {
		sum += v
		e.u[i] = v - c*m.sums[i]
	}
	m.contrast(e.u, e.u)
	m.solveLower(e.u)
	left := m.kernel.At(x, x) - 2*c*sum + c*c*m.total
	for _, v := range e.u {
		left -= v * v
	}
	if back {
		copy(e.w, e.u)
		m.solveUpper(e.w)
		m.transposed(e.w)
	}
	return 1 + c + max(left, 0)/m.p.Scale2
}

func grown(s []float64, n int) []float64 {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]float64, n, 2*n)
}

// formGradient writes the gradient of D, given W^-1 t in w:
//
//	(grad k(x,x) - 2 sum_i (c + w_i) grad k(x, x_i))/Scale2.
func (e *Evaluator) formGradient(x, grad []float64) {
	m := e.m
	clear(grad)
	if !m.constant {
		m.kernel.Jet(&e.jet, x)
		for i, v := range e.jet.First { // both arguments move
			grad[i] = 2 * v
		}
	}
	c := 1 / (float64(m.n) + m.p.Beta)
	for i, w := range e.w {
		m.kernel.AddGradient(grad, -2*(c+w), x, m.x[i*m.dim:(i+1)*m.dim])
	}
	for i := range grad {
		grad[i] /= m.p.Scale2
	}
}

// jacobian is 1/2 log det H, H_ij = d_i d'_j k where y = x: it turns the density of features into a
// density of x. It adds the gradient, sum_ij (H^-1)_ij d_m d_i d'_j k, to grad unless that is nil.
func (e *Evaluator) jacobian(x, grad []float64) float64 {
	d := len(x)
	e.m.kernel.Jet(&e.jet, x)
	e.chol = grown(e.chol, d*d)
	copy(e.chol, e.jet.Mixed)
	if !lowrank.Decompose(e.chol, d) {
		for i := range grad {
			grad[i] = math.NaN()
		}
		return math.Inf(-1)
	}
	logs := 0.0
	for i := range d {
		logs += math.Log(e.chol[i*d+i])
	}
	if grad == nil {
		return logs
	}
	e.solved = grown(e.solved, d*d)
	inv := e.solved // of the factor: the rows of the unit matrix, solved together
	clear(inv)
	for i := range d {
		inv[i*d+i] = 1
	}
	lowrank.SolveLower(e.chol, d, inv, d)
	for i := range d {
		for j := range d {
			h := 0.0
			for k := range d {
				h += inv[k*d+i] * inv[k*d+j]
			}
			for m := range d {
				grad[m] += h * e.jet.Third[(m*d+i)*d+j]
			}
		}
	}
	return logs
}

// LogDensities writes the log density of each point into dst.
func (m *Model) LogDensities(ctx context.Context, dst []float64, points mat.Matrix) error {
	data, n, dim, err := rows.Finite("points", points)
	if err != nil {
		return fmt.Errorf("studentt: %w", err)
	}
	if dim != m.dim {
		return fmt.Errorf("studentt: points have %s, want %d", rows.Count(dim, "column"), m.dim)
	}
	if len(dst) != n {
		panic("studentt: length of dst is not the number of points")
	}
	e := m.Evaluator()
	for i := range n {
		if ctx.Err() != nil {
			return fmt.Errorf("studentt: stopped after %d of %d points: %w", i, n, context.Cause(ctx))
		}
		dst[i] = e.LogDensity(data[i*dim:(i+1)*dim], nil)
	}
	return nil
}
