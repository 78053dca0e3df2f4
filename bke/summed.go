package bke

import (
	"errors"
	"fmt"
	"math"

	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Window has the sums over rows at Chebyshev points between two values of log theta, the points
// being (From+To)/2 + (To-From)/2 cos(pi j/N), j = 0 … N.
type Window struct {
	From, To float64 // of log theta
	// Values are, for each point: the mean of k(x, z_l) for each pseudo-input, the log of the mean
	// over the rows of sum_l (k(x, z_l) - that mean)², and the mean of log gamma.
	Values [][]float64
}

// Summed describes rows that are not in memory.
type Summed struct {
	N        int     // rows
	PooledSD float64 // root mean variance over the columns
	Windows  []Window
}

// NewSummed makes a model from sums over the rows, in windows of log theta. Sample has some of the
// rows. They serve where an approximation is enough: for ranges, warnings, and the fraction of rows
// far from all pseudo-inputs. Outside the windows the log pseudolikelihood is unknown and counts as
// -Inf. Learn looks for modes inside. The kernel is the squared exponential with one lengthscale.
func NewSummed(sample, z mat.Matrix, o Options, s Summed) (*Model, error) {
	if o.ARD {
		return nil, errors.New("bke: a lengthscale for each column was asked for, want one with sums " +
			"of rows: a grid in several lengthscales would be too large")
	}
	if _, se := o.Kernel.(kernels.SE); o.Kernel != nil && !se {
		return nil, fmt.Errorf("bke: kernel is %v, want se with sums of rows", o.Kernel)
	}
	m, err := NewModel(sample, z, o)
	if err != nil {
		return nil, err
	}
	if m.plane != nil {
		return nil, fmt.Errorf("bke: the columns have %s, want independent ones with sums of rows: "+
			"leave out columns that say nothing new", m.plane.Finding())
	}
	if s.N < 2 || !(s.PooledSD > 0) {
		return nil, fmt.Errorf("bke: sums are of %d rows with a pooled sd of %v, want at least 2 rows "+
			"and a positive sd", s.N, s.PooledSD)
	}
	if len(s.Windows) == 0 {
		return nil, errors.New("bke: sums have no windows of theta, want at least 1")
	}
	m.n, m.pooledSD = s.N, s.PooledSD
	last := math.Inf(-1)
	for _, w := range s.Windows {
		t, err := w.table(m.m)
		if err != nil {
			return nil, err
		}
		if !(w.From > last) {
			return nil, errors.New("bke: windows of theta overlap, want them apart, in increasing order")
		}
		last = w.To
		m.windows = append(m.windows, t)
	}
	return m, nil
}

// table returns the polynomials through the values.
func (w *Window) table(m int) (*table, error) {
	if len(w.Values) < 4 || !(w.From < w.To) || math.IsInf(w.To-w.From, 0) {
		return nil, fmt.Errorf("bke: window of log theta goes from %v to %v with %d points, want an "+
			"increasing range and at least 4", w.From, w.To, len(w.Values))
	}
	for _, v := range w.Values {
		if len(v) != m+2 {
			return nil, fmt.Errorf("bke: window of log theta has %d values at a point, want %d", len(v),
				m+2)
		}
		for _, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("bke: sums over the rows are %v at a theta between %.4g and %.4g, "+
					"want finite numbers", x, math.Exp(w.From), math.Exp(w.To))
			}
		}
	}
	return &table{lo: w.From, hi: w.To, coef: chebyshev(w.Values)}, nil
}

// Remainder returns the larger of the last two coefficients of the polynomial for the mean of log
// gamma in the window, as an estimate of its error per row.
func (w *Window) Remainder() float64 {
	if len(w.Values) < 4 {
		return math.Inf(1)
	}
	last := len(w.Values[0]) - 1
	one := make([][]float64, len(w.Values))
	for j, v := range w.Values {
		one[j] = v[last:]
	}
	c := chebyshev(one)
	return max(math.Abs(c[len(c)-1][0]), math.Abs(c[len(c)-2][0]))
}

// held returns the number of rows in memory: N, or fewer for a model made by NewSummed.
func (m *Model) held() int { return len(m.x) / m.dim }

// summedPass takes the sums from windows.
type summedPass struct {
	model *Model
	sums
	value, slope []float64
}

func newSummedPass(m *Model) *summedPass {
	return &summedPass{model: m, sums: newSums(m.m, 1), value: make([]float64, m.m+2),
		slope: make([]float64, m.m+2)}
}

func (p *summedPass) run(theta []float64, _ bool) *sums {
	u := math.Log(theta[0])
	w := p.model.window(u)
	if w == nil {
		for l := range p.muhat {
			p.muhat[l], p.dmuhat[l] = math.NaN(), math.NaN()
		}
		p.spread, p.logGamma = math.NaN(), math.NaN()
		p.dspread[0], p.dlog[0] = math.NaN(), math.NaN()
		return &p.sums
	}
	half, m, n := (w.hi-w.lo)/2, len(p.muhat), float64(p.model.n)
	w.interpolate(p.value, p.slope, min(max((u-(w.lo+w.hi)/2)/half, -1), 1))
	copy(p.muhat, p.value[:m])
	p.spread, p.logGamma = n*math.Exp(p.value[m]), n*p.value[m+1]
	for l := range m {
		p.dmuhat[l] = p.slope[l] / half
	}
	p.dspread[0], p.dlog[0] = p.spread*p.slope[m]/half, n*p.slope[m+1]/half
	return &p.sums
}

// window returns the window that contains log theta, up to rounding, or nil.
func (m *Model) window(u float64) *table {
	const rounding = 1e-12
	for _, w := range m.windows {
		if u >= w.lo-rounding && u <= w.hi+rounding {
			return w
		}
	}
	return nil
}

// windowRange is the range of log theta from the first window to the last.
func (m *Model) windowRange() (lo, hi float64) {
	return m.windows[0].lo, m.windows[len(m.windows)-1].hi
}
