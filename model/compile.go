package model

import (
	"fmt"
	"math"
	"sync"

	"bayeskernel/engine"
)

// Rewrite is a change of the computations that leaves the log density as it is, to rounding.
type Rewrite = engine.Rewrite

// The rewrites.
const (
	Regressions = engine.Regressions
	EqualRows   = engine.EqualRows
	Sums        = engine.Sums
	Variances   = engine.Variances
)

// Without leaves rewrites out: for tests, and to see what they gain.
func Without(r ...Rewrite) CompileOption {
	return func(p *Program) {
		for _, w := range r {
			p.off[w] = struct{}{}
		}
	}
}

// CompileOption changes how a model is compiled, never what it says.
type CompileOption func(*Program)

// Compile checks the declarations and makes a program of them. The model can be declared further
// and compiled again; the program does not change.
func (m *Model) Compile(options ...CompileOption) (*Program, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	p := &Program{m: m.frozen(), free: m.free, off: map[Rewrite]struct{}{}}
	for _, o := range options {
		o(p)
	}
	p.density = engine.NewDensity(&p.m.graph, p.off)
	var err error
	if p.blocks, err = p.sumOut(nil); err != nil {
		return nil, err
	}
	for _, q := range p.m.parameters {
		terms := q.terms()
		if dependsOnLatents(q.dist) {
			terms = terms[1:]
		}
		for _, w := range terms {
			p.density.Terms = append(p.density.Terms, w)
			p.called = append(p.called, fmt.Sprintf("%s ~ %s at %s", q.name, describe(q.prior), q.where))
		}
		p.constant += q.constant()
	}
	p.sizes = map[string]int{}
	for _, r := range p.m.records {
		p.width += r.node.N
		p.sizes[r.name] = r.node.N
	}
	p.recorded = p.Names()
	p.priors = len(p.density.Terms)
	at := 0
	for _, l := range p.likelihoods() {
		kept, o := l.observation, l.observation
		if p.held != nil && o != nil {
			if kept, err = p.restricted(o, at); err != nil {
				return nil, err
			}
		}
		at += l.n
		if kept != nil {
			p.density.Terms = append(p.density.Terms, p.density.Rewrite(kept.dist, kept.y))
			p.tell(o.name, kept.y)
			p.called = append(p.called, fmt.Sprintf("%s ~ %s at %s", o.name, describe(o.dist), o.where))
		}
	}
	blocks, err := p.keptBlocks()
	if err != nil {
		return nil, err
	}
	for _, b := range blocks {
		p.density.Terms = append(p.density.Terms, engine.Added{E: b.sum})
		p.called = append(p.called, fmt.Sprintf("the sum over the states of %s at %s", b.called(),
			b.latents[0].where))
	}
	for _, o := range p.m.factored {
		p.density.Terms = append(p.density.Terms, p.density.Rewrite(o.dist, o.y))
		p.tell(o.name, o.y)
		p.called = append(p.called, fmt.Sprintf("%s ~ %s at %s", o.name, describe(o.dist), o.where))
	}
	p.density.Fuse()
	p.tell("", nil)
	for _, e := range p.m.densities {
		if about(e).summed {
			continue
		}
		p.density.Terms = append(p.density.Terms, engine.Added{E: e})
		p.called = append(p.called, fmt.Sprintf("AddLogDensity of %s, computed at %s", labelOf(e),
			about(e).where))
	}
	p.learned()
	p.not = sync.OnceValues(p.withoutCentring)
	return p, p.check()
}

// tell says in words what was rewritten since it was last called, of the observation y or outside.
func (p *Program) tell(name string, y *engine.Node) {
	for _, r := range p.density.Rewrote[len(p.rewrote):] {
		place := about(r.Of).where
		if r.Of == y {
			place = name
		}
		if r.Part == "" {
			r.Part = labelOf(r.Of)
		}
		p.rewrote = append(p.rewrote, place+": "+r.Part+" "+r.By)
	}
}

// frozen is a copy of the lists, so that declarations that come later do not reach a program.
func (m *Model) frozen() *Model {
	c := *m
	c.graph.Nodes = c.graph.Nodes[:len(c.graph.Nodes):len(c.graph.Nodes)]
	if c.declared == 0 {
		c.declared = len(c.graph.Nodes)
	}
	return &c
}

// check looks for what only shows in the whole.
func (p *Program) check() error {
	used := map[*engine.Node]bool{}
	for _, o := range p.m.observations {
		engine.Mark(used, o.y)
		engine.Mark(used, o.dist.Arguments()...)
	}
	for _, o := range p.m.factored {
		engine.Mark(used, o.y)
		engine.Mark(used, o.dist.Arguments()...)
	}
	for _, o := range p.m.predictions {
		engine.Mark(used, o.dist.Arguments()...)
	}
	engine.Mark(used, p.m.densities...)
	for _, r := range p.m.records {
		if !r.parameter {
			engine.Mark(used, r.node)
		}
	}
	// What a parameter that is used depends on is used.
	for before := -1; before < len(used); {
		before = len(used)
		for _, q := range p.m.parameters {
			if used[q.node] || used[q.of] {
				engine.Mark(used, q.dist.Arguments()...)
			}
		}
		for _, l := range p.m.latents {
			if used[l.node] {
				engine.Mark(used, l.dist.Arguments()...)
			}
		}
	}
	var wrong []string
	for _, n := range p.m.graph.Nodes {
		if about(n).inside && used[n] {
			wrong = append(wrong, about(n).where+": "+about(n).what+" is used outside its rate")
		}
	}
	for _, l := range p.m.latents {
		if !used[l.node] {
			wrong = append(wrong, l.where+": latent "+l.name+" is used by nothing that is observed or "+
				"recorded")
		}
	}
	for _, q := range p.m.parameters {
		if !used[q.node] && !used[q.of] {
			wrong = append(wrong, q.where+": parameter "+q.name+" is used by nothing that is observed "+
				"or recorded: make a Quantity of it to draw it from its distribution alone")
		}
	}
	if wrong == nil && !p.again {
		wrong = p.mistakes()
	}
	if wrong == nil {
		return nil
	}
	c := *p.m
	c.wrong = wrong
	return c.check()
}

// terms are those of the density of a parameter.
func (q *parameter) terms() []engine.Part {
	y := q.of
	if q.dist != q.prior {
		y = q.node
	}
	out := []engine.Part{engine.Distributed{Dist: q.dist, Y: y}}
	if q.jacobian != nil {
		out = append(out, engine.Added{E: q.jacobian})
	}
	return out
}

// exchangeable reports whether all values have the same distribution.
func (q *parameter) exchangeable() bool {
	u, ok := q.dist.(*engine.Univariate)
	if !ok {
		return false
	}
	for _, a := range u.Args {
		if !a.Scalar {
			return false
		}
	}
	return true
}

// constant is the log of n! for n ordered values that are independent but for their order.
func (q *parameter) constant() float64 {
	if !q.ordered || !q.exchangeable() {
		return 0
	}
	lg, _ := math.Lgamma(float64(q.node.N) + 1)
	return lg
}
