package types

import (
	"fmt"

	"bayeskernel/stan/syntax"
)

// declarations checks a block that has nothing else.
func (c *checker) declarations(list []syntax.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *syntax.Decl:
			if s.Init != nil {
				c.fail(s.Pos, "%s has a value in the block %q, want a declaration alone", s.Name, c.block)
			}
			c.declaration(s)
		case *syntax.Empty:
		default:
			c.fail(s.At(), "a statement in the block %q, want declarations alone", c.block)
		}
	}
}

func (c *checker) statements(list []syntax.Stmt) {
	ended := false
	for _, s := range list {
		if ended {
			c.note(s.At(), "this statement is never reached")
			ended = false
		}
		c.statement(s)
		switch s := s.(type) {
		case *syntax.Return, *syntax.Break, *syntax.Continue:
			ended = true
		case *syntax.Say:
			ended = s.What != "print"
		}
	}
}

// inner checks what a condition or loop governs, in a scope of its own.
func (c *checker) inner(s syntax.Stmt) {
	local := c.local
	c.local = true
	c.push()
	c.statement(s)
	c.pop()
	c.local = local
}

func (c *checker) statement(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.Decl:
		c.declaration(s)
	case *syntax.Assign:
		c.assignment(s)
	case *syntax.Tilde:
		c.tilde(s)
	case *syntax.Target:
		what := "target +="
		if s.Jacobian {
			what = "jacobian +="
			if c.block != "transformed parameters" && !c.inFunction("_jacobian") {
				c.fail(s.Pos, "%s in %s, want it in transformed parameters or a function that ends with _jacobian", what, c.where())
			}
		} else {
			c.density(s.Pos, what)
		}
		if t := c.value(s.Value); t.Base == "tuple" || t.Base == "text" {
			c.fail(start(s.Value), "found %s after %s, want numbers", t, what)
		}
	case *syntax.If:
		c.condition(s.Cond)
		c.inner(s.Then)
		if s.Else != nil {
			c.inner(s.Else)
		}
	case *syntax.While:
		c.condition(s.Cond)
		c.loops++
		c.inner(s.Body)
		c.loops--
	case *syntax.For:
		c.loop(s)
	case *syntax.Break:
		if c.loops == 0 {
			c.fail(s.Pos, "break outside of a loop")
		}
	case *syntax.Continue:
		if c.loops == 0 {
			c.fail(s.Pos, "continue outside of a loop")
		}
	case *syntax.Return:
		c.returned(s)
	case *syntax.Say:
		for _, e := range s.Args {
			c.value(e)
		}
	case *syntax.Do:
		if t := c.expr(s.Call); t.Base != "void" && t.Base != "" {
			c.fail(s.Pos, "the %s that %s returns is lost, want an assignment", t, s.Call.Name)
		}
	case *syntax.Braces:
		local := c.local
		c.local = true
		c.push()
		c.statements(s.Stmts)
		c.pop()
		c.local = local
	}
}

// density checks that the log density may be used here.
func (c *checker) density(pos syntax.Pos, what string) {
	if c.block != "model" && !c.inFunction("_lp") {
		c.fail(pos, "%s in %s, want it in the model block or a function that ends with _lp", what, c.where())
	}
}

func (c *checker) condition(e syntax.Expr) {
	if t := c.value(e); t.Base != "" && !t.scalar() {
		c.fail(start(e), "the condition is %s, want int or real", t)
	}
}

func (c *checker) loop(s *syntax.For) {
	t := integer
	depends := false
	if s.To == nil {
		over := c.value(s.From)
		e, ok := over.element()
		if !ok {
			c.fail(start(s.From), "a loop over %s, want an array, vector or matrix", over)
		}
		t, depends = e, c.depends(s.From) && e.hasReals()
	} else {
		for _, e := range []syntax.Expr{s.From, s.To} {
			if t := c.value(e); t.Base != "" && !t.is(integer) {
				c.fail(start(e), "the range of a loop has %s, want int", t)
			}
		}
	}
	c.push()
	c.declare(s.Name, s.NamePos, variable{t: t, kind: "the variable of a loop", depends: depends})
	c.loops++
	c.inner(s.Body)
	c.loops--
	c.pop()
}

func (c *checker) returned(s *syntax.Return) {
	var t Type
	if s.Value != nil {
		t = c.value(s.Value)
	}
	switch {
	case c.fn == nil:
		c.fail(s.Pos, "return outside of a function")
	case s.Value == nil && c.returns.Base != "void":
		c.fail(s.Pos, "%s returns %s, found no value", c.fn.Name, c.returns)
	case s.Value == nil:
	default:
		if _, ok := t.fits(c.returns); !ok {
			c.fail(start(s.Value), "%s returns %s, found %s", c.fn.Name, said(c.returns), t)
		}
	}
}

// declaration checks a type with its sizes and limits, and the value, and adds the variable.
func (c *checker) declaration(d *syntax.Decl) {
	t, complex := of(d.Type)
	if complex {
		c.fail(d.Pos, "complex numbers are not supported")
	}
	c.shape(d.Type, t)
	switch {
	case complex:
	case c.local && constrained(d.Type):
		c.fail(d.Pos, "the local variable %s has a constraint, want none", d.Name)
	case c.local:
	case c.block == "parameters" && t.hasInts():
		c.fail(d.Pos, "the parameter %s is %s, want reals: sum discrete values out", d.Name, t)
	case c.block == "transformed parameters" && t.hasInts():
		c.fail(d.Pos, "the transformed parameter %s is %s, want reals", d.Name, t)
	}
	if d.Init != nil {
		c.fit(c.value(d.Init), t, d.Name, start(d.Init))
	}
	depends := c.fn != nil || c.block == "parameters" || c.block == "transformed parameters" || c.block == "model"
	c.declare(d.Name, d.Pos, variable{t: t, depends: depends && t.hasReals()})
}

// shape checks sizes and limits.
func (c *checker) shape(d *syntax.Type, t Type) {
	for _, list := range [][]syntax.Expr{d.Array, d.Sizes} {
		for _, e := range list {
			if e == nil {
				continue
			}
			if s := c.value(e); s.Base != "" && !s.is(integer) {
				c.fail(start(e), "the size is %s, want int", s)
			}
		}
	}
	for i, p := range d.Parts {
		var part Type
		if i < len(t.Parts) {
			part = t.Parts[i]
		}
		c.shape(p, part)
	}
	one := Type{Base: t.Base}
	for _, l := range []struct {
		word string
		e    syntax.Expr
	}{{"lower", d.Lower}, {"upper", d.Upper}, {"offset", d.Offset}, {"multiplier", d.Multiplier}} {
		if l.e == nil {
			continue
		}
		v := c.value(l.e)
		if v.Base == "" || t.Base == "" {
			continue
		}
		good := false
		want := []string{"real"}
		switch t.Base {
		case "int":
			want = []string{"int"}
			good = v.is(integer)
		case "real":
			good = v.scalar()
		default:
			want = append(want, t.Base)
			good = v.scalar() || v.is(one)
		}
		if _, ok := v.fits(t); !ok && !good { // or one for each element
			c.fail(start(l.e), "%s is %s, want %s", l.word, v, or(want))
		}
	}
}

// fit checks that a value can be given to a variable, or to a part of one.
func (c *checker) fit(v, to Type, name string, pos syntax.Pos) {
	if _, ok := v.fits(to); !ok {
		c.fail(pos, "found %s for %s, want %s", v, name, to)
	}
}

func (c *checker) assignment(s *syntax.Assign) {
	left := c.target(s.Left)
	right := c.value(s.Right)
	if s.Op != "=" && left.Base != "" && right.Base != "" {
		right = c.operation(s.Op[:len(s.Op)-1], left, right, start(s.Right))
	}
	c.fit(right, left, syntax.Expression(s.Left), start(s.Right))
}

// target is the type of what is given a value, which must be possible.
func (c *checker) target(e syntax.Expr) Type {
	if t, ok := e.(*syntax.Tuple); ok {
		out := Type{Base: "tuple"}
		for _, p := range t.Elems {
			out.Parts = append(out.Parts, c.target(p))
		}
		return out
	}
	root := e
	for {
		switch x := root.(type) {
		case *syntax.Index:
			root = x.X
			continue
		case *syntax.Field:
			root = x.X
			continue
		}
		break
	}
	t := c.value(e)
	if name, ok := root.(*syntax.Name); ok {
		if v := c.lookup(name.Name); v != nil && v.kind != "" {
			c.fail(name.Pos, "%s is %s and cannot be assigned here", name.Name, v.kind)
			return unknown
		}
	}
	return t
}

// tilde checks that the value has a distribution with these arguments.
func (c *checker) tilde(s *syntax.Tilde) {
	c.density(s.Pos, "~")
	all := append([]syntax.Expr{s.Left}, s.Args...)
	args := c.values(all)
	var limits []syntax.Expr
	if s.Truncated {
		for _, e := range []syntax.Expr{s.Lower, s.Upper} {
			if e != nil {
				limits = append(limits, e)
			}
		}
	}
	for _, e := range limits {
		if t := c.value(e); t.Base != "" && !t.scalar() {
			c.fail(start(e), "a limit of a truncation is %s, want real", t)
		}
	}
	var found []*function
	for _, suffix := range []string{"_lpdf", "_lpmf", "_log"} {
		if found = c.defined[s.Dist+suffix]; len(found) > 0 {
			break
		}
	}
	d, ok := c.lib.distributions[s.Dist]
	if len(found) > 0 {
		if s.Truncated {
			c.ownTail(s, append(limits, s.Args...), args)
		}
	} else if ok {
		suffix := "_lpdf"
		if d.Discrete {
			suffix = "_lpmf"
		}
		found = c.lib.functions[s.Dist+suffix]
		if s.Truncated && d.Joint && !d.CDF {
			c.fail(s.DistPos, "%s cannot be truncated, want a distribution of numbers", s.Dist)
		} else if s.Truncated && !d.CDF {
			c.fail(s.DistPos, "%s cannot be truncated: its distribution function is not supported", s.Dist)
		}
	} else {
		c.noDistribution(s)
		return
	}
	for _, t := range args {
		if t.Base == "" {
			return
		}
	}
	c.resolve(found, all, args, call{name: s.Dist, pos: s.DistPos, tilde: true})
}

// ownTail checks the distribution function of the program that the truncation of a density of the program needs; exprs are
// the limits and the arguments.
func (c *checker) ownTail(s *syntax.Tilde, exprs []syntax.Expr, args []Type) {
	for _, suffix := range []string{"_lcdf", "_lccdf", "_cdf"} {
		found := c.defined[s.Dist+suffix]
		switch limits := len(exprs) - len(s.Args); {
		case len(found) == 0:
			continue
		case args[0].Base != "" && !args[0].scalar():
			c.fail(start(s.Left), "found %s to the left of a truncated density of the program, want a number: loop over the values", args[0])
		case limits > 0:
			types := append([]Type{c.info.Types[exprs[0]]}, args[1:]...)
			c.resolve(found, append(exprs[:1:1], exprs[limits:]...), types, call{name: s.Dist + suffix, pos: s.DistPos})
		}
		return
	}
	c.fail(s.DistPos, "%s cannot be truncated: the program has no %s_lcdf", s.Dist, s.Dist)
}

func (c *checker) noDistribution(s *syntax.Tilde) {
	if c.lib.stan[s.Dist] {
		c.fail(s.DistPos, "the distribution %s of Stan is not supported", s.Dist)
		return
	}
	hint := nearest(s.Dist, func(add func(string)) {
		for name := range c.lib.distributions {
			add(name)
		}
		for name := range c.defined {
			if base, ok := densityOf(name); ok {
				add(base)
			}
		}
	})
	if len(c.defined[s.Dist]) > 0 {
		hint = fmt.Sprintf(": want a function %s_lpdf or %s_lpmf", s.Dist, s.Dist)
	}
	c.fail(s.DistPos, "there is no distribution %s%s", s.Dist, hint)
}
