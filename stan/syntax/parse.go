package syntax

import (
	"fmt"
	"strings"
)

// Parse reads a program. The error is Errors: all that is wrong, as far as it could be read on.
func Parse(source string) (*Program, error) {
	source = strings.TrimPrefix(source, "\ufeff") // a byte-order mark, as some editors write
	p := &parser{s: scanner{src: source, line: 1, col: 1}}
	p.advance()
	p.advance()
	out := &Program{Source: source}
	p.program(out)
	if errs := append(p.errs, p.s.errs...); len(errs) > 0 {
		return nil, Sorted(errs)
	}
	if p.s.hash != (Pos{}) {
		p.note(p.s.hash, "comments begin with // since Stan 2.33")
	}
	out.Notes = Sorted(p.notes)
	return out, nil
}

// parser descends recursively, with one token of look-ahead beyond the current one.
type parser struct {
	s         scanner
	tok, then token
	errs      []Error
	notes     []Error
	noted     map[string]bool
	depth     int
}

// bail is panicked with by a failed rule and caught where reading can go on.
type bail struct{}

func (p *parser) advance() { p.tok, p.then = p.then, p.s.next() }

func (p *parser) note(pos Pos, text string) {
	if p.noted == nil {
		p.noted = map[string]bool{}
	}
	if !p.noted[text] {
		p.noted[text] = true
		p.notes = append(p.notes, Error{pos, text})
	}
}

// fail reports an error and leaves the rule.
func (p *parser) fail(pos Pos, format string, args ...any) {
	p.errs = append(p.errs, Error{pos, fmt.Sprintf(format, args...)})
	panic(bail{})
}

// unexpected fails at the current token.
func (p *parser) unexpected(want string) {
	p.fail(p.tok.pos, "found %s, want %s", p.tok.said(), want)
}

func (p *parser) take(k kind, why string) token {
	if p.tok.kind != k {
		want := "'" + string(k) + "'"
		if why != "" {
			want += " " + why
		}
		p.unexpected(want)
	}
	t := p.tok
	p.advance()
	return t
}

func (p *parser) accept(k kind) bool {
	if p.tok.kind == k {
		p.advance()
		return true
	}
	return false
}

// guard runs a rule; where it fails, reading goes on behind the next semicolon, or before the brace that
// closes the block.
func (p *parser) guard(rule func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bail); !ok {
				panic(r)
			}
			p.recoverStatement()
		}
	}()
	rule()
}

func (p *parser) recoverStatement() {
	for open := 0; p.tok.kind != end; p.advance() {
		switch p.tok.kind {
		case "{":
			open++
		case "}":
			if open == 0 {
				return
			}
			open--
			if open == 0 {
				p.advance()
				return
			}
		case ";":
			if open == 0 {
				p.advance()
				return
			}
		}
	}
}

// blocks are the names of blocks in their order.
var blocks = []string{"functions", "data", "transformed data", "parameters", "transformed parameters",
	"model", "generated quantities"}

func (p *parser) program(out *Program) {
	last := -1
	for p.tok.kind != end {
		pos := p.tok.pos
		word := p.tok.text
		if (word == "transformed" || word == "generated") && p.then.text != "" && p.then.kind != "{" {
			p.advance()
			word += " " + p.tok.text
		}
		at := -1
		for k, b := range blocks {
			if b == word {
				at = k
			}
		}
		if at < 0 {
			p.errs = append(p.errs, Error{pos, fmt.Sprintf("found %s, want a block: functions, data, transformed "+
				"data, parameters, transformed parameters, model or generated quantities", p.tok.said())})
			return
		}
		if at == last {
			p.errs = append(p.errs, Error{pos, fmt.Sprintf("a second block %q", word)})
			return
		}
		if at < last {
			p.errs = append(p.errs, Error{pos, fmt.Sprintf("the block %q stands behind %q, want it before", word,
				blocks[last])})
		}
		last = at
		p.advance()
		failed := len(p.errs)
		p.guard(func() {
			if at == 0 {
				p.functions(out)
				return
			}
			b := &Block{Pos: pos}
			p.take("{", fmt.Sprintf("to begin the block %q", word))
			b.Stmts = p.statements("}")
			p.take("}", fmt.Sprintf("to end the block %q", word))
			switch at {
			case 1:
				out.Data = b
			case 2:
				out.TransformedData = b
			case 3:
				out.Parameters = b
			case 4:
				out.TransformedParameters = b
			case 5:
				out.Model = b
			case 6:
				out.Generated = b
			}
		})
		if len(p.errs) > failed && p.tok.kind != end && !p.startsBlock() {
			return // what follows cannot be told
		}
	}
}

func (p *parser) startsBlock() bool {
	switch p.tok.text {
	case "functions", "data", "parameters", "model":
		return p.then.kind == "{"
	case "transformed", "generated":
		return true
	}
	return false
}

// statements reads up to a closing brace.
func (p *parser) statements(until kind) []Stmt {
	var out []Stmt
	for p.tok.kind != until && p.tok.kind != end {
		p.guard(func() { out = append(out, p.statement()...) })
	}
	return out
}

func (p *parser) functions(out *Program) {
	p.take("{", "to begin the block \"functions\"")
	for p.tok.kind != "}" && p.tok.kind != end {
		p.guard(func() { out.Functions = append(out.Functions, p.function()) })
	}
	p.take("}", "to end the block \"functions\"")
}

func (p *parser) function() *Function {
	f := &Function{}
	if !p.accept("void") {
		f.Returns = p.unsized()
	}
	t := p.identifier("the name of a function")
	f.Pos, f.Name = t.pos, t.text
	p.take("(", "before the arguments of a function")
	for p.tok.kind != ")" {
		if len(f.Params) > 0 {
			p.take(",", "or ')' after an argument")
		}
		var a Param
		if p.tok.text == "data" {
			a.Data = true
			p.advance()
		}
		a.Type = p.unsized()
		t := p.identifier("the name of an argument")
		a.Pos, a.Name = t.pos, t.text
		f.Params = append(f.Params, a)
	}
	p.advance()
	if p.accept(";") {
		return f
	}
	f.Body = &Block{Pos: p.take("{", "to begin the body of a function").pos}
	f.Body.Stmts = p.statements("}")
	p.take("}", "to end the body of a function")
	return f
}

// identifier takes a name; words that newer versions reserve are names where nothing else can be meant.
func (p *parser) identifier(what string) token {
	if p.tok.kind != name && !(notReserved[p.tok.text] && p.tok.kind != "target") {
		if keywords[p.tok.text] {
			p.fail(p.tok.pos, "%s is a word of the language, want %s", p.tok.text, what)
		}
		p.unexpected(what)
	}
	t := p.tok
	p.advance()
	return t
}
