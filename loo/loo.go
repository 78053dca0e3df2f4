package loo

import (
	"context"
	"fmt"
	"math"
	"strings"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
)

// Options changes how LOO estimates. The zero value is the default.
type Options struct {
	// Eff is, for each observation, the effective sample size of its likelihood divided by the number
	// of draws. Nil: diagnostics.ESSMean of the likelihood.
	Eff []float64
}

// Result is an estimate of how well a model predicts.
type Result struct {
	Method string  // "PSIS-LOO", "WAIC", "K-fold" or "leave-future-out"
	ELPD   float64 // expected log predictive density, summed over observations
	SE     float64 // its standard error over observations
	P      float64 // effective number of parameters
	PSE    float64 // its standard error
	Points []Point
	Draws  int
	// Warnings are sentences that name the observations they are about.
	Warnings []string
}

// Point is the estimate for one observation.
type Point struct {
	Name string
	ELPD float64
	P    float64 // log density in the full fit, less ELPD
	K    float64 // shape of the tail of the weights: see ParetoKThreshold of package diagnostics
	NEff float64 // effective sample size under the weights
	MCSE float64 // Monte Carlo standard error of ELPD, NaN where K is too large
	Eff  float64 // effective sample size of the likelihood, divided by the number of draws
}

// LOO estimates leave-one-out predictive densities from the log likelihoods of a run. LogLik has one
// column per observation, as Program.LogLik of package model returns it. With S draws it takes
// O(S log S) time per observation.
func LOO(ctx context.Context, logLik *draws.Run, o Options) (*Result, error) {
	m, err := read(logLik)
	if err != nil {
		return nil, err
	}
	if o.Eff != nil && len(o.Eff) != len(m.names) {
		return nil, fmt.Errorf("loo: there are %d values of Eff, want one for each of %d observations",
			len(o.Eff), len(m.names))
	}
	r := &Result{Method: "PSIS-LOO", Draws: m.draws}
	var high []string
	for i, name := range m.names {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("loo: stopped after %d of %d observations: %w", i, len(m.names),
				context.Cause(ctx))
		}
		ll := m.all(i)
		var eff float64
		if o.Eff != nil {
			eff = o.Eff[i]
		} else if eff = m.efficiency(i); math.IsNaN(eff) {
			eff = 1
		}
		if !(eff > 0) {
			return nil, fmt.Errorf("loo: Eff of %s is %v, want a positive number", name, eff)
		}
		ratios := make([]float64, len(ll))
		for s, v := range ll {
			ratios[s] = -v
		}
		w, k := Smooth(ratios, eff)
		p := point(ll, w, eff)
		p.Name, p.K = name, k
		if k > diagnostics.ParetoKThreshold(m.draws) {
			high = append(high, name)
			p.MCSE = math.NaN()
		}
		r.Points = append(r.Points, p)
	}
	r.total()
	if len(high) > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("The Pareto shape is above %.2f for %s: the "+
			"estimates for them, and the sums, are unreliable. Refit without each of them (Refit), or "+
			"think of a model that is less surprised by them.", diagnostics.ParetoKThreshold(m.draws),
			list(high)))
	}
	return r, nil
}

// point is the estimate with normalised log weights.
func point(ll, w []float64, eff float64) Point {
	top := math.Inf(-1)
	for s, v := range ll {
		top = max(top, v+w[s])
	}
	sum, square := 0.0, 0.0
	for s, v := range ll {
		sum += math.Exp(v + w[s] - top)
		square += math.Exp(2 * w[s])
	}
	p := Point{ELPD: top + math.Log(sum), Eff: eff, NEff: eff / square}
	p.P = logMeanExp(ll) - p.ELPD
	variance := 0.0
	for s, v := range ll {
		d := math.Exp(w[s]) * math.Expm1(v-p.ELPD)
		variance += d * d
	}
	p.MCSE = math.Sqrt(math.Log1p(variance / eff))
	return p
}

func logMeanExp(v []float64) float64 {
	top := math.Inf(-1)
	for _, x := range v {
		top = max(top, x)
	}
	if math.IsInf(top, 0) {
		return top
	}
	sum := 0.0
	for _, x := range v {
		sum += math.Exp(x - top)
	}
	return top + math.Log(sum/float64(len(v)))
}

// WAIC returns the widely applicable information criterion on the scale of log densities: the log
// density in the fit less the variance of the log likelihood over draws.
func WAIC(logLik *draws.Run) (*Result, error) {
	m, err := read(logLik)
	if err != nil {
		return nil, err
	}
	r := &Result{Method: "WAIC", Draws: m.draws}
	var high []string
	for i, name := range m.names {
		ll := m.all(i)
		p := Point{Name: name, P: variance(ll), K: math.NaN(), NEff: math.NaN(), MCSE: math.NaN(),
			Eff: math.NaN()}
		p.ELPD = logMeanExp(ll) - p.P
		if p.P > 0.4 {
			high = append(high, name)
		}
		r.Points = append(r.Points, p)
	}
	r.total()
	if len(high) > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("The variance of the log likelihood is above 0.4 for "+
			"%s: WAIC is unreliable. Use LOO.", list(high)))
	}
	return r, nil
}

func variance(v []float64) float64 {
	mean := 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	s := 0.0
	for _, x := range v {
		s += (x - mean) * (x - mean)
	}
	return s / float64(len(v)-1)
}

// total sums up the points.
func (r *Result) total() {
	n := len(r.Points)
	e, p := make([]float64, n), make([]float64, n)
	r.ELPD, r.P = 0, 0
	for i, q := range r.Points {
		e[i], p[i] = q.ELPD, q.P
		r.ELPD += q.ELPD
		r.P += q.P
	}
	r.SE = math.Sqrt(float64(n) * variance(e))
	r.PSE = math.Sqrt(float64(n) * variance(p))
}

// String returns a short table and the warnings.
func (r *Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %d observations from %d draws\n", r.Method, len(r.Points), r.Draws)
	fmt.Fprintf(&b, "elpd %10.2f  standard error %.2f\n", r.ELPD, r.SE)
	if !math.IsNaN(r.P) {
		fmt.Fprintf(&b, "p    %10.2f  standard error %.2f\n", r.P, r.PSE)
	}
	for _, w := range r.Warnings {
		fmt.Fprintln(&b, w)
	}
	return b.String()
}

// list names the first few.
func list(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// matrix is the log likelihoods of a run.
type matrix struct {
	names []string
	run   *draws.Run
	draws int
}

func read(run *draws.Run) (*matrix, error) {
	if run == nil || len(run.Names) == 0 || len(run.Chains) == 0 {
		return nil, fmt.Errorf("loo: there are no log likelihoods")
	}
	m := &matrix{names: run.Names, run: run}
	for c, chain := range run.Chains {
		if n := len(run.Chains[0].Values); len(chain.Values) != n {
			return nil, fmt.Errorf("loo: chain %d has %d draws and the first has %d, want as many",
				c+1, len(chain.Values), n)
		}
		for s, row := range chain.Values {
			if len(row) != len(run.Names) {
				return nil, fmt.Errorf("loo: draw %d of chain %d has %d values, want %d", s+1, c+1, len(row),
					len(run.Names))
			}
			for i, v := range row {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return nil, fmt.Errorf("loo: the log likelihood of %s is %v at draw %d of chain %d, want "+
						"a finite number", run.Names[i], v, s+1, c+1)
				}
			}
		}
		m.draws += len(chain.Values)
	}
	if m.draws < 2 {
		return nil, fmt.Errorf("loo: there are %d draws, want at least 2", m.draws)
	}
	if len(m.names) < 2 {
		return nil, fmt.Errorf("loo: there is one observation, want at least 2")
	}
	return m, nil
}

// all returns the draws of observation i, chain after chain.
func (m *matrix) all(i int) []float64 {
	out := make([]float64, 0, m.draws)
	for _, c := range m.run.Chains {
		for _, row := range c.Values {
			out = append(out, row[i])
		}
	}
	return out
}

// efficiency is the effective sample size of the likelihood of observation i over the number of draws.
func (m *matrix) efficiency(i int) float64 {
	top := math.Inf(-1)
	for _, v := range m.all(i) {
		top = max(top, v)
	}
	chains := make([][]float64, len(m.run.Chains))
	for c, chain := range m.run.Chains {
		for _, row := range chain.Values {
			chains[c] = append(chains[c], math.Exp(row[i]-top))
		}
	}
	return diagnostics.ESSMean(chains) / float64(m.draws)
}
