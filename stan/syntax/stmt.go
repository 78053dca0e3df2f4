package syntax

import (
	"strconv"
	"strings"
)

// statement reads one statement; a declaration of several variables is several.
func (p *parser) statement() []Stmt {
	if p.depth++; p.depth > 1000 {
		p.fail(p.tok.pos, "statements are nested more than 1000 deep")
	}
	defer func() { p.depth-- }()
	if p.startsType() {
		return p.declaration()
	}
	pos := p.tok.pos
	switch p.tok.kind {
	case ";":
		p.advance()
		return []Stmt{&Empty{pos}}
	case "{":
		p.advance()
		b := &Braces{Pos: pos, Stmts: p.statements("}")}
		p.take("}", "to end the statements that began at line "+strconv.Itoa(pos.Line))
		return []Stmt{b}
	case "if":
		return []Stmt{p.ifStatement()}
	case "for":
		return []Stmt{p.forStatement()}
	case "while":
		p.advance()
		p.take("(", "after while")
		cond := p.expr()
		p.take(")", "after the condition")
		return []Stmt{&While{pos, cond, p.body()}}
	case "break":
		p.advance()
		p.take(";", "after break")
		return []Stmt{&Break{pos}}
	case "continue":
		p.advance()
		p.take(";", "after continue")
		return []Stmt{&Continue{pos}}
	case "return":
		p.advance()
		r := &Return{Pos: pos}
		if p.tok.kind != ";" {
			r.Value = p.expr()
		}
		p.take(";", "to end a return")
		return []Stmt{r}
	case "print", "reject", "fatal_error":
		if p.then.kind == "(" {
			what := p.tok.text
			p.advance()
			p.advance()
			s := &Say{Pos: pos, What: what, Args: p.list(")", "a value")}
			p.take(";", "to end a "+what)
			return []Stmt{s}
		}
	case "profile":
		if p.then.kind == "(" {
			p.advance()
			p.advance()
			label := p.take(text, "with the name of the profile")
			p.take(")", "after the name of the profile")
			p.take("{", "to begin a profile")
			b := &Braces{Pos: pos, Profile: label.text, Stmts: p.statements("}")}
			p.take("}", "to end a profile")
			return []Stmt{b}
		}
	case "target":
		if p.then.kind == "+=" {
			p.advance()
			p.advance()
			t := &Target{Pos: pos, Value: p.expr()}
			p.take(";", "to end a statement")
			return []Stmt{t}
		}
		if p.then.kind != "(" {
			p.fail(p.then.pos, "found %s after target, want += or ()", p.then.said())
		}
	case "else":
		p.fail(pos, "an else without an if")
	}
	if p.tok.text == "jacobian" && p.then.kind == "+=" {
		p.advance()
		p.advance()
		t := &Target{Pos: pos, Value: p.expr(), Jacobian: true}
		p.take(";", "to end a statement")
		return []Stmt{t}
	}
	if p.tok.text == "increment_log_prob" && p.then.kind == "(" {
		p.note(pos, "increment_log_prob(x) is written target += x since Stan 2.33")
		p.advance()
		p.advance()
		t := &Target{Pos: pos, Value: p.expr()}
		p.take(")", "after the term")
		p.take(";", "to end a statement")
		return []Stmt{t}
	}
	return []Stmt{p.simple()}
}

// body is the statement that a loop or condition governs.
func (p *parser) body() Stmt {
	pos := p.tok.pos
	if p.startsType() {
		p.fail(pos, "a declaration here would be lost at once, want a statement or braces")
	}
	return p.statement()[0]
}

func (p *parser) ifStatement() Stmt {
	pos := p.tok.pos
	p.advance()
	p.take("(", "after if")
	cond := p.expr()
	p.take(")", "after the condition")
	s := &If{Pos: pos, Cond: cond, Then: p.body()}
	if p.accept("else") {
		s.Else = p.body()
	}
	return s
}

func (p *parser) forStatement() Stmt {
	s := &For{Pos: p.tok.pos}
	p.advance()
	p.take("(", "after for")
	id := p.identifier("the name of a loop variable")
	s.Name, s.NamePos = id.text, id.pos
	p.take("in", "after the loop variable")
	s.From = p.expr()
	if p.accept(":") {
		s.To = p.expr()
	}
	p.take(")", "after the range of the loop")
	s.Body = p.body()
	return s
}

// assignments, and the old one.
var assignments = map[kind]bool{"=": true, "<-": true, "+=": true, "-=": true, "*=": true, "/=": true,
	".*=": true, "./=": true}

// simple reads what begins with an expression: an assignment, a distribution or a call.
func (p *parser) simple() Stmt {
	pos := p.tok.pos
	left := p.expr()
	switch {
	case p.tok.kind == "~":
		p.advance()
		return p.tilde(pos, left)
	case assignments[p.tok.kind]:
		op := p.tok
		if op.kind == "<-" {
			p.note(op.pos, "values are given with = since Stan 2.33")
			op.text = "="
		}
		p.advance()
		if !assignable(left) {
			p.fail(pos, "this cannot be given a value, want a variable or elements of one")
		}
		s := &Assign{pos, left, p.expr(), op.text}
		p.take(";", "to end a statement")
		return s
	}
	call, ok := left.(*Call)
	if !ok {
		p.unexpected("=, += or ~: an expression alone is no statement")
	}
	p.take(";", "to end a statement")
	return &Do{pos, call}
}

func assignable(e Expr) bool {
	switch e := e.(type) {
	case *Name:
		return true
	case *Index:
		return assignable(e.X)
	case *Field:
		return assignable(e.X)
	case *Tuple:
		for _, x := range e.Elems {
			if !assignable(x) {
				return false
			}
		}
		return len(e.Elems) > 0
	}
	return false
}

func (p *parser) tilde(pos Pos, left Expr) Stmt {
	d := p.identifier("the name of a distribution")
	s := &Tilde{Pos: pos, Left: left, Dist: d.text, DistPos: d.pos}
	p.take("(", "after the name of a distribution")
	s.Args = p.list(")", "an argument")
	if p.tok.text == "T" && p.then.kind == "[" {
		p.advance()
		p.advance()
		s.Truncated = true
		if p.tok.kind != "," && p.tok.kind != "]" {
			s.Lower = p.expr()
		}
		if p.accept(",") && p.tok.kind != "]" {
			s.Upper = p.expr()
		}
		p.take("]", "to end a truncation")
	}
	p.take(";", "to end a statement")
	for _, suffix := range []string{"_lpdf", "_lpmf", "_lupdf", "_lupmf"} {
		if base, ok := strings.CutSuffix(d.text, suffix); ok {
			p.errs = append(p.errs, Error{d.pos, "found " + d.text + " after ~, want " + base})
		}
	}
	return s
}
