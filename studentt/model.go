package studentt

import (
	"context"
	"errors"
	"fmt"
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Form selects the density.
type Form int

// The two forms.
const (
	// NIW is the exact predictive density of the normal model with its normal-inverse-Wishart prior.
	NIW Form = iota
	// Printed follows equations (4) and (5) of the paper to the letter. These centre the features
	// first, which loses the term of their mean in the scatter. The two forms differ little for small
	// Beta, and a lot for large Beta.
	Printed
)

// Params are the parameters of the prior, all positive. In the space of features, a row is normal
// with mean mu and covariance S, mu given S is N(0, S/Beta), and S is inverse Wishart with scale
// matrix Scale2 I.
type Params struct {
	// Alpha is the degrees of freedom, before those that the rows add. It appears only in the
	// exponent of the form D. No ranking of points by D depends on it.
	Alpha  float64
	Beta   float64 // number of rows that the prior mean is worth
	Scale2 float64
	Form   Form
}

// Model is the density of a new row given the rows added so far. Several goroutines may read it, each
// with its own Evaluator, as long as none adds rows.
type Model struct {
	kernel   kernels.Differentiable
	path     kernels.Path
	p        Params
	dim      int
	constant bool    // the Jacobian term is
	logJ     float64 // if so

	x     []float64
	n     int
	sums  []float64 // K1
	total float64   // 1'K1
	scale []float64 // of the contrasts, see contrast
	l     []float64 // rows of the factor, of 1, 2, … elements
}

// New makes a model without rows.
func New(k kernels.Kernel, dim int, p Params) (*Model, error) {
	if k == nil {
		return nil, errors.New("studentt: kernel is nil, want a kernel")
	}
	if dim < 1 {
		return nil, fmt.Errorf("studentt: number of columns is %d, want at least 1", dim)
	}
	if err := k.Check(dim); err != nil {
		return nil, fmt.Errorf("studentt: %w", err)
	}
	d, err := kernels.AsDifferentiable(k)
	if err != nil {
		return nil, fmt.Errorf("studentt: %w", err)
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"Alpha", p.Alpha}, {"Beta", p.Beta}, {"Scale2", p.Scale2}} {
		if !(v.value > 0) || math.IsInf(v.value, 1) {
			return nil, fmt.Errorf("studentt: %s is %v, want a positive number", v.name, v.value)
		}
	}
	if p.Form != NIW && p.Form != Printed {
		return nil, fmt.Errorf("studentt: form is %d, want NIW or Printed", p.Form)
	}
	m := &Model{kernel: d, path: fused.Best(), p: p, dim: dim}
	if _, ok := kernels.AsStationary(k); ok {
		m.constant = true
		m.logJ = m.Evaluator().jacobian(make([]float64, dim), nil)
	}
	return m, nil
}

// Dim returns the number of columns.
func (m *Model) Dim() int { return m.dim }

// Rows returns the number of rows added.
func (m *Model) Rows() int { return m.n }

// Points returns a copy of the rows added, nil if there are none.
func (m *Model) Points() *mat.Dense {
	if m.n == 0 {
		return nil
	}
	return mat.NewDense(m.n, m.dim, append([]float64(nil), m.x...))
}

// Kernel returns the kernel.
func (m *Model) Kernel() kernels.Kernel { return m.kernel }

// AddAll adds all rows of x. On an error, or when ctx ends, the rows added so far stay.
func (m *Model) AddAll(ctx context.Context, x mat.Matrix) error {
	data, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return fmt.Errorf("studentt: %w", err)
	}
	if dim != m.dim {
		return fmt.Errorf("studentt: rows have %s, want %d", rows.Count(dim, "column"), m.dim)
	}
	for i := range n {
		if ctx.Err() != nil {
			return fmt.Errorf("studentt: stopped after %d of %d rows: %w", i, n, context.Cause(ctx))
		}
		if err := m.Add(data[i*dim : (i+1)*dim]); err != nil {
			return err
		}
	}
	return nil
}

// Add adds a row, in O(N²) time: the factor grows by one row. On an error nothing is added.
func (m *Model) Add(x []float64) error {
	if len(x) != m.dim {
		return fmt.Errorf("studentt: row has %s, want %d", rows.Count(len(x), "column"), m.dim)
	}
	for j, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("studentt: column %d of a row is %v, want a finite number", j+1, v)
		}
	}
	if m.beta() == 0 && m.n == 0 { // printed: one row has no scatter
		m.scale = append(m.scale, 0)
	} else {
		b := m.beta() + float64(m.n)
		m.scale = append(m.scale, math.Sqrt(b/(b+1)))
	}
	n := m.n
	k := make([]float64, n+1)
	kernels.Fill(k[:n], m.kernel, m.path, x, m.x, m.dim)
	k[n] = m.kernel.At(x, x)
	sum := 0.0
	for _, v := range k[:n] {
		sum += v
	}
	// K times the new contrast, and then T times that.
	row := make([]float64, n+1)
	s, b := m.scale[n], m.beta()+float64(n)
	for i := range row {
		before := sum
		if i < n {
			before = m.sums[i]
		}
		row[i] = s * k[i]
		if s > 0 && n > 0 {
			row[i] -= s * before / b
		}
	}
	m.contrast(row, row)
	m.solveLower(row[:n])
	d := row[n] + m.p.Scale2
	for _, v := range row[:n] {
		d -= v * v
	}
	if !(d > 0) {
		m.scale = m.scale[:n]
		return fmt.Errorf("studentt: Scale2 is %v, with which row %d cannot be told from those before: "+
			"want more", m.p.Scale2, n+1)
	}
	row[n] = math.Sqrt(d)
	m.l = append(m.l, row...)
	for i, v := range k[:n] {
		m.sums[i] += v
	}
	m.sums = append(m.sums, sum+k[n])
	m.total += 2*sum + k[n]
	m.x = append(m.x, x...)
	m.n++
	return nil
}

// beta is the Beta of the scatter. Centring is its limit at 0.
func (m *Model) beta() float64 {
	if m.p.Form == Printed {
		return 0
	}
	return m.p.Beta
}

// contrast writes T v into dst, which may be v. Row n of T subtracts from element n the mean of the
// earlier ones, including a zero of weight beta, and scales. With b = beta+n-1,
//
//	(Tv)_n = sqrt(b/(b+1)) (v_n - sum_{j<n} v_j/b),
//
// so that T (I + 11'/beta) T' = I. T is lower triangular, so the factor can grow by rows, and it stays
// well scaled for small beta.
func (m *Model) contrast(dst, v []float64) {
	sum := 0.0
	for i, e := range v {
		d := e
		if s := m.scale[i]; s == 0 {
			d = 0
		} else if i > 0 {
			d = s * (e - sum/(m.beta()+float64(i)))
		} else {
			d = s * e
		}
		sum += e
		dst[i] = d
	}
}

// transposed writes T'v into v.
func (m *Model) transposed(v []float64) {
	later := 0.0
	for i := len(v) - 1; i >= 0; i-- {
		e := m.scale[i] * v[i]
		v[i] = e - later
		if i > 0 {
			later += e / (m.beta() + float64(i))
		}
	}
}

// solveLower replaces v by the solution of L u = v, for the first rows of the factor.
func (m *Model) solveLower(v []float64) {
	at := 0
	for i := range v {
		row := m.l[at : at+i+1]
		v[i] = (v[i] - floats.Dot(row[:i], v[:i])) / row[i]
		at += i + 1
	}
}

// solveUpper replaces v by the solution of L'u = v.
func (m *Model) solveUpper(v []float64) {
	at := len(m.l)
	for i := len(v) - 1; i >= 0; i-- {
		at -= i + 1
		row := m.l[at : at+i+1]
		s := v[i] / row[i]
		v[i] = s
		floats.AddScaled(v[:i], -s, row[:i])
	}
}
