package gp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// LearnOptions says where maxima are looked for. Lengthscales are between Shortest and Longest. The
// noise is between a ten-thousandth of the root mean square of y and that itself, and the signal is
// up to a hundred times that.
type LearnOptions struct {
	// Starts are the lengthscales of the climbs, in units of the standard deviation of each column;
	// nil means 0.1, 0.5 and 2.
	Starts []float64
	// Shortest and Longest bound the lengthscales, in the same units; 0 means 0.01 and 100.
	Shortest, Longest float64
	Iterations        int // of each climb, 200 if zero
}

// Fit is what was learned.
type Fit struct {
	*Regression        // at the highest maximum
	Maxima      []Mode // that were found, the highest first
}

// Mode is a maximum of the log likelihood.
type Mode struct {
	Params        Params
	LogLikelihood float64
	// AtBound reports that a bound of the search holds a parameter there.
	AtBound bool
}

// Learn finds maxima of the log marginal likelihood by L-BFGS from several lengthscales.
func (m *Model) Learn(ctx context.Context, s LearnOptions) (*Fit, error) {
	if s.Starts == nil {
		s.Starts = []float64{0.1, 0.5, 2}
	}
	if s.Shortest == 0 {
		s.Shortest = 0.01
	}
	if s.Longest == 0 {
		s.Longest = 100
	}
	if s.Iterations == 0 {
		s.Iterations = 200
	}
	if !(s.Shortest > 0) || !(s.Longest > s.Shortest) || s.Iterations < 1 || len(s.Starts) == 0 {
		return nil, fmt.Errorf("gp: the search has %d starts, lengthscales from %v to %v and %d "+
			"iterations, want a start, positive bounds in order and an iteration", len(s.Starts),
			s.Shortest, s.Longest, s.Iterations)
	}
	b, err := m.box(s)
	if err != nil {
		return nil, err
	}
	f := new(Fit)
	for _, start := range s.Starts {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("gp: %w", context.Cause(ctx))
		}
		u := b.start(start)
		if !m.climb(u, b, s.Iterations) {
			continue
		}
		r, err := m.At(params(u))
		if err != nil {
			continue
		}
		f.add(Mode{r.Params, r.LogLikelihood, b.holds(u)})
	}
	if len(f.Maxima) == 0 {
		return nil, errors.New("gp: no climb found a maximum of the likelihood")
	}
	f.Regression, err = m.At(f.Maxima[0].Params)
	return f, err
}

// add keeps a maximum in order unless it is there already.
func (f *Fit) add(m Mode) {
	for _, k := range f.Maxima {
		if math.Abs(k.LogLikelihood-m.LogLikelihood) < 1e-4*(1+math.Abs(m.LogLikelihood)) &&
			math.Abs(math.Log(k.Params.Theta[0]/m.Params.Theta[0])) < 0.05 {
			return
		}
	}
	f.Maxima = append(f.Maxima, m)
	slices.SortStableFunc(f.Maxima, func(a, b Mode) int {
		switch {
		case a.LogLikelihood > b.LogLikelihood:
			return -1
		case a.LogLikelihood < b.LogLikelihood:
			return 1
		}
		return 0
	})
}

// box is where a climb stays, in logarithms, and the units of the lengthscales.
type box struct {
	lo, hi, unit []float64
	size         float64 // root mean square of y
}

// Units returns the root mean square of the outputs and the standard deviation of each
// lengthscale's columns.
func (m *Model) Units() (outputs float64, columns []float64, err error) {
	for _, v := range m.y {
		outputs += v * v / float64(m.n)
	}
	outputs = math.Sqrt(outputs)
	if !(outputs > 0) {
		return 0, nil, errors.New("gp: all outputs are 0, want some that vary")
	}
	for a := range m.Lengthscales() {
		unit := m.spread(a)
		if !(unit > 0) {
			return 0, nil, fmt.Errorf("gp: column %d of x is constant, want one that varies", a+1)
		}
		columns = append(columns, unit)
	}
	return outputs, columns, nil
}

func (m *Model) box(s LearnOptions) (b box, err error) {
	if b.size, b.unit, err = m.Units(); err != nil {
		return b, err
	}
	b.lo = []float64{math.Log(b.size * 1e-3), math.Log(b.size * 1e-4)}
	b.hi = []float64{math.Log(b.size * 100), math.Log(b.size)}
	for _, unit := range b.unit {
		b.lo = append(b.lo, math.Log(unit*s.Shortest))
		b.hi = append(b.hi, math.Log(unit*s.Longest))
	}
	return b, nil
}

// spread is the standard deviation of column a, or the root mean square of those of all columns
// where they share a lengthscale.
func (m *Model) spread(a int) float64 {
	sum := 0.0
	columns := []int{a}
	if !m.o.ARD {
		columns = columns[:0]
		for c := range m.dim {
			columns = append(columns, c)
		}
	}
	for _, c := range columns {
		mean, square := 0.0, 0.0
		for i := range m.n {
			mean += m.x[i*m.dim+c] / float64(m.n)
		}
		for i := range m.n {
			d := m.x[i*m.dim+c] - mean
			square += d * d / float64(m.n-1)
		}
		sum += square / float64(len(columns))
	}
	return math.Sqrt(sum)
}

// start has the lengthscale in units of the columns, and noise a third of the outputs.
func (b box) start(lengthscale float64) []float64 {
	u := []float64{math.Log(b.size), math.Log(b.size / 3)}
	for _, unit := range b.unit {
		u = append(u, math.Log(lengthscale*unit))
	}
	for i := range u {
		u[i] = min(max(u[i], b.lo[i]), b.hi[i])
	}
	return u
}

// holds reports whether u is at a bound.
func (b box) holds(u []float64) bool {
	for i, v := range u {
		if near := 1e-3 * (b.hi[i] - b.lo[i]); v-b.lo[i] < near || b.hi[i]-v < near {
			return true
		}
	}
	return false
}

// climb moves u uphill inside the box, by L-BFGS in coordinates without bounds: u = lo + (hi-lo)(1
// + tanh v)/2. It reports whether it came to an end.
func (m *Model) climb(u []float64, b box, iterations int) bool {
	d := len(u)
	at, grad := make([]float64, d), make([]float64, d)
	inside := func(v []float64) {
		for i := range v {
			at[i] = b.lo[i] + (b.hi[i]-b.lo[i])*(1+math.Tanh(v[i]))/2
		}
	}
	var last []float64 // where r is
	var r *Regression
	evaluate := func(v []float64) bool {
		if !slices.Equal(v, last) {
			last = append(last[:0], v...)
			inside(v)
			r, _ = m.At(params(at))
		}
		return r != nil
	}
	problem := optimize.Problem{
		Func: func(v []float64) float64 {
			if !evaluate(v) {
				return math.Inf(1)
			}
			return -r.LogLikelihood
		},
		Grad: func(dst, v []float64) {
			if !evaluate(v) || r.Gradient(grad) != nil {
				clear(dst)
				return
			}
			for i := range dst {
				c := math.Cosh(v[i])
				dst[i] = -grad[i] * (b.hi[i] - b.lo[i]) / (2 * c * c)
			}
		},
	}
	v := make([]float64, d)
	for i := range v {
		t := 2*(u[i]-b.lo[i])/(b.hi[i]-b.lo[i]) - 1
		v[i] = math.Atanh(min(max(t, -0.999), 0.999))
	}
	settings := &optimize.Settings{MajorIterations: iterations, FuncEvaluations: 10 * iterations,
		Converger: &optimize.FunctionConverge{Absolute: 1e-11, Relative: 1e-13, Iterations: 3}}
	// How the climb ended does not matter: a line search that gains no more is at the top.
	result, _ := optimize.Minimize(problem, v, settings,
		&optimize.LBFGS{GradStopThreshold: math.NaN()})
	if result == nil || math.IsInf(result.F, 0) || math.IsNaN(result.F) {
		return false
	}
	inside(result.X)
	copy(u, at)
	return true
}
