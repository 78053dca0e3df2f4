package record

import (
	"math"

	"bayeskernel/engine"
)

// Chain evaluates a program for one chain: it keeps the last recordings, and records anew where a guard
// comes out otherwise. It is not safe for use by several goroutines.
type Chain struct {
	p    *Program
	kept []*recording // the last used first
	why  error        // why the last point was rejected

	drawn  *drawn // nil before the first draw
	misses int    // of it

	// NoJacobian leaves out the Jacobian of the transforms: the density is that of the constrained values.
	NoJacobian bool
}

// recording is what a run of the program left, as a density of vectors.
type recording struct {
	bound   *engine.Bound
	input   []float64
	grad    []float64
	base    float64
	flipped bool // a guard came out otherwise
	size    int
}

// keep is how many recordings a chain has.
const keep = 8

// NewChain returns an evaluator.
func (p *Program) NewChain() *Chain { return &Chain{p: p} }

// rolled makes vectors of what a run recorded.
func (c *run) rolled() *recording {
	c.watch()
	r := &recording{size: len(c.t.Code)}
	var roots []int32
	for _, x := range c.roots() {
		if x.N == 0 {
			r.base += x.V
		} else {
			roots = append(roots, x.N)
		}
	}
	made := engine.Roll(c.t.Scalars, c.t.Val, c.t.sites, roots, &r.flipped)
	r.base += made.Base
	r.bound = made.Density.Bind(made.Density.Terms, []*engine.Node{made.Input})
	r.input, r.grad = r.bound.Value[made.Input.ID], r.bound.Adjoint[made.Input.ID]
	return r
}

// watch records guards of densities, decompositions and solutions that are no part of the log density: where one
// is not a number the program rejects the point all the same.
func (c *run) watch() {
	code := c.t.Code
	live := make([]bool, len(code))
	for _, x := range c.roots() {
		live[x.N] = true
	}
	var watched []Real
	for i := len(code) - 1; i > 0; i-- {
		at := int32(i)
		switch kind := code[i].Code; {
		case live[i] || kind == engine.Less || kind == engine.LessEqual || kind == engine.Equal:
			if kind != engine.MulBy || !c.zero(code[i].A) && !c.zero(code[i].B) {
				c.t.Operands(i, func(p int32) { live[p] = true })
			}
			continue
		case kind == engine.CallOf && c.t.Calls[code[i].A].N > 0:
			at += int32(c.t.Calls[code[i].A].N) // its last result
		case kind != engine.LogDensity:
			continue
		}
		if v := c.t.Val[at]; !math.IsNaN(v) {
			watched = append(watched, Real{N: at, V: v})
			c.t.Operands(i, func(p int32) { live[p] = true })
		}
	}
	for _, x := range watched {
		c.t.compare(engine.LessEqual, x, constant(math.Inf(1)))
	}
}

// zero reports whether a place holds the constant 0, which takes what it multiplies out of the density.
func (c *run) zero(place int32) bool {
	return c.t.Code[place].Code == engine.Constant && c.t.Val[place] == 0
}

func (c *run) roots() []Real { return append(c.target[:len(c.target):len(c.target)], c.jac...) }

// at is the log density at u, with ok false where a guard comes out otherwise.
func (r *recording) at(u, grad []float64) (lp float64, ok bool) {
	r.flipped = false
	copy(r.input, u)
	lp = r.bound.Gradient(r.base)
	copy(grad, r.grad)
	return lp, !r.flipped
}

// LogDensity returns the log density at u and writes its gradient: -Inf where the program rejects u, and where its
// arithmetic ends in what is not a number or in +Inf. The latter comes of underflow, of a probability that the
// program divides by, or of an element of a simplex: no sampler can go there, and the rest of the density may be
// sound.
// Errors that are not rejections are of the program, and make the density NaN.
func (c *Chain) LogDensity(u, grad []float64) float64 {
	for _, v := range u {
		if math.IsNaN(v) {
			return v
		}
	}
	c.why = nil
	for k, r := range c.kept {
		lp, ok := r.at(u, grad)
		if !ok {
			continue
		}
		copy(c.kept[1:k+1], c.kept[:k])
		c.kept[0] = r
		return finite(lp)
	}
	run, err := c.p.recorded(u, true)
	c.why = err
	if err != nil {
		if Rejected(err) {
			return math.Inf(-1)
		}
		return math.NaN()
	}
	if c.NoJacobian {
		run.jac = nil
	}
	// The density is that of the recording as vectors even here, so that it has the same bits whenever the point
	// is evaluated: a run that is resumed goes on as one that was not interrupted.
	r := run.rolled()
	c.kept = append([]*recording{r}, c.kept[:min(len(c.kept), keep-1)]...)
	lp, ok := r.at(u, grad)
	if !ok { // of rounding: operations on vectors may differ from those on numbers in the last digit
		lp = run.gradient(grad)
	}
	return finite(lp)
}

// finite is -Inf for what is neither a number nor -Inf.
func finite(lp float64) float64 {
	if math.IsNaN(lp) || math.IsInf(lp, 1) {
		return math.Inf(-1)
	}
	return lp
}

// gradient is the log density where the program ran, -Inf where it is not a number.
func (c *run) gradient(grad []float64) float64 {
	lp := 0.0
	for _, x := range c.roots() {
		lp += x.V
	}
	if math.IsNaN(lp) || math.IsInf(lp, -1) {
		return math.Inf(-1)
	}
	c.t.gradient(c.roots(), grad)
	return lp
}

// Why says why the last point had no density, nil where it had one or that is not known.
func (c *Chain) Why() error { return c.why }

// Operations is the number of operations of the last recording.
func (c *Chain) Operations() int {
	if len(c.kept) == 0 {
		return 0
	}
	return c.kept[0].size
}
