package record

import (
	"math"
)

// Chain evaluates a program for one chain: it keeps the last recordings, and records anew where a guard
// comes out otherwise. It is not safe for use by several goroutines.
type Chain struct {
	p     *Program
	kept  []*recording // the last used first
	names []string
	why   error // why the last point was rejected
}

// recording is a tape with what it computes.
type recording struct {
	t      *Tape
	roots  []Real // terms of the log density
	values []Real // parameters and transformed parameters
}

// keep is how many recordings a chain has; programs whose guards change at every step are recorded at every
// step.
const keep = 8

// NewChain returns an evaluator.
func (p *Program) NewChain() *Chain { return &Chain{p: p} }

// at returns a recording replayed at u, nil where the program rejects it.
func (c *Chain) at(u []float64) (*recording, error) {
	for k, r := range c.kept {
		if r.t.replay(u) {
			copy(c.kept[1:k+1], c.kept[:k])
			c.kept[0] = r
			return r, nil
		}
	}
	run, err := c.p.recorded(u, true)
	if err != nil {
		return nil, err
	}
	r := &recording{t: run.t, roots: append(run.target, run.jac...)}
	c.names, r.values = run.flat()
	c.kept = append([]*recording{r}, c.kept[:min(len(c.kept), keep-1)]...)
	return r, nil
}

func (r *recording) value(x Real) float64 {
	if x.N == 0 {
		return x.V
	}
	return r.t.Val[x.N]
}

// LogDensity returns the log density at u and writes its gradient: -Inf where the program rejects u.
// Errors that are not rejections are of the program, and make the density NaN.
func (c *Chain) LogDensity(u, grad []float64) float64 {
	for _, v := range u {
		if math.IsNaN(v) {
			return v
		}
	}
	r, err := c.at(u)
	c.why = err
	if err != nil {
		if Rejected(err) {
			return math.Inf(-1)
		}
		return math.NaN()
	}
	lp := 0.0
	for _, x := range r.roots {
		lp += r.value(x)
	}
	if math.IsNaN(lp) || math.IsInf(lp, -1) {
		return math.Inf(-1)
	}
	r.t.gradient(r.roots, grad)
	return lp
}

// Why says why the last point had no density, nil where it had one.
func (c *Chain) Why() error { return c.why }

// Values writes parameters and transformed parameters at u.
func (c *Chain) Values(dst, u []float64) error {
	r, err := c.at(u)
	if err != nil {
		return err
	}
	for i, x := range r.values {
		dst[i] = r.value(x)
	}
	return nil
}

// Operations is the number of operations of the last recording.
func (c *Chain) Operations() int {
	if len(c.kept) == 0 {
		return 0
	}
	return len(c.kept[0].t.Code)
}
