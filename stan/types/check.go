package types

import (
	"fmt"
	"strings"

	"bayeskernel/internal/spelling"
	"bayeskernel/stan/syntax"
)

// Info is what is known of a program whose types are right.
type Info struct {
	Types map[syntax.Expr]Type // of every expression
	Notes []syntax.Error       // on old names, and on what looks wrong and is allowed
}

// Check finds the types of a program. The error is syntax.Errors: all that is wrong.
func Check(tree *syntax.Program, lib *Library) (*Info, error) {
	c := &checker{lib: lib, info: &Info{Types: map[syntax.Expr]Type{}}, defined: map[string][]*function{},
		lines: map[string]int{}, noted: map[string]bool{}}
	c.program(tree)
	if len(c.errs) > 0 {
		return nil, syntax.Sorted(c.errs)
	}
	c.info.Notes = syntax.Sorted(c.info.Notes)
	return c.info, nil
}

// variable is what is known of a name.
type variable struct {
	t       Type
	kind    string // what it is, in messages, if it cannot be assigned: "data", "a parameter", ...
	line    int
	depends bool // on parameters
}

// checker goes through a program.
type checker struct {
	lib     *Library
	info    *Info
	errs    []syntax.Error
	noted   map[string]bool
	defined map[string][]*function // the functions of the program
	scopes  []map[string]*variable
	lines   map[string]int // where names are first declared in blocks
	inside  map[string]int // the same in the function
	block   string         // "data", "transformed data", ...; "" in a function
	fn      *syntax.Function
	returns Type
	local   bool // in braces, in the model or in a function
	loops   int
}

func (c *checker) fail(pos syntax.Pos, format string, args ...any) {
	c.errs = append(c.errs, syntax.Error{Pos: pos, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) note(pos syntax.Pos, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !c.noted[text] {
		c.noted[text] = true
		c.info.Notes = append(c.info.Notes, syntax.Error{Pos: pos, Message: text})
	}
}

func (c *checker) push() { c.scopes = append(c.scopes, map[string]*variable{}) }
func (c *checker) pop()  { c.scopes = c.scopes[:len(c.scopes)-1] }

func (c *checker) lookup(name string) *variable {
	for i := len(c.scopes) - 1; i >= 0; i-- {
		if v := c.scopes[i][name]; v != nil {
			return v
		}
	}
	return nil
}

// declare adds a name, which must be new.
func (c *checker) declare(name string, pos syntax.Pos, v variable) {
	line := 0
	if old := c.lookup(name); old != nil {
		line = old.line
	} else if fs := c.defined[name]; len(fs) > 0 && c.fn == nil {
		line = fs[0].defined.Pos.Line
	}
	if line > 0 {
		c.fail(pos, "%s is declared already at line %d", name, line)
	}
	if strings.HasSuffix(name, "__") {
		c.fail(pos, "%s ends with two underscores, as names of the sampler do: want another name", name)
	}
	v.line = pos.Line
	c.scopes[len(c.scopes)-1][name] = &v
}

// where says in what part of the program a statement is.
func (c *checker) where() string {
	if c.fn != nil {
		return "the function " + c.fn.Name
	}
	return fmt.Sprintf("the block %q", c.block)
}

// inFunction reports whether the statement is in a function with such an ending.
func (c *checker) inFunction(suffixes ...string) bool {
	for _, s := range suffixes {
		if c.fn != nil && strings.HasSuffix(c.fn.Name, s) {
			return true
		}
	}
	return false
}

func (c *checker) program(p *syntax.Program) {
	blocks := []struct {
		name string
		b    *syntax.Block
	}{{"data", p.Data}, {"transformed data", p.TransformedData}, {"parameters", p.Parameters},
		{"transformed parameters", p.TransformedParameters}, {"model", p.Model}, {"generated quantities", p.Generated}}
	for _, b := range blocks {
		if b.b != nil {
			names(b.b.Stmts, c.lines)
		}
	}
	c.functions(p.Functions)
	c.push()
	for _, b := range blocks {
		if b.b == nil {
			continue
		}
		c.block, c.local = b.name, b.name == "model"
		if c.local {
			c.push()
		}
		if b.name == "data" || b.name == "parameters" {
			c.declarations(b.b.Stmts)
		} else {
			c.statements(b.b.Stmts)
		}
		if c.local {
			c.pop()
		} else {
			for _, v := range c.scopes[0] {
				if v.kind == "" {
					v.kind = map[string]string{"data": "data", "transformed data": "transformed data",
						"parameters": "a parameter", "transformed parameters": "a transformed parameter"}[b.name]
				}
			}
		}
	}
}

// names notes where variables are declared.
func names(list []syntax.Stmt, lines map[string]int) {
	add := func(name string, pos syntax.Pos) {
		if lines[name] == 0 {
			lines[name] = pos.Line
		}
	}
	for _, s := range list {
		switch s := s.(type) {
		case *syntax.Decl:
			add(s.Name, s.Pos)
		case *syntax.Braces:
			names(s.Stmts, lines)
		case *syntax.If:
			names([]syntax.Stmt{s.Then}, lines)
			if s.Else != nil {
				names([]syntax.Stmt{s.Else}, lines)
			}
		case *syntax.While:
			names([]syntax.Stmt{s.Body}, lines)
		case *syntax.For:
			add(s.Name, s.NamePos)
			names([]syntax.Stmt{s.Body}, lines)
		}
	}
}

// nearest suggests a name in the place of a misspelt one.
func nearest(name string, try func(add func(string))) string {
	asked := []rune(name)
	best, least := "", 3
	if len(asked) <= 3 {
		least = min(2, len(asked))
	}
	try(func(s string) {
		if s == name || len(s) > len(name)+2 || len(name) > len(s)+2 {
			return
		}
		if d := spelling.Distance(asked, []rune(s)); d < least || d == least && best != "" && s < best {
			best, least = s, d
		}
	})
	if best == "" {
		return ""
	}
	return ": did you mean " + best + "?"
}

// start is where an expression begins: the place of an operation is its operator.
func start(e syntax.Expr) syntax.Pos {
	switch e := e.(type) {
	case *syntax.Binary:
		return start(e.X)
	case *syntax.Index:
		return start(e.X)
	case *syntax.Field:
		return start(e.X)
	case *syntax.Choice:
		return start(e.C)
	case *syntax.Unary:
		if e.Op == "'" {
			return start(e.X)
		}
	}
	return e.At()
}
