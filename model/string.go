package model

import (
	"fmt"
	"strings"

	"bayeskernel/engine"
)

// String describes the model as compiled: what Declared says, and what was rewritten.
func (p *Program) String() string {
	var b strings.Builder
	b.WriteString(p.Declared())
	for _, s := range p.rewrote {
		fmt.Fprintf(&b, "rewritten: %s\n", s)
	}
	return b.String()
}

// Declared describes the model: parameters with their distributions, and what was observed.
func (p *Program) Declared() string {
	var b strings.Builder
	for _, q := range p.m.parameters {
		fmt.Fprintf(&b, "%s%s ~ %s", q.name, lengthOf(q.of), describe(q.prior))
		if q.dist != q.prior {
			b.WriteString(", not centred")
		}
		if p.effectOf(q) {
			b.WriteString(", centring learned")
		}
		if q.ordered {
			b.WriteString(", in increasing order")
		}
		b.WriteByte('\n')
	}
	for _, l := range p.m.latents {
		fmt.Fprintf(&b, "%s[%d] ~ %s, summed out\n", l.name, l.node.N, describe(l.dist))
	}
	for _, o := range p.m.observations {
		fmt.Fprintf(&b, "%s[%d] ~ %s, observed\n", o.name, o.n, describe(o.dist))
	}
	for _, o := range p.m.predictions {
		if d, ok := o.dist.(*engine.Exactly); ok {
			fmt.Fprintf(&b, "%s[%d] = %s, computed of predictions\n", o.name, o.n, formula(d.E))
			continue
		}
		fmt.Fprintf(&b, "%s[%d] ~ %s, to be predicted\n", o.name, o.n, describe(o.dist))
	}
	for _, s := range p.blocks {
		fmt.Fprintf(&b, "%s\n", s)
	}
	for _, o := range p.m.factored {
		fmt.Fprintf(&b, "%s: %s ~ %s, a factor\n", o.name, formula(o.y), describe(o.dist))
	}
	for _, e := range p.m.densities {
		fmt.Fprintf(&b, "log density + %s (%s)\n", formula(e), about(e).where)
	}
	for _, r := range p.m.records {
		if !r.parameter {
			fmt.Fprintf(&b, "%s%s = %s, recorded\n", r.name, lengthOf(r.node), formula(r.node))
		}
	}
	fmt.Fprintf(&b, "%s to sample\n", plural(p.free, "coordinate"))
	return b.String()
}

func lengthOf(n *engine.Node) string {
	switch {
	case n.Scalar:
		return ""
	case about(n).over != nil:
		return fmt.Sprintf("[%s: %d]", about(n).over.name, n.N)
	}
	return fmt.Sprintf("[%d]", n.N)
}

func describe(d engine.Distribution) string {
	if c, ok := d.(*engine.Conditional); ok {
		return fmt.Sprintf("the Gaussian process at %s, given %s", formula(c.Args[2]),
			formula(c.Args[0].Args[5]))
	}
	if s, ok := d.(*engine.Series); ok {
		coef := formula(s.Coef)
		if s.Coef.Fixed {
			coef = fmt.Sprint(s.Coef.Value)
		}
		return fmt.Sprintf("%s %s from %s by %s", d.Name(), coef, describe(s.First), describe(s.Step))
	}
	var args []string
	of := d.Arguments()
	u, single := d.(*engine.Univariate)
	if single {
		of = u.Args
	}
	var parts []*engine.Univariate
	if mix, ok := d.(*engine.Mixture); ok {
		of, parts = of[:1], mix.Parts
	}
	for _, a := range of {
		args = append(args, formula(a))
	}
	for _, u := range parts {
		args = append(args, describe(u))
	}
	s := d.Name()
	if len(args) > 0 {
		s += "(" + strings.Join(args, ", ") + ")"
	}
	if single && u.Cut != nil {
		word, lo, hi := "truncated to", fmt.Sprint(u.Cut.Lo), fmt.Sprint(u.Cut.Hi)
		if u.Cut.Censored {
			word = "censored at"
		}
		if u.Ends != nil {
			lo, hi = formula(u.Ends[0]), formula(u.Ends[1])
		}
		s += fmt.Sprintf(" %s (%s, %s)", word, lo, hi)
	}
	return s
}

// brief names a node, without saying what it is.
func brief(n *engine.Node) string {
	if n.Fixed && n.Scalar {
		return fmt.Sprint(n.Value[0])
	}
	s := labelOf(n)
	for _, what := range []string{"parameter ", "data ", "prediction ", "latent "} {
		s = strings.TrimPrefix(s, what)
	}
	return s
}
