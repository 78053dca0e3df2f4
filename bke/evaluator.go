package bke

import (
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/floats"
)

// Evaluator computes the log pseudolikelihood of a model and its gradient. It owns a workspace, so
// each goroutine needs its own. Calls do not allocate, except the first that needs 32 digits (see
// DERIVATION.md, part 3). Calls that take a millisecond or more use all processors that GOMAXPROCS
// allows. The result is identical to the last bit for any number of processors. With n rows, m
// pseudo-inputs and D columns a call costs O(nm) in one column, O(nmD²) in more, and O(m³) for the
// prior covariance.
type Evaluator struct {
	model *Model
	pass  interface {
		run(theta []float64, grad bool) *sums
	}
	cov   *covariance
	tr    traces
	joint *joint // of the model, for Gradient
}

// Evaluator makes a workspace.
func (m *Model) Evaluator() *Evaluator {
	e := &Evaluator{
		model: m,
		cov:   newCovariance(m),
		tr:    traces{theta: make([]float64, m.thetas())},
	}
	e.joint = m.joint
	_, se := m.opts.Kernel.(kernels.SE) // the kernel of package fused
	switch {
	case m.windows != nil:
		e.pass = newSummedPass(m)
	case se && m.dim == 1:
		e.pass = newLinePass(m)
	case se && m.dim <= fused.MaxDim:
		e.pass = newGramPass(m)
	default:
		e.pass = newRowPass(m)
	}
	if m.table != nil {
		e.pass = newTablePass(m, e.pass)
	}
	return e
}

// stopAt makes evaluations end early once stop is closed: within a row in more than three
// dimensions, otherwise within a block of rows. Their results are then invalid, so the caller
// checks stop after each.
func (e *Evaluator) stopAt(stop <-chan struct{}) { stopPass(e.pass, stop) }

func stopPass(pass any, stop <-chan struct{}) {
	switch p := pass.(type) {
	case *tablePass:
		stopPass(p.exact, stop)
	case *linePass:
		p.blocks.Stop = stop
	case *gramPass:
		p.blocks.Stop = stop
	case *rowPass:
		p.blocks.Stop = stop
	}
}

// Value returns the two parts of the log pseudolikelihood, unweighted and with all their constants:
// log N(vec K'; 0, 1 1' (x) R + tau2 I) and the sum of log gamma. If the model fixes tau2 or eta,
// its value overrides the one in p. Both parts are NaN if a parameter is not positive and finite.
func (e *Evaluator) Value(p Params) (gaussian, jacobian float64) {
	p, ok := e.model.resolve(p)
	if !ok {
		return math.NaN(), math.NaN()
	}
	s := e.sums(p, false)
	return e.gaussian(s, p), s.logGamma
}

// Gradient returns the weighted log pseudolikelihood and writes its derivatives into dst, in the
// order of Model.Free and in the logarithms of the parameters. They are not meaningful if the value
// is not finite.
func (e *Evaluator) Gradient(dst []float64, p Params) float64 {
	mod := e.model
	thetas := mod.thetas()
	want := thetas
	if mod.freeTau2() {
		want++
	}
	if mod.freeEta() {
		want++
	}
	if len(dst) != want {
		panic("bke: Gradient: length of dst is not the number of free parameters")
	}
	p, ok := mod.resolve(p)
	if !ok {
		return math.NaN()
	}
	s := e.sums(p, true)
	if e.joint != nil {
		if u, v := math.Log(p.Theta[0]), math.Log(p.Tau2); e.joint.holds(u, v) {
			return e.tabulated(dst, s, p, u, v)
		}
	}
	return e.gradient(dst, s, p)
}

// gradient is Gradient at resolved parameters, from the sums at their lengthscales.
func (e *Evaluator) gradient(dst []float64, s *sums, p Params) float64 {
	mod, thetas := e.model, e.model.thetas()
	value := e.gaussian(s, p)*mod.opts.Weight + s.logGamma
	e.cov.traces(&e.tr)

	e.gradTheta(dst[:thetas], s, p)
	for a, d := range s.dlog {
		dst[a] = mod.opts.Weight*dst[a] + d
	}
	next := thetas
	if mod.freeTau2() {
		dst[next] = mod.opts.Weight * e.gradTau2(s, p)
		next++
	}
	if mod.freeEta() {
		dst[next] = mod.opts.Weight * -e.tr.eta / 2
	}
	return value
}

// tabulated is gradient with what the covariance gives from a table.
func (e *Evaluator) tabulated(dst []float64, s *sums, p Params, logTheta, logTau2 float64) float64 {
	n, m, w := float64(e.model.n), float64(e.model.m), e.model.opts.Weight
	value, du, dv := e.joint.at(logTheta, logTau2)
	dst[0] = s.dlog[0] - w*(du+s.dspread[0]/p.Tau2)/2
	dst[1] = -w * (dv + m*(n-1) - s.spread/p.Tau2) / 2
	return s.logGamma - w*(value+m*math.Log(n)+m*(n-1)*math.Log(p.Tau2)+s.spread/p.Tau2+m*n*math.Log(2*math.Pi))/2
}

// sums runs the pass over the rows. It computes the terms of the gradient only if grad is set.
func (e *Evaluator) sums(p Params, grad bool) *sums {
	return e.pass.run(p.Theta, grad)
}

// gaussian is log N as in section 3 of DERIVATION.md.
func (e *Evaluator) gaussian(s *sums, p Params) float64 {
	n, m := float64(e.model.n), float64(e.model.m)
	e.cov.factor(p, p.Tau2/n)
	e.cov.solve(s.muhat)
	return -(m*e.cov.logS + e.cov.logDet + m*math.Log(n) + m*(n-1)*math.Log(p.Tau2) +
		e.cov.quad + s.spread/p.Tau2 + m*n*math.Log(2*math.Pi)) / 2
}

// gradTheta writes the derivatives of log N in the log lengthscales.
func (e *Evaluator) gradTheta(dst []float64, s *sums, p Params) {
	m := e.model.m
	for k := range dst {
		dmuhat := s.dmuhat[k*m : (k+1)*m]
		dst[k] = -(e.tr.theta[k] + 2*floats.Dot(e.cov.alpha, dmuhat)*e.cov.invS +
			s.dspread[k]/p.Tau2) / 2
	}
}

// gradTau2 is the derivative of log N in log tau2.
func (e *Evaluator) gradTau2(s *sums, p Params) float64 {
	n, m := float64(e.model.n), float64(e.model.m)
	return -(e.cov.b*e.tr.trace + m*(n-1) - s.spread/p.Tau2) / 2
}
