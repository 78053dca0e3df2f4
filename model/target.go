package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"bayeskernel/engine"

	"bayeskernel/hmc"
	"bayeskernel/priors"
)

var (
	_ hmc.Target      = (*target)(nil)
	_ hmc.Constrainer = (*target)(nil)
	_ hmc.Initializer = (*target)(nil)
	_ hmc.Explainer   = (*target)(nil)
	_ hmc.Labeller    = (*target)(nil)
	_ hmc.Fixer       = (*target)(nil)
)

// target is the posterior density for one chain.
type target struct {
	p       *Program
	density *engine.Bound
	records *engine.Evaluator // nil until a draw is recorded
	prior   *simulator        // nil until a draw is made
	// The coordinates in use, nil for those declared, and the target that is not centred at all.
	centring *centring
	not      *target
	mover    *mover
}

// Target makes the posterior density of one chain: Program.Target is an hmc.Factory.
func (p *Program) Target() (hmc.Target, error) { return p.target(p.density.Terms), nil }

func (p *Program) target(terms []engine.Part) *target {
	return &target{p: p, density: p.density.Bind(terms, p.inputs())}
}

// Dim returns the number of unconstrained coordinates.
func (t *target) Dim() int { return t.p.free }

// LogDensity returns the log density at x, with all constants but those that its documentation
// leaves out, and its gradient.
func (t *target) LogDensity(x, grad []float64) float64 {
	switch {
	case t.not != nil:
		return t.not.asDeclared(x, grad)
	case t.centring != nil:
		return t.partly(x, grad)
	}
	return t.asDeclared(x, grad)
}

// asDeclared is LogDensity in the coordinates declared.
func (t *target) asDeclared(x, grad []float64) float64 {
	p, e := t.p, t.density
	if len(x) != p.free || len(grad) != p.free {
		panic(fmt.Sprintf("model: x and grad have %d and %d values, want %d", len(x), len(grad), p.free))
	}
	lp := p.constant + p.transform(&e.Memory, x)
	for _, q := range p.m.parameters {
		if !allFinite(e.Value[q.node.ID]) {
			return worst(x)
		}
	}
	if lp = e.Gradient(lp); math.IsInf(lp, -1) {
		return lp
	}
	for _, q := range p.m.parameters {
		c := x[q.x : q.x+q.free]
		q.transform.PullBack(grad[q.x:q.x+q.free], c, e.Value[q.node.ID], e.Adjoint[q.node.ID])
	}
	return lp
}

// Explain names the first distribution whose density at x is 0, or is not a number.
func (t *target) Explain(x []float64) string {
	p, e := t.p, t.density
	p.transform(&e.Memory, t.own(x))
	for _, q := range p.m.parameters {
		if v := e.Value[q.node.ID]; !allFinite(v) {
			return fmt.Sprintf("parameter %s is %v", q.name, v)
		}
	}
	switch k, l, err := e.Fault(); {
	case err != nil:
		return err.Error()
	case math.IsInf(l, -1):
		return "the density is 0 of " + p.called[k]
	case math.IsNaN(l):
		return "the density is not a number of " + p.called[k]
	}
	return ""
}

// worst is the log density where values overflow: outside the support, unless x itself is NaN.
func worst(x []float64) float64 {
	for _, v := range x {
		if math.IsNaN(v) {
			return v
		}
	}
	return math.Inf(-1)
}

// Names returns what is recorded: parameters and quantities in order of declaration.
func (t *target) Names() []string { return t.p.Names() }

// Names returns what is recorded: parameters and quantities in order of declaration.
func (p *Program) Names() []string {
	var names []string
	for _, r := range p.m.records {
		if r.node.Scalar {
			names = append(names, r.name)
			continue
		}
		for i := range r.node.N {
			names = append(names, r.name+placeOf(r.node, i))
		}
	}
	return names
}

// Labels returns Names with the labels of factors in place of numbers.
func (t *target) Labels() []string { return t.p.Labels() }

// Labels returns Names with the labels of factors in place of numbers: alpha[horsebean], not alpha[1].
func (p *Program) Labels() []string {
	var names []string
	for _, r := range p.m.records {
		for i := range r.node.N {
			switch {
			case r.node.Scalar:
				names = append(names, r.name)
			case about(r.node).over != nil && about(r.node).cols == 0 && i < len(about(r.node).over.labels):
				names = append(names, r.name+"["+about(r.node).over.labels[i]+"]")
			default:
				names = append(names, r.name+placeOf(r.node, i))
			}
		}
	}
	return names
}

// Constants returns those of Names whose values are constants by construction.
func (t *target) Constants() []string { return t.p.Constants() }

// Constants returns those of Names whose values are constants by construction, such as those of the diagonal of a
// correlation matrix.
func (p *Program) Constants() []string {
	var out []string
	names := p.Names()
	for _, r := range p.m.records {
		for i := range r.node.N {
			if constantAt(r.node, i) {
				out = append(out, names[i])
			}
		}
		names = names[r.node.N:]
	}
	return out
}

// constantAt reports whether value i of a node is a constant, whatever the parameters, as far as is plain from
// how it is put together of others.
func constantAt(n *engine.Node, i int) bool {
	switch op := n.Op.(type) {
	case engine.Gather:
		return constantAt(n.Args[0], op.At[i])
	case engine.View:
		return constantAt(n.Args[0], op.Lo+i)
	case engine.Stack:
		for _, a := range n.Args {
			if i < a.N {
				return constantAt(a, i)
			}
			i -= a.N
		}
	case engine.Binary:
		return !slices.ContainsFunc(n.Args, func(a *engine.Node) bool { return !constantAt(a, i%a.N) })
	}
	if q := about(n).param; q != nil && q.of == n {
		rows := int(math.Sqrt(float64(n.N)))
		switch q.transform.(type) {
		case priors.Correlation:
			return i/rows == i%rows
		case priors.CorrCholesky:
			return i/rows < i%rows || i == 0
		}
	}
	return n.Fixed
}

// Constrain writes the recorded values at x into dst.
func (t *target) Constrain(dst, x []float64) {
	if t.records == nil {
		t.records = t.p.recorder()
	}
	t.p.record(t.records, dst, t.own(x))
}

// recorder computes what is recorded.
func (p *Program) recorder() *engine.Evaluator {
	var wanted []*engine.Node
	for _, r := range p.m.records {
		wanted = append(wanted, r.node)
	}
	return p.evaluator(engine.Evaluation{Wanted: wanted})
}

func (p *Program) record(e *engine.Evaluator, dst, x []float64) {
	p.transform(&e.Memory, x)
	e.Forward()
	for _, r := range p.m.records {
		dst = dst[copy(dst, e.Value[r.node.ID]):]
	}
}

// Initial draws a starting point from the distributions of the parameters; where there is nothing to
// draw from it draws uniformly from (-2, 2).
func (t *target) Initial(x []float64, r *rand.Rand) {
	if t.prior == nil {
		t.prior, _ = t.p.simulator()
	}
	if t.prior != nil && t.prior.draw(r) == nil && t.prior.unconstrain(x) == nil {
		return
	}
	for i := range x {
		x[i] = 4*r.Float64() - 2
	}
}

// Unconstrain returns the point of the sampler's space behind values of the parameters in the order
// of Names, for a start of your choice. Quantities among them are not looked at.
func (p *Program) Unconstrain(values []float64) ([]float64, error) {
	if len(values) != p.width {
		return nil, fmt.Errorf("model: there are %d values, want one for each of %v", len(values),
			p.Names())
	}
	var wanted []*engine.Node
	for _, q := range p.m.parameters {
		if q.shift != nil {
			wanted = append(wanted, q.shift, q.scale)
		}
	}
	e := p.evaluator(engine.Evaluation{Wanted: wanted, Inputs: p.recordedNodes()})
	for _, r := range p.m.records {
		if r.parameter {
			copy(e.Value[r.node.ID], values)
		}
		values = values[r.node.N:]
	}
	e.Forward()
	x := make([]float64, p.free)
	if err := p.unconstrain(x, e); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return x, nil
}

// unconstrain inverts the transforms at the declared parameters in an evaluator.
func (p *Program) unconstrain(x []float64, e *engine.Evaluator) error {
	for _, q := range p.m.parameters {
		v := e.Value[q.of.ID]
		if q.shift != nil {
			z := make([]float64, len(v))
			shift, scale := e.Value[q.shift.ID], e.Value[q.scale.ID]
			for i := range z {
				z[i] = (v[i] - shift[i%len(shift)]) / scale[i%len(scale)]
			}
			v = z
		}
		if err := q.transform.Unconstrain(x[q.x:q.x+q.free], v); err != nil {
			return fmt.Errorf("%s: %s", q.name, strings.TrimPrefix(err.Error(), "priors: "))
		}
	}
	return nil
}

func (s *simulator) unconstrain(x []float64) error { return s.p.unconstrain(x, s.e) }
