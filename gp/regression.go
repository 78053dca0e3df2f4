package gp

import (
	"errors"
	"fmt"
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Options says which model is meant. The zero value has the squared exponential kernel with one
// lengthscale.
type Options struct {
	Kernel kernels.Radial // nil means kernels.SE
	ARD    bool           // a lengthscale for each column
}

// Params are the hyperparameters.
type Params struct {
	Signal float64 // standard deviation of the signal
	Noise  float64 // and of the noise
	Theta  []float64
}

// Model is a regression of outputs on rows, before its hyperparameters are known. It does not
// change and may be used by several goroutines.
type Model struct {
	o      Options
	n, dim int
	x, y   []float64
}

// New makes a model of outputs y at the rows of x. The mean of y is taken to be 0.
func New(x mat.Matrix, y []float64, o Options) (*Model, error) {
	data, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return nil, fmt.Errorf("gp: %w", err)
	}
	if len(y) != n {
		return nil, fmt.Errorf("gp: there are %d outputs, want one for each of %d rows", len(y), n)
	}
	if n < 2 {
		return nil, errors.New("gp: there is 1 row, want at least 2")
	}
	if n > MaxRows {
		return nil, fmt.Errorf("gp: there are %d rows, want at most %d", n, MaxRows)
	}
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("gp: output %d is %v, want a finite number", i+1, v)
		}
	}
	if o.Kernel == nil {
		o.Kernel = kernels.SE{}
	}
	if err := o.Kernel.Check(); err != nil {
		return nil, fmt.Errorf("gp: %w", err)
	}
	return &Model{o: o, n: n, dim: dim, x: data, y: append([]float64(nil), y...)}, nil
}

// MaxRows is the largest number of rows: matrices of as many rows and columns are kept.
const MaxRows = 5000

// Lengthscales is their number.
func (m *Model) Lengthscales() int {
	if m.o.ARD {
		return m.dim
	}
	return 1
}

// kernel is that of the signal, but for its variance.
func (m *Model) kernel(p Params) kernels.Kernel {
	return kernels.Stationary{Radial: m.o.Kernel, Theta: p.Theta}
}

// check says what is wrong with hyperparameters.
func (m *Model) check(p Params) error {
	if len(p.Theta) != m.Lengthscales() {
		return fmt.Errorf("gp: there are %d lengthscales, want %d", len(p.Theta), m.Lengthscales())
	}
	if !(p.Signal > 0) || math.IsInf(p.Signal, 1) || !(p.Noise > 0) || math.IsInf(p.Noise, 1) {
		return fmt.Errorf("gp: standard deviations are %v of the signal and %v of the noise, want "+
			"positive numbers", p.Signal, p.Noise)
	}
	if err := m.kernel(p).Check(m.dim); err != nil {
		return fmt.Errorf("gp: %w", err)
	}
	return nil
}

// Regression is a model with its hyperparameters. It does not change.
type Regression struct {
	Params        Params
	LogLikelihood float64 // log p(y)

	m     *Model
	chol  mat.Cholesky // of S
	alpha []float64
}

// At conditions on the outputs.
func (m *Model) At(p Params) (*Regression, error) {
	if err := m.check(p); err != nil {
		return nil, err
	}
	p.Theta = append([]float64(nil), p.Theta...)
	r := &Regression{Params: p, m: m}
	s := mat.NewSymDense(m.n, nil)
	data := s.RawSymmetric().Data
	kernels.Fill(data, m.kernel(p), fused.Best(), m.x, m.x, m.dim)
	for i := range data {
		data[i] *= p.Signal * p.Signal
	}
	for i := range m.n {
		data[i*m.n+i] += p.Noise * p.Noise
	}
	if !r.chol.Factorize(s) {
		return nil, fmt.Errorf("gp: noise is %v beside a signal of %v, with which rows cannot be told "+
			"apart: want more", p.Noise, p.Signal)
	}
	a := mat.NewVecDense(m.n, nil)
	if err := r.chol.SolveVecTo(a, mat.NewVecDense(m.n, m.y)); err != nil && !nearSingular(err) {
		return nil, fmt.Errorf("gp: %w", err)
	}
	r.alpha = a.RawVector().Data
	form := 0.0
	for i, v := range r.alpha {
		form += v * m.y[i]
	}
	r.LogLikelihood = -(form + r.chol.LogDet() + float64(m.n)*math.Log(2*math.Pi)) / 2
	return r, nil
}

// nearSingular reports whether the error is a warning of gonum's that a matrix is near singular.
func nearSingular(err error) bool {
	var c mat.Condition
	return errors.As(err, &c)
}

// Predict returns the mean of the signal at the rows of x, and its variance, in which the noise is
// not.
func (r *Regression) Predict(x mat.Matrix) (mean, variance []float64, err error) {
	data, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return nil, nil, fmt.Errorf("gp: %w", err)
	}
	if dim != r.m.dim {
		return nil, nil, fmt.Errorf("gp: new rows have %d columns, want %d", dim, r.m.dim)
	}
	square := r.Params.Signal * r.Params.Signal
	k := mat.NewDense(n, r.m.n, nil)
	kernels.Fill(k.RawMatrix().Data, r.m.kernel(r.Params), fused.Best(), data, r.m.x, dim)
	k.Scale(square, k)
	var solved mat.Dense
	if err := r.chol.SolveTo(&solved, k.T()); err != nil && !nearSingular(err) {
		return nil, nil, fmt.Errorf("gp: %w", err)
	}
	mean, variance = make([]float64, n), make([]float64, n)
	for i := range n {
		variance[i] = square
		for j, v := range k.RawRowView(i) {
			mean[i] += v * r.alpha[j]
			variance[i] -= v * solved.At(j, i)
		}
		variance[i] = max(variance[i], 0)
	}
	return mean, variance, nil
}

// Residuals returns what is left of the outputs: y less the mean of the signal at their rows.
func (r *Regression) Residuals() []float64 {
	out := make([]float64, r.m.n)
	for i, v := range r.alpha {
		out[i] = r.Params.Noise * r.Params.Noise * v
	}
	return out
}

// LeaveOneOut returns the mean and the variance of each output, noise and all, given the others.
func (r *Regression) LeaveOneOut() (mean, variance []float64, err error) {
	inverse, err := r.inverse()
	if err != nil {
		return nil, nil, err
	}
	mean, variance = make([]float64, r.m.n), make([]float64, r.m.n)
	for i, a := range r.alpha {
		variance[i] = 1 / inverse.At(i, i)
		mean[i] = r.m.y[i] - a*variance[i]
	}
	return mean, variance, nil
}

// inverse is S^-1.
func (r *Regression) inverse() (*mat.SymDense, error) {
	var s mat.SymDense
	if err := r.chol.InverseTo(&s); err != nil && !nearSingular(err) {
		return nil, fmt.Errorf("gp: %w", err)
	}
	return &s, nil
}
