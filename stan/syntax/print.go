package syntax

import (
	"fmt"
	"strings"
)

// Format writes a program in its canonical form: modern syntax, two spaces a level, one statement a line.
// Comments are lost.
func Format(p *Program) string {
	w := &writer{}
	if p.Functions != nil {
		w.open("functions")
		for _, f := range p.Functions {
			w.function(f)
		}
		w.close()
	}
	for _, b := range []struct {
		name string
		b    *Block
	}{{"data", p.Data}, {"transformed data", p.TransformedData}, {"parameters", p.Parameters},
		{"transformed parameters", p.TransformedParameters}, {"model", p.Model},
		{"generated quantities", p.Generated}} {
		if b.b != nil {
			w.open(b.name)
			w.stmts(b.b.Stmts)
			w.close()
		}
	}
	return w.b.String()
}

type writer struct {
	b     strings.Builder
	depth int
}

func (w *writer) line(format string, args ...any) {
	w.b.WriteString(strings.Repeat("  ", w.depth))
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

func (w *writer) open(head string) {
	w.line("%s", strings.TrimLeft(head+" {", " "))
	w.depth++
}

func (w *writer) close() {
	w.depth--
	w.line("}")
}

func (w *writer) stmts(list []Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *writer) function(f *Function) {
	result := "void"
	if f.Returns != nil {
		result = f.Returns.String()
	}
	var args []string
	for _, a := range f.Params {
		s := a.Type.String() + " " + a.Name
		if a.Data {
			s = "data " + s
		}
		args = append(args, s)
	}
	head := fmt.Sprintf("%s %s(%s)", result, f.Name, strings.Join(args, ", "))
	if f.Body == nil {
		w.line("%s;", head)
		return
	}
	w.open(head)
	w.stmts(f.Body.Stmts)
	w.close()
}

func (w *writer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Decl:
		init := ""
		if s.Init != nil {
			init = " = " + Expression(s.Init)
		}
		w.line("%s %s%s;", s.Type, s.Name, init)
	case *Assign:
		w.line("%s %s %s;", Expression(s.Left), s.Op, Expression(s.Right))
	case *Tilde:
		cut := ""
		if s.Truncated {
			cut = " T[" + optional(s.Lower) + ", " + optional(s.Upper) + "]"
		}
		w.line("%s ~ %s(%s)%s;", Expression(s.Left), s.Dist, expressions(s.Args), cut)
	case *Target:
		what := "target"
		if s.Jacobian {
			what = "jacobian"
		}
		w.line("%s += %s;", what, Expression(s.Value))
	case *If:
		w.ifElse("", s)
	case *For:
		over := Expression(s.From)
		if s.To != nil {
			over += " : " + Expression(s.To)
		}
		w.governed(fmt.Sprintf("for (%s in %s)", s.Name, over), s.Body)
	case *While:
		w.governed(fmt.Sprintf("while (%s)", Expression(s.Cond)), s.Body)
	case *Break:
		w.line("break;")
	case *Continue:
		w.line("continue;")
	case *Return:
		if s.Value == nil {
			w.line("return;")
		} else {
			w.line("return %s;", Expression(s.Value))
		}
	case *Say:
		w.line("%s(%s);", s.What, expressions(s.Args))
	case *Do:
		w.line("%s;", Expression(s.Call))
	case *Braces:
		head := ""
		if s.Profile != "" {
			head = "profile(" + s.Profile + ")"
		}
		w.open(head)
		w.stmts(s.Stmts)
		w.close()
	case *Empty:
	}
}

// governed writes what a loop or condition governs, always in braces.
func (w *writer) governed(head string, body Stmt) {
	w.open(head)
	w.inner(body)
	w.close()
}

func (w *writer) inner(body Stmt) {
	if b, ok := body.(*Braces); ok && b.Profile == "" {
		w.stmts(b.Stmts)
		return
	}
	w.stmt(body)
}

func (w *writer) ifElse(before string, s *If) {
	w.open(before + "if (" + Expression(s.Cond) + ")")
	w.inner(s.Then)
	w.depth--
	switch other := s.Else.(type) {
	case nil:
		w.line("}")
	case *If:
		w.ifElse("} else ", other)
	default:
		w.open("} else")
		w.inner(other)
		w.close()
	}
}

// String writes a type as declarations do.
func (t *Type) String() string {
	s := ""
	switch {
	case t.Array != nil:
		s = "array[" + expressions(t.Array) + "] "
	case t.Dims > 0:
		s = "array[" + strings.Repeat(",", t.Dims-1) + "] "
	}
	if t.Base == "tuple" {
		var parts []string
		for _, p := range t.Parts {
			parts = append(parts, p.String())
		}
		return s + "tuple(" + strings.Join(parts, ", ") + ")"
	}
	s += t.Base
	var limits []string
	for _, c := range []struct {
		word string
		e    Expr
	}{{"lower", t.Lower}, {"upper", t.Upper}, {"offset", t.Offset}, {"multiplier", t.Multiplier}} {
		if c.e != nil {
			limits = append(limits, c.word+"="+Expression(c.e))
		}
	}
	if limits != nil {
		s += "<" + strings.Join(limits, ", ") + ">"
	}
	if t.Sizes != nil {
		s += "[" + expressions(t.Sizes) + "]"
	}
	return s
}

func optional(e Expr) string {
	if e == nil {
		return ""
	}
	return Expression(e)
}

func expressions(list []Expr) string {
	var out []string
	for _, e := range list {
		out = append(out, Expression(e))
	}
	return strings.Join(out, ", ")
}

// Expression writes an expression. Its parentheses are those of the tree.
func Expression(e Expr) string {
	switch e := e.(type) {
	case *Name:
		return e.Name
	case *Int:
		return e.Text
	case *Real:
		return e.Text
	case *Text:
		return e.Text
	case *Call:
		if e.Bar {
			return fmt.Sprintf("%s(%s | %s)", e.Name, Expression(e.Args[0]), expressions(e.Args[1:]))
		}
		return fmt.Sprintf("%s(%s)", e.Name, expressions(e.Args))
	case *Index:
		var by []string
		for _, s := range e.By {
			switch {
			case !s.Range:
				by = append(by, Expression(s.Lo))
			case s.Lo == nil && s.Hi == nil:
				by = append(by, ":")
			default:
				by = append(by, strings.TrimSpace(optional(s.Lo)+" : "+optional(s.Hi)))
			}
		}
		return Expression(e.X) + "[" + strings.Join(by, ", ") + "]"
	case *Field:
		return Expression(e.X) + "." + e.N
	case *Unary:
		if e.Op == "'" {
			return Expression(e.X) + "'"
		}
		return e.Op + Expression(e.X)
	case *Binary:
		if power[kind(e.Op)] {
			return Expression(e.X) + e.Op + Expression(e.Y)
		}
		return Expression(e.X) + " " + e.Op + " " + Expression(e.Y)
	case *Choice:
		return Expression(e.C) + " ? " + Expression(e.X) + " : " + Expression(e.Y)
	case *Array:
		return "{" + expressions(e.Elems) + "}"
	case *Row:
		return "[" + expressions(e.Elems) + "]"
	case *Tuple:
		return "(" + expressions(e.Elems) + ")"
	case *Paren:
		return "(" + Expression(e.X) + ")"
	}
	return ""
}
