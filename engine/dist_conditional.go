package engine

import (
	"fmt"
	"math/rand/v2"

	"bayeskernel/internal/lowrank"
)

// Conditional is a Gaussian process at new points given others. Arguments are the mean, points, new
// points, the Cholesky factor of the kernel matrix, amplitude and lengthscale.
type Conditional struct {
	Op   ConditionalMean
	Args []*Node
}

func (d *Conditional) Name() string       { return "conditional" }
func (d *Conditional) Arguments() []*Node { return d.Args }

func (d *Conditional) Mapped(to func(*Node) *Node) Distribution {
	out := &Conditional{Op: d.Op, Args: make([]*Node, len(d.Args))}
	for k, a := range d.Args {
		out.Args[k] = to(a)
	}
	out.Op.M = out.Args[0].N
	return out
}

// Densities is one: the values are drawn together.
func (d *Conditional) Densities(int) int { return 1 }

func (d *Conditional) ForParameter(Place) error {
	return fmt.Errorf("a parameter cannot have a conditional distribution: it is for Predict")
}

func (d *Conditional) ForValues(y *Node, name string) error {
	if y.N != d.Op.M {
		return fmt.Errorf("%s has %s, and conditional %s", name, plural(y.N, "value"),
			plural(d.Op.M, "point"))
	}
	if !y.Fixed || y.Value != nil { // of Observe: there is no derivative of the covariance
		return fmt.Errorf("%s: what was observed cannot have a conditional distribution: it is for "+
			"Predict", name)
	}
	return nil
}

func (d *Conditional) Bind(c *Memory, _ *Node) Term {
	t := &conditionalTerm{ConditionalMean: d.Op}
	for k, a := range d.Args {
		t.in[k] = c.Value[a.ID]
	}
	return t
}

// conditionalTerm draws mean + F z with F F' = K** - V V', where column i of V' is L⁻¹ k*, k* being
// row i of K*.
type conditionalTerm struct {
	ConditionalMean
	in     [6][]float64
	row    covarianceRow
	v      []float64
	factor lowrank.Cholesky
}

func (t *conditionalTerm) Add() float64            { panic("engine: conditional has no density here") }
func (t *conditionalTerm) Pointwise([]float64) int { panic("engine: conditional has no density here") }

func (t *conditionalTerm) Draw(r *rand.Rand, out []float64) {
	copy(out, t.in[0])
	t.decompose()
	columns := t.factor.Columns()
	for k := range t.factor.Pivots {
		z := r.NormFloat64()
		for i, v := range columns[k*t.M : (k+1)*t.M] {
			out[i] += v * z
		}
	}
}

// decompose factors the covariance. What is left out has a diagonal below the rounding of the
// amplitude's square, of the largest one where they differ.
func (t *conditionalTerm) decompose() {
	x, points, l, amplitude, length := t.in[2], t.in[1], t.in[3], t.in[4], t.in[5]
	if t.v == nil {
		t.v = make([]float64, t.N*t.M)
		if t.Covariance != nil {
			t.row = t.Covariance.bind(max(t.N, t.M), t.Dim)
		}
	}
	t.between(t.row, t.v, nil, x, points, amplitude, length)
	a2, diag := amplitude[0]*amplitude[0], make([]float64, t.M)
	largest := a2
	if t.row != nil {
		largest = 0
	}
	for i := range t.M {
		row := t.v[i*t.N : (i+1)*t.N]
		forwardSolve(row, l, row)
		if t.row != nil {
			one, at := [1]float64{}, x[i*t.Dim:(i+1)*t.Dim]
			t.row.fill(one[:], at, at, length)
			a2, largest = one[0], max(largest, one[0])
		}
		diag[i] = a2 - dot(row, row)
	}
	t.factor.Factor(diag, 4e-16*float64(t.N+t.M)*largest, func(dst []float64, i int) {
		t.between(t.row, dst, nil, x, x[i*t.Dim:(i+1)*t.Dim], amplitude, length)
		for j := range dst {
			dst[j] -= dot(t.v[j*t.N:(j+1)*t.N], t.v[i*t.N:(i+1)*t.N])
		}
	})
}
