package types

import (
	"strings"

	"bayeskernel/stan/syntax"
)

// functions checks the definitions of the program: first their heads, so that they can call one another.
func (c *checker) functions(list []*syntax.Function) {
	declared := map[string]*syntax.Function{}
	bodies := map[string]bool{}
	for _, f := range list {
		g := c.head(f)
		g.first = f.Pos
		id := f.Name + arguments(g.types())
		if f.Body == nil {
			if declared[id] == nil {
				declared[id] = f
			}
		} else {
			bodies[id] = true
		}
		double := false
		for k, old := range c.defined[f.Name] {
			if arguments(old.types()) != arguments(g.types()) {
				continue
			}
			double = true
			g.first = old.first
			switch {
			case old.defined.Body == nil:
				c.defined[f.Name][k] = g
			case f.Body != nil:
				c.fail(f.Pos, "%s is defined already at line %d", id, old.defined.Pos.Line)
			}
		}
		if !double {
			c.defined[f.Name] = append(c.defined[f.Name], g)
		}
	}
	for id, f := range declared {
		if !bodies[id] {
			c.fail(f.Pos, "%s is declared and never defined", f.Name)
		}
	}
	for _, f := range list {
		if f.Body != nil {
			c.body(f)
		}
	}
	c.fn, c.scopes = nil, nil
}

func (f *function) types() []Type {
	out := make([]Type, len(f.args))
	for i, p := range f.args {
		if len(p.types) > 0 {
			out[i] = p.types[0]
		}
	}
	return out
}

// head is the signature of a function of the program, whose rules are checked once: where it is defined.
func (c *checker) head(f *syntax.Function) *function {
	g := &function{name: f.Name, defined: f, returns: void}
	if f.Returns != nil {
		t, complex := of(f.Returns)
		if complex {
			c.fail(f.Pos, "complex numbers are not supported")
		}
		g.returns = t
	}
	for _, a := range f.Params {
		t, complex := of(a.Type)
		if complex {
			c.fail(a.Pos, "complex numbers are not supported")
		}
		g.args = append(g.args, pattern{word: t.String(), data: a.Data, types: []Type{t}})
	}
	for _, suffix := range []string{"_lupdf", "_lupmf"} {
		if base, ok := strings.CutSuffix(f.Name, suffix); ok {
			c.fail(f.Pos, "%s cannot be defined, want %s", f.Name, base+"_l"+suffix[3:])
		}
	}
	for _, suffix := range []string{"_lpdf", "_lpmf", "_lcdf", "_lccdf"} {
		if !strings.HasSuffix(f.Name, suffix) {
			continue
		}
		if t := g.returns; t.Base != "" && !t.is(number) {
			c.fail(f.Pos, "%s returns %s, want real", f.Name, said(t))
		}
		if len(g.args) == 0 {
			c.fail(f.Pos, "%s takes no arguments, want at least one", f.Name)
			continue
		}
		switch t := g.args[0].types[0]; {
		case suffix == "_lpdf" && t.Base == "int":
			c.fail(f.Params[0].Pos, "the first argument of %s is %s, want reals", f.Name, t)
		case suffix == "_lpmf" && t.Base != "int" && t.Base != "":
			c.fail(f.Params[0].Pos, "the first argument of %s is %s, want ints", f.Name, t)
		}
	}
	return g
}

// said is what a function returns, in messages.
func said(t Type) string {
	if t.Base == "void" {
		return "nothing"
	}
	return t.String()
}

func (c *checker) body(f *syntax.Function) {
	c.fn, c.block, c.local, c.loops, c.scopes = f, "", true, 0, nil
	c.inside = map[string]int{}
	names(f.Body.Stmts, c.inside)
	c.push()
	c.returns = void
	if f.Returns != nil {
		c.returns, _ = of(f.Returns)
	}
	for _, a := range f.Params {
		t, _ := of(a.Type)
		c.declare(a.Name, a.Pos, variable{t: t, kind: "an argument of a function", depends: !a.Data && t.hasReals()})
	}
	c.statements(f.Body.Stmts)
	if c.returns.Base != "void" && !ends(f.Body.Stmts) {
		c.fail(f.Pos, "%s ends without a return on some path, want one of %s", f.Name, c.returns)
	}
	c.inside = nil
}

// ends reports whether all paths through statements end with a return or reject.
func ends(list []syntax.Stmt) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *syntax.Return:
			return true
		case *syntax.Say:
			if s.What != "print" {
				return true
			}
		case *syntax.Braces:
			if ends(s.Stmts) {
				return true
			}
		case *syntax.If:
			if s.Else != nil && ends([]syntax.Stmt{s.Then}) && ends([]syntax.Stmt{s.Else}) {
				return true
			}
		case *syntax.While: // while (1) is left by a return alone
			if one, ok := s.Cond.(*syntax.Int); ok && one.Text != "0" && !breaks(s.Body) {
				return true
			}
		}
	}
	return false
}

// breaks reports whether a statement may leave the loop that it is in.
func breaks(s syntax.Stmt) bool {
	switch s := s.(type) {
	case *syntax.Break:
		return true
	case *syntax.Braces:
		for _, t := range s.Stmts {
			if breaks(t) {
				return true
			}
		}
	case *syntax.If:
		return breaks(s.Then) || s.Else != nil && breaks(s.Else)
	}
	return false
}
