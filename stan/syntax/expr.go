package syntax

// levels are the operators of two arguments, from the loosest binding to the tightest.
var levels = map[kind]int{"||": 2, "&&": 3, "==": 4, "!=": 4, "<": 5, "<=": 5, ">": 5, ">=": 5,
	"+": 7, "-": 7, "*": 8, "/": 8, "%": 8, "%/%": 8, ".*": 8, "./": 8, "\\": 9}

// power binds tighter than a sign before it, and to the right: -2^2 is -4.
var power = map[kind]bool{"^": true, ".^": true}

// list reads expressions up to a closing symbol.
func (p *parser) list(close kind, what string) []Expr {
	var out []Expr
	for p.tok.kind != close {
		if len(out) > 0 {
			p.take(",", "or '"+string(close)+"' after "+what)
		}
		out = append(out, p.expr())
	}
	p.advance()
	return out
}

// expr reads an expression.
func (p *parser) expr() Expr {
	if p.depth++; p.depth > 1000 {
		p.fail(p.tok.pos, "expressions are nested more than 1000 deep")
	}
	defer func() { p.depth-- }()
	x := p.binary(2)
	if p.tok.kind != "?" {
		return x
	}
	pos := p.tok.pos
	p.advance()
	then := p.expr()
	p.take(":", "between the two values of a choice")
	return &Choice{pos, x, then, p.expr()}
}

// binary reads operators that bind at least as tight as level.
func (p *parser) binary(level int) Expr {
	x := p.unary()
	for {
		op := p.tok
		l, ok := levels[op.kind]
		if !ok || l < level {
			return x
		}
		p.advance()
		x = &Binary{op.pos, op.text, x, p.binary(l + 1)}
	}
}

func (p *parser) unary() Expr {
	switch op := p.tok; op.kind {
	case "-", "+", "!":
		if p.depth++; p.depth > 1000 {
			p.fail(op.pos, "expressions are nested more than 1000 deep")
		}
		defer func() { p.depth-- }()
		p.advance()
		return &Unary{op.pos, op.text, p.unary()}
	}
	x := p.postfix()
	if power[p.tok.kind] {
		op := p.tok
		p.advance()
		if p.depth++; p.depth > 1000 {
			p.fail(op.pos, "expressions are nested more than 1000 deep")
		}
		defer func() { p.depth-- }()
		return &Binary{op.pos, op.text, x, p.unary()}
	}
	return x
}

// postfix reads subscripts, transposes and elements of tuples.
func (p *parser) postfix() Expr {
	x := p.primary()
	for {
		switch t := p.tok; t.kind {
		case "[":
			p.advance()
			x = &Index{t.pos, x, p.subscripts()}
		case "'":
			p.advance()
			x = &Unary{t.pos, "'", x}
		case ".":
			p.advance()
			x = &Field{t.pos, x, p.take(integer, "with the place in a tuple").text}
		case decimal:
			// x.1.2 is read as x, .1, .2 or as x and .1
			if t.text[0] != '.' {
				return x
			}
			p.advance()
			x = &Field{t.pos, x, t.text[1:]}
		default:
			return x
		}
	}
}

func (p *parser) subscripts() []Subscript {
	var out []Subscript
	for {
		s := Subscript{Pos: p.tok.pos}
		switch p.tok.kind {
		case ",", "]":
			s.Range = true
		case ":":
			s.Range = true
			p.advance()
			if p.tok.kind != "," && p.tok.kind != "]" {
				s.Hi = p.expr()
			}
		default:
			s.Lo = p.expr()
			if p.accept(":") {
				s.Range = true
				if p.tok.kind != "," && p.tok.kind != "]" {
					s.Hi = p.expr()
				}
			}
		}
		out = append(out, s)
		if !p.accept(",") {
			break
		}
	}
	p.take("]", "to end the subscripts")
	return out
}

func (p *parser) primary() Expr {
	t := p.tok
	switch t.kind {
	case integer:
		p.advance()
		return &Int{t.pos, t.text}
	case decimal:
		p.advance()
		return &Real{t.pos, t.text, false}
	case imag:
		p.advance()
		return &Real{t.pos, t.text, true}
	case text:
		p.advance()
		return &Text{t.pos, t.text}
	case "(":
		p.advance()
		elems := p.list(")", "a value")
		switch len(elems) {
		case 0:
			p.fail(t.pos, "empty parentheses, want an expression between them")
		case 1:
			return &Paren{t.pos, elems[0]}
		}
		return &Tuple{t.pos, elems}
	case "{":
		p.advance()
		return &Array{t.pos, p.list("}", "a value")}
	case "[":
		p.advance()
		return &Row{t.pos, p.list("]", "a value")}
	case "target":
		if p.then.kind == "(" {
			p.advance()
			p.advance()
			p.take(")", "after target(")
			return &Call{t.pos, "target", nil, false}
		}
	}
	if t.kind != name && !notReserved[t.text] || t.kind == "target" {
		if keywords[t.text] {
			p.fail(t.pos, "%s is a word of the language, want an expression", t.text)
		}
		p.unexpected("an expression")
	}
	p.advance()
	if p.tok.kind != "(" {
		return &Name{t.pos, t.text}
	}
	if t.text == "get_lp" && p.then.kind == ")" {
		p.note(t.pos, "get_lp() is written target() since Stan 2.33")
		p.advance()
		p.advance()
		return &Call{t.pos, "target", nil, false}
	}
	return p.call(t)
}

// call reads the arguments of a function.
func (p *parser) call(t token) Expr {
	p.advance()
	c := &Call{Pos: t.pos, Name: t.text}
	for p.tok.kind != ")" {
		if len(c.Args) == 1 && p.tok.kind == "|" {
			c.Bar = true
			p.advance()
			if p.tok.kind == ")" {
				break
			}
		} else if len(c.Args) > 0 {
			p.take(",", "or ')' after an argument")
		}
		c.Args = append(c.Args, p.expr())
	}
	p.advance()
	return c
}
