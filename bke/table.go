package bke

import (
	"context"
	"fmt"
	"math"
)

// table holds the sums over the rows as functions of one lengthscale. They are polynomials in log
// theta, so an evaluation needs no pass over the rows.
type table struct {
	lo, hi float64     // of log theta
	coef   [][]float64 // of the Chebyshev polynomials: muhat, spread, logGamma for each degree
}

// The largest errors of a table at points between its nodes. Together they change the log
// pseudolikelihood by about 1e-8 nats.
const (
	tableMuhat    = 1e-12
	tableSpread   = 1e-12 // of its value
	tableLogGamma = 1e-8
	tableDegree   = 128 // the highest
)

// Tabulate lets new evaluators interpolate the sums over the rows for theta between two bounds,
// instead of passing over the rows in each call. Outside the bounds they pass over the rows as
// before. It reports false and changes nothing if there is more than one lengthscale, or if no
// polynomial of moderate degree reproduces the log pseudolikelihood to about 1e-8 nats. It costs
// some dozens of passes. Do not call it while other goroutines use the model.
//
// The sums are analytic in log theta, so that the error of interpolation in the Chebyshev points
// falls geometrically in the degree (Trefethen, Approximation Theory and Approximation Practice,
// 2013, chapter 8). The gradient is the gradient of the interpolant, so samplers conserve its
// energy.
func (m *Model) Tabulate(ctx context.Context, from, to float64) (bool, error) {
	if !(from > 0 && from < to) || math.IsInf(to, 1) {
		return false, fmt.Errorf("bke: theta is to be tabulated from %v to %v, want positive numbers in "+
			"increasing order", from, to)
	}
	if m.thetas() > 1 || m.table != nil || m.windows != nil {
		return false, nil
	}
	e := m.Evaluator()
	e.stopAt(ctx.Done())
	t := &table{lo: math.Log(from), hi: math.Log(to)}
	at := func(x float64) ([]float64, error) {
		s := e.pass.run([]float64{math.Exp((t.lo + t.hi + x*(t.hi-t.lo)) / 2)}, false)
		v := append(append(make([]float64, 0, m.m+2), s.muhat...), s.spread, s.logGamma)
		return v, stopped(ctx, "the table of sums over the rows")
	}
	var values [][]float64 // at cos(pi j/n)
	for n := 8; n <= tableDegree; n *= 2 {
		next := make([][]float64, n+1)
		worst := 0.0
		for j := range next {
			if values != nil && j%2 == 0 {
				next[j] = values[j/2]
				continue
			}
			x := math.Cos(math.Pi * float64(j) / float64(n))
			var err error
			if next[j], err = at(x); err != nil {
				return false, err
			}
			if values != nil {
				worst = max(worst, t.error(x, next[j]))
			}
		}
		good := values != nil && worst <= 1
		values = next
		t.coef = chebyshev(values)
		if good {
			m.table = t
			return true, nil
		}
	}
	return false, nil
}

// error is the largest ratio of an error of the sums at x in [-1, 1] to its tolerance. NaN and
// infinite sums count as above tolerance.
func (t *table) error(x float64, want []float64) float64 {
	value, slope := make([]float64, len(want)), make([]float64, len(want))
	t.interpolate(value, slope, x)
	worst := 0.0
	for i, v := range want {
		allowed := tableMuhat
		switch len(want) - i {
		case 2:
			allowed = tableSpread * math.Abs(v)
		case 1:
			allowed = tableLogGamma
		}
		if d := math.Abs(value[i] - v); !(d <= allowed) {
			worst = max(worst, 2, d/allowed)
		}
	}
	return worst
}

// chebyshev returns the coefficients of the polynomials through values at cos(pi j/n), j = 0 … n.
func chebyshev(values [][]float64) [][]float64 {
	n := len(values) - 1
	coef := make([][]float64, n+1)
	for k := range coef {
		coef[k] = make([]float64, len(values[0]))
		for j, v := range values {
			w := 2 / float64(n) * math.Cos(math.Pi*float64(j*k%(2*n))/float64(n))
			if j == 0 || j == n {
				w /= 2
			}
			if k == 0 || k == n {
				w /= 2
			}
			for i := range v {
				coef[k][i] += w * v[i]
			}
		}
	}
	return coef
}

// interpolate writes the sums at x in [-1, 1] and their derivatives in x.
func (t *table) interpolate(value, slope []float64, x float64) {
	clear(value)
	clear(slope)
	// T_k and U_k, with T_k' = k U_{k-1}.
	t0, t1 := 1.0, x
	u0, u1 := 0.0, 1.0 // U_{-1}, U_0
	for k, c := range t.coef {
		tk, d := t0, float64(k)*u0
		for i, v := range c {
			value[i] += v * tk
			slope[i] += v * d
		}
		t0, t1 = t1, 2*x*t1-t0
		u0, u1 = u1, 2*x*u1-u0
	}
}

// tablePass takes the sums from a table where it has them.
type tablePass struct {
	*table
	sums
	exact        interface{ run([]float64, bool) *sums }
	value, slope []float64
}

func newTablePass(m *Model, exact interface{ run([]float64, bool) *sums }) *tablePass {
	return &tablePass{table: m.table, sums: newSums(m.m, 1), exact: exact,
		value: make([]float64, m.m+2), slope: make([]float64, m.m+2)}
}

func (p *tablePass) run(theta []float64, grad bool) *sums {
	u := math.Log(theta[0])
	if !(u >= p.lo && u <= p.hi) {
		return p.exact.run(theta, grad)
	}
	half := (p.hi - p.lo) / 2
	p.interpolate(p.value, p.slope, (u-(p.lo+p.hi)/2)/half)
	m := len(p.muhat)
	copy(p.muhat, p.value[:m])
	p.spread, p.logGamma = max(p.value[m], 0), p.value[m+1]
	for l := range m {
		p.dmuhat[l] = p.slope[l] / half
	}
	p.dspread[0], p.dlog[0] = p.slope[m]/half, p.slope[m+1]/half
	return &p.sums
}
