// Package hyper is the posterior density of a few hyperparameters: each lies in an interval and has
// a prior, and a log likelihood with its gradient comes on top. Package model declares anything
// richer.
package hyper

import (
	"errors"
	"fmt"
	"strings"

	"bayeskernel/priors"
)

// Parameter is one hyperparameter, or several values of one name.
type Parameter struct {
	Name string
	// Len is the number of values, called Name[1] to Name[Len]. It is 0 for a single value, called
	// Name.
	Len    int
	Lo, Hi float64      // where every value lies; either may be infinite
	Prior  priors.Prior // of each value; the interval truncates it, its constant stays as it was
}

// count is the number of values.
func (p *Parameter) count() int { return max(p.Len, 1) }

// interval is the map of the sampler's space onto the values.
func (p *Parameter) interval() priors.Interval { return priors.Interval{Lo: p.Lo, Hi: p.Hi} }

// check compares the interval with the support of the prior.
func (p *Parameter) check() error {
	if err := p.Prior.Check(); err != nil {
		return fmt.Errorf("%s: %s", p.Name, strings.TrimPrefix(err.Error(), "priors: "))
	}
	// A sampler that follows gradients would run into the walls of a narrower prior.
	if lo, hi := p.Prior.Support(); !(lo <= p.Lo && p.Hi <= hi) {
		return fmt.Errorf("%s: the prior %v is confined to (%v, %v) but the parameter to (%v, %v), "+
			"want a prior that covers the parameter's interval", p.Name, p.Prior, lo, hi, p.Lo, p.Hi)
	}
	return nil
}

// Likelihood returns the log likelihood at the values v and writes its gradient into grad, which
// comes zeroed. It must neither change nor keep v or grad.
type Likelihood func(v, grad []float64) float64

// Space is a list of parameters, checked.
type Space struct {
	parameters []Parameter
	names      []string
	kernels    []func(x float64) (logp, dlogp float64) // of the priors, one a parameter
	logNorm    float64                                 // all the constants of the priors
}

// NewSpace returns the space of the parameters, or an error that lists everything wrong with them
// in one line. The caller adds its package's name.
func NewSpace(parameters []Parameter) (*Space, error) {
	s := &Space{parameters: parameters}
	var wrong []string
	for _, p := range parameters {
		if err := p.check(); err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		kernel, logNorm := priors.Split(p.Prior)
		s.kernels = append(s.kernels, kernel)
		s.logNorm += float64(p.count()) * logNorm
		if p.Len == 0 {
			s.names = append(s.names, p.Name)
		}
		for i := range p.Len {
			s.names = append(s.names, fmt.Sprintf("%s[%d]", p.Name, i+1))
		}
	}
	if wrong != nil {
		return nil, errors.New(strings.Join(wrong, "; "))
	}
	return s, nil
}

// Posterior returns a chain's density: priors, change of variables, and a log likelihood unless it is
// nil.
func (s *Space) Posterior(likelihood Likelihood) *Posterior {
	n := len(s.names)
	work := make([]float64, 3*n)
	return &Posterior{s, likelihood, work[:n:n], work[n : 2*n : 2*n], work[2*n:]}
}

// Unconstrain returns the point of the sampler's space behind the values v.
func (s *Space) Unconstrain(v []float64) ([]float64, error) {
	x := make([]float64, len(s.names))
	if len(v) != len(x) {
		return nil, fmt.Errorf("number of values is %d, want %d", len(v), len(x))
	}
	from := 0
	for _, p := range s.parameters {
		to := from + p.count()
		if err := p.interval().Unconstrain(x[from:to], v[from:to]); err != nil {
			return nil, fmt.Errorf("%s: %s", p.Name, strings.TrimPrefix(err.Error(), "priors: "))
		}
		from = to
	}
	return x, nil
}
