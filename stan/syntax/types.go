package syntax

import "fmt"

// shapes has how many sizes each type takes: ints, reals and so on none.
var shapes = map[string]int{"int": 0, "real": 0, "complex": 0, "vector": 1, "row_vector": 1, "matrix": 2,
	"complex_vector": 1, "complex_row_vector": 1, "complex_matrix": 2, "ordered": 1, "positive_ordered": 1,
	"simplex": 1, "unit_vector": 1, "sum_to_zero_vector": 1, "sum_to_zero_matrix": 2, "cov_matrix": 1,
	"corr_matrix": 1, "cholesky_factor_corr": 1, "cholesky_factor_cov": 1, "column_stochastic_matrix": 2,
	"row_stochastic_matrix": 2}

// bounded can have limits, offset and multiplier.
var bounded = wordSet("int real complex vector row_vector matrix")

// startsType reports whether a declaration begins here.
func (p *parser) startsType() bool {
	t := p.tok
	if _, ok := shapes[t.text]; ok && t.kind == kind(t.text) {
		if notReserved[t.text] { // older programs may use it as a name
			return p.then.kind == name || p.then.kind == "[" || p.then.kind == "<"
		}
		return true
	}
	return t.kind == "array" && p.then.kind == "[" || t.kind == "tuple" && p.then.kind == "("
}

// tuple reads the types of a tuple.
func (p *parser) tuple(t *Type, part func() *Type) {
	p.advance()
	t.Base = "tuple"
	p.take("(", "before the types of a tuple")
	for p.tok.kind != ")" {
		if len(t.Parts) > 0 {
			p.take(",", "or ')' after a type")
		}
		t.Parts = append(t.Parts, part())
	}
	p.advance()
}

// sized reads a type with its sizes and constraint.
func (p *parser) sized() *Type {
	t := &Type{Pos: p.tok.pos}
	if p.tok.kind == "array" {
		p.advance()
		p.take("[", "before the sizes of an array")
		t.Array = p.list("]", "a size")
		if len(t.Array) == 0 {
			p.fail(t.Pos, "an array without sizes, want array[N]")
		}
		t.Dims = len(t.Array)
	}
	if p.tok.kind == "tuple" {
		p.tuple(t, p.sized)
		return t
	}
	n, ok := shapes[p.tok.text]
	if !ok {
		p.unexpected("a type")
	}
	t.Base = p.tok.text
	p.advance()
	if p.tok.kind == "<" {
		p.constraint(t)
	}
	if n > 0 {
		at := p.tok.pos
		p.take("[", "before the size of a "+t.Base)
		t.Sizes = p.list("]", "a size")
		if len(t.Sizes) != n && !(t.Base == "cholesky_factor_cov" && len(t.Sizes) == 2) {
			found := fmt.Sprintf("%d sizes", len(t.Sizes))
			if len(t.Sizes) == 1 {
				found = "1 size"
			}
			p.fail(at, "a %s with %s, want %d", t.Base, found, n)
		}
	}
	return t
}

// constraint reads <lower=0, upper=1> or <offset=m, multiplier=s>.
func (p *parser) constraint(t *Type) {
	open := p.tok.pos
	if !bounded[t.Base] {
		p.fail(open, "a %s has a constraint already, and takes no limits", t.Base)
	}
	p.advance()
	for first := true; p.tok.kind != ">"; first = false {
		if !first {
			p.take(",", "or '>' after a limit")
		}
		word := p.tok
		to := map[string]*Expr{"lower": &t.Lower, "upper": &t.Upper, "offset": &t.Offset,
			"multiplier": &t.Multiplier}[word.text]
		if to == nil {
			p.fail(word.pos, "found %s, want lower, upper, offset or multiplier", word.said())
		}
		if *to != nil {
			p.fail(word.pos, "a second %s", word.text)
		}
		p.advance()
		p.take("=", "after "+word.text)
		*to = p.binary(7) // no comparisons: > ends the constraint
	}
	p.advance()
	if (t.Lower != nil || t.Upper != nil) && (t.Offset != nil || t.Multiplier != nil) {
		p.fail(open, "limits together with offset or multiplier, want one or the other")
	}
	if t.Base == "int" && (t.Offset != nil || t.Multiplier != nil) {
		p.fail(open, "an int takes no offset or multiplier")
	}
}

// unsized reads the type of an argument: array[,] real, or real[,] in older programs.
func (p *parser) unsized() *Type {
	t := &Type{Pos: p.tok.pos}
	if p.tok.kind == "array" {
		p.advance()
		p.take("[", "before the dimensions of an array")
		t.Dims = p.commas()
	}
	if p.tok.kind == "tuple" {
		p.tuple(t, p.unsized)
		return t
	}
	switch p.tok.text {
	case "int", "real", "complex", "vector", "row_vector", "matrix", "complex_vector", "complex_row_vector",
		"complex_matrix":
		t.Base = p.tok.text
		p.advance()
	default:
		if _, ok := shapes[p.tok.text]; ok {
			p.fail(p.tok.pos, "%s as the type of an argument, want int, real, vector, row_vector, matrix or an array "+
				"of these", p.tok.text)
		}
		p.unexpected("a type")
	}
	if p.tok.kind == "[" {
		p.note(p.tok.pos, "arguments that are arrays are written array[] real x since Stan 2.33")
		p.advance()
		t.Dims += p.commas()
	}
	return t
}

// commas reads the rest of [,,] and returns the number of dimensions.
func (p *parser) commas() int {
	if p.tok.kind != "," && p.tok.kind != "]" {
		p.fail(p.tok.pos, "found a size in the type of an argument, which has none: want array[] before it, or vector alone")
	}
	n := 1
	for p.accept(",") {
		n++
	}
	p.take("]", "after the dimensions of an array")
	return n
}

// declaration reads one or more variables of one type.
func (p *parser) declaration() []Stmt {
	t := p.sized()
	var out []Stmt
	for {
		of := *t
		id := p.identifier("the name of a variable")
		if p.tok.kind == "[" {
			p.note(p.tok.pos, "arrays are declared as array[N] real x since Stan 2.33")
			p.advance()
			old := p.list("]", "a size")
			if len(old) == 0 {
				p.fail(id.pos, "an array without sizes, want array[N] before the type")
			}
			of.Array = append(append([]Expr{}, of.Array...), old...)
			of.Dims = len(of.Array)
		}
		d := &Decl{Pos: id.pos, Type: &of, Name: id.text}
		switch {
		case p.accept("="):
			d.Init = p.expr()
		case p.tok.kind == "<-":
			p.note(p.tok.pos, "values are given with = since Stan 2.33")
			p.advance()
			d.Init = p.expr()
		}
		out = append(out, d)
		if !p.accept(",") {
			break
		}
	}
	p.take(";", "to end a declaration")
	return out
}
