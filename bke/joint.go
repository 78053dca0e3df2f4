package bke

import (
	"context"
	"fmt"
	"math"
)

// joint holds what the covariance of the pseudo-inputs gives to the log pseudolikelihood, log det A + muhat'A^-1 muhat,
// as a polynomial in log theta and log tau2: an evaluation then needs no factor of A, which costs O(m³).
type joint struct {
	lo, hi [2]float64 // of log theta and log tau2
	n      int        // the degree in each
	coef   []float64  // of T_i(x) T_j(y) at i (n+1) + j
}

// jointError is the largest error of the log pseudolikelihood at points between the nodes, in nats, and jointDegree
// the highest degree tried.
const (
	jointError  = 1e-8
	jointDegree = 32
)

// Box are bounds of theta and tau2.
type Box struct{ ThetaMin, ThetaMax, Tau2Min, Tau2Max float64 }

// TabulateCovariance lets new evaluators interpolate what the covariance of the pseudo-inputs gives to gradients, for
// theta and tau2 within a box; elsewhere, and in Value, it is computed as before. It reports false and changes nothing if
// other parameters than one theta and tau2 are free, or if no polynomial of moderate degree is within 1e-8 nats. It
// costs some hundred evaluations. Do not call it while other goroutines use the model.
//
// The function is analytic in both, as the sums of Tabulate are; the gradient is that of the interpolant.
func (m *Model) TabulateCovariance(ctx context.Context, b Box) (bool, error) {
	for _, r := range [][2]float64{{b.ThetaMin, b.ThetaMax}, {b.Tau2Min, b.Tau2Max}} {
		if !(r[0] > 0 && r[0] < r[1]) || math.IsInf(r[1], 1) {
			return false, fmt.Errorf("bke: theta or tau2 is to be tabulated from %v to %v, want positive numbers in "+
				"increasing order", r[0], r[1])
		}
	}
	if m.thetas() > 1 || !m.freeTau2() || m.freeEta() || m.joint != nil {
		return false, nil
	}
	e := m.Evaluator()
	e.stopAt(ctx.Done())
	t := &joint{lo: [2]float64{math.Log(b.ThetaMin), math.Log(b.Tau2Min)}, hi: [2]float64{math.Log(b.ThetaMax), math.Log(b.Tau2Max)}}
	node := func(i, n, axis int) float64 {
		return (t.lo[axis] + t.hi[axis] + math.Cos(math.Pi*float64(i)/float64(n))*(t.hi[axis]-t.lo[axis])) / 2
	}
	var values [][]float64 // at node i of theta and node j of tau2
	for n := 4; n <= jointDegree; n *= 2 {
		next, worst := make([][]float64, n+1), 0.0
		for i := range next {
			next[i] = make([]float64, n+1)
			p := Params{Theta: []float64{math.Exp(node(i, n, 0))}, Tau2: math.NaN()}
			var s *sums
			for j := range next[i] {
				if values != nil && i%2 == 0 && j%2 == 0 {
					next[i][j] = values[i/2][j/2]
					continue
				}
				p.Tau2 = math.Exp(node(j, n, 1))
				p, ok := m.resolve(p)
				if !ok {
					return false, nil
				}
				if s == nil {
					s = e.sums(p, false)
					if err := stopped(ctx, "the table of the covariance"); err != nil {
						return false, err
					}
				}
				next[i][j] = e.covariance(s, p)
				if values != nil {
					got, _, _ := t.at(node(i, n, 0), node(j, n, 1))
					worst = math.Max(worst, math.Abs(got-next[i][j])) // NaN stays
				}
			}
		}
		good := values != nil && m.opts.Weight*worst/2 <= jointError
		values = next
		t.n, t.coef = n, chebyshev2(values)
		if good {
			m.joint = t
			return true, nil
		}
	}
	return false, nil
}

// covariance is log det A + muhat'A^-1 muhat.
func (e *Evaluator) covariance(s *sums, p Params) float64 {
	e.cov.factor(p, p.Tau2/float64(e.model.n))
	e.cov.solve(s.muhat)
	return float64(e.model.m)*e.cov.logS + e.cov.logDet + e.cov.quad
}

// chebyshev2 returns the coefficients of the polynomial through values at tensor nodes, axis by axis.
func chebyshev2(values [][]float64) []float64 {
	n := len(values)
	rows := chebyshev(values) // in the first axis; the second is still in values
	turned := make([][]float64, n)
	for j := range turned {
		turned[j] = make([]float64, n)
		for i := range rows {
			turned[j][i] = rows[i][j]
		}
	}
	out := make([]float64, n*n)
	for j, c := range chebyshev(turned) {
		for i, v := range c {
			out[i*n+j] = v
		}
	}
	return out
}

// holds reports whether a point is in the table.
func (t *joint) holds(u, v float64) bool {
	return u >= t.lo[0] && u <= t.hi[0] && v >= t.lo[1] && v <= t.hi[1]
}

// at returns the function at log theta u and log tau2 v, and its derivatives in them.
func (t *joint) at(u, v float64) (value, du, dv float64) {
	n := t.n + 1
	var tx, ty, dx, dy [jointDegree + 1]float64
	halfU, halfV := (t.hi[0]-t.lo[0])/2, (t.hi[1]-t.lo[1])/2
	polynomials(tx[:n], dx[:n], (u-(t.lo[0]+t.hi[0])/2)/halfU)
	polynomials(ty[:n], dy[:n], (v-(t.lo[1]+t.hi[1])/2)/halfV)
	for i := range n {
		a, b := 0.0, 0.0
		for j, c := range t.coef[i*n : (i+1)*n] {
			a += float64(c * ty[j])
			b += float64(c * dy[j])
		}
		value += float64(tx[i] * a)
		du += float64(dx[i] * a)
		dv += float64(tx[i] * b)
	}
	return value, du / halfU, dv / halfV
}

// polynomials writes T_k(x) and their derivatives k U_{k-1}(x).
func polynomials(value, slope []float64, x float64) {
	t0, t1 := 1.0, x
	u0, u1 := 0.0, 1.0
	for k := range value {
		value[k], slope[k] = t0, float64(k)*u0
		t0, t1 = t1, float64(2*x*t1)-t0
		u0, u1 = u1, float64(2*x*u1)-u0
	}
}
