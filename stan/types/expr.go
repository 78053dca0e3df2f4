package types

import (
	"strconv"
	"strings"

	"bayeskernel/stan/syntax"
)

// value is the type of an expression that must have a value.
func (c *checker) value(e syntax.Expr) Type {
	t := c.expr(e)
	if t.Base == "void" {
		name := "this"
		if call, ok := e.(*syntax.Call); ok {
			name = call.Name
		}
		c.fail(start(e), "%s returns nothing, want a function that returns a value", name)
		return unknown
	}
	return t
}

func (c *checker) values(list []syntax.Expr) []Type {
	out := make([]Type, len(list))
	for i, e := range list {
		out[i] = c.value(e)
	}
	return out
}

// expr is the type of an expression.
func (c *checker) expr(e syntax.Expr) Type {
	t := c.typed(e)
	c.info.Types[e] = t
	return t
}

func (c *checker) typed(e syntax.Expr) Type {
	switch e := e.(type) {
	case *syntax.Name:
		return c.name(e)
	case *syntax.Int:
		if n, err := strconv.ParseInt(strings.ReplaceAll(e.Text, "_", ""), 10, 64); err != nil || n > 1<<31-1 {
			c.fail(e.Pos, "the whole number %s is too large, want at most 2147483647", e.Text)
		}
		return integer
	case *syntax.Real:
		if e.Imaginary {
			c.fail(e.Pos, "complex numbers are not supported")
			return unknown
		}
		return number
	case *syntax.Text:
		return text
	case *syntax.Paren:
		return c.expr(e.X)
	case *syntax.Unary:
		return c.unary(e)
	case *syntax.Binary:
		x, y := c.value(e.X), c.value(e.Y)
		return c.operation(e.Op, x, y, e.Pos)
	case *syntax.Choice:
		if t := c.value(e.C); t.Base != "" && !t.is(integer) {
			c.fail(start(e.C), "the condition of a choice is %s, want int", t)
		}
		x, y := c.value(e.X), c.value(e.Y)
		t, ok := common(x, y)
		if !ok {
			c.fail(e.At(), "the values of a choice are %s and %s, want one type", x, y)
			return unknown
		}
		return t
	case *syntax.Index:
		return c.index(e)
	case *syntax.Field:
		return c.field(e)
	case *syntax.Array:
		return c.array(e)
	case *syntax.Row:
		return c.row(e)
	case *syntax.Tuple:
		return Type{Base: "tuple", Parts: c.values(e.Elems)}
	case *syntax.Call:
		return c.call(e)
	}
	return unknown
}

func (c *checker) name(e *syntax.Name) Type {
	if v := c.lookup(e.Name); v != nil {
		return v.t
	}
	lines := c.lines
	if c.inside[e.Name] > 0 {
		lines = c.inside
	}
	switch {
	case lines[e.Name] > 0:
		c.fail(e.Pos, "there is no variable %s here: it is declared at line %d", e.Name, lines[e.Name])
	case len(c.defined[e.Name]) > 0 || len(c.lib.functions[e.Name]) > 0:
		c.fail(e.Pos, "%s is a function, want a variable", e.Name)
	default:
		c.fail(e.Pos, "there is no variable %s%s", e.Name, nearest(e.Name, func(add func(string)) {
			for _, s := range c.scopes {
				for name := range s {
					add(name)
				}
			}
		}))
	}
	return unknown
}

// depends reports whether a value may depend on parameters.
func (c *checker) depends(e syntax.Expr) bool {
	if c.block == "generated quantities" {
		return false
	}
	if t := c.info.Types[e]; t.Base == "" || !t.hasReals() {
		return false
	}
	any := func(list ...syntax.Expr) bool {
		for _, x := range list {
			if c.depends(x) {
				return true
			}
		}
		return false
	}
	switch e := e.(type) {
	case *syntax.Name:
		v := c.lookup(e.Name)
		return v != nil && v.depends
	case *syntax.Paren:
		return any(e.X)
	case *syntax.Unary:
		return any(e.X)
	case *syntax.Binary:
		return any(e.X, e.Y)
	case *syntax.Choice:
		return any(e.X, e.Y)
	case *syntax.Index:
		return any(e.X)
	case *syntax.Field:
		return any(e.X)
	case *syntax.Array:
		return any(e.Elems...)
	case *syntax.Row:
		return any(e.Elems...)
	case *syntax.Tuple:
		return any(e.Elems...)
	case *syntax.Call:
		return any(e.Args...)
	}
	return false
}

func (c *checker) unary(e *syntax.Unary) Type {
	t := c.value(e.X)
	if t.Base == "" {
		return unknown
	}
	want := ""
	switch e.Op {
	case "-", "+":
		if numeric[t.Base] {
			return t
		}
		want = "numbers"
	case "!":
		if t.scalar() {
			return integer
		}
		want = "a number"
	case "'":
		if t.container() {
			return transposed(t)
		}
		want = "a vector, row_vector or matrix"
	}
	c.fail(e.Pos, "there is no %s for %s, want %s", e.Op, t, want)
	return unknown
}

func transposed(t Type) Type {
	switch t.Base {
	case "vector":
		return rowVector
	case "row_vector":
		return vector
	}
	return t
}

// operation is the type of x op y.
func (c *checker) operation(op string, x, y Type, pos syntax.Pos) Type {
	if x.Base == "" || y.Base == "" {
		return unknown
	}
	if t, ok := operate(op, x, y); ok {
		return t
	}
	c.fail(pos, "there is no %s for %s and %s, want %s", op, x, y, hint(op, x, y))
	return unknown
}

// products are the types of x * y, in the words of their types.
var products = map[[2]string]Type{{"matrix", "matrix"}: matrix, {"matrix", "vector"}: vector,
	{"row_vector", "matrix"}: rowVector, {"row_vector", "vector"}: number, {"vector", "row_vector"}: matrix}

func operate(op string, x, y Type) (Type, bool) {
	if x.scalar() && y.scalar() {
		ints := x.Base == "int" && y.Base == "int"
		switch op {
		case "==", "!=", "<", "<=", ">", ">=", "&&", "||":
			return integer, true
		case "%", "%/%":
			return integer, ints
		case "^", ".^", "./", "\\":
			return number, op != "\\"
		}
		if ints {
			return integer, true
		}
		return number, true
	}
	one := x.scalar() && y.container() || x.container() && y.scalar()
	wide := x
	if x.scalar() {
		wide = y
	}
	switch op {
	case "+", "-", ".*", "./":
		return wide, one || x.container() && x.is(y)
	case ".^", "^": // both are pow, element by element
		same, ok := common(x, y)
		switch {
		case x.scalar() || y.scalar():
			same, ok = wide, numeric[x.Base] && numeric[y.Base]
		case !numeric[same.Base]:
			ok = false
		}
		return real(same), ok
	case "*":
		if one {
			return wide, true
		}
		t, ok := products[[2]string{x.Base, y.Base}]
		return t, ok && x.Dims == 0 && y.Dims == 0
	case "/":
		if one && y.scalar() {
			return x, true
		}
		return x, y.is(matrix) && (x.is(matrix) || x.is(rowVector))
	case "\\":
		return y, x.is(matrix) && (y.is(matrix) || y.is(vector))
	}
	return unknown, false
}

// hint is what would be right in the place of x op y.
func hint(op string, x, y Type) string {
	switch {
	case !numeric[x.Base] || !numeric[y.Base]:
		return "numbers"
	case op == "%" || op == "%/%":
		return "ints"
	case strings.Contains("== != <= >= && ||", op):
		return "numbers"
	case x.Dims > 0 || y.Dims > 0:
		return "to_vector of the array"
	case op == "*":
		return ".* or a transpose"
	case op == "/" && (x.scalar() || x.is(y)):
		return "./"
	case op == "/":
		return "a number on the right"
	case op == "\\":
		return "a matrix on the left"
	case x.Base == "vector" && y.Base == "row_vector" || x.Base == "row_vector" && y.Base == "vector":
		return "a transpose of one"
	}
	return "equal types or a number"
}

// index is the type of elements.
func (c *checker) index(e *syntax.Index) Type {
	t := c.value(e.X)
	single := make([]bool, len(e.By))
	right := true
	for i, s := range e.By {
		ok := true
		single[i], ok = c.subscript(s)
		right = right && ok
	}
	if t.Base == "" || !right {
		return unknown
	}
	own := map[string]int{"vector": 1, "row_vector": 1, "matrix": 2}[t.Base]
	if most := t.Dims + own; len(e.By) > most {
		of := syntax.Expression(e.X)
		if most == 0 {
			c.fail(e.Pos, "%s is %s and takes no subscripts", of, t)
		} else {
			c.fail(e.Pos, "%s is %s and takes %s, found %d", of, t, plural(most, "subscript"), len(e.By))
		}
		return unknown
	}
	out := Type{Base: t.Base, Parts: t.Parts}
	for i := range t.Dims {
		if i >= len(single) || !single[i] {
			out.Dims++
		}
	}
	if len(single) <= t.Dims {
		return out
	}
	rest := append(single[t.Dims:], false)
	switch row, col := rest[0], rest[1]; {
	case t.Base != "matrix" && row, row && col:
		out.Base = "real"
	case row:
		out.Base = "row_vector"
	case t.Base == "matrix" && col:
		out.Base = "vector"
	}
	return out
}

// subscript reports whether one element is taken, and whether the subscript is right.
func (c *checker) subscript(s syntax.Subscript) (one, ok bool) {
	if !s.Range {
		t := c.value(s.Lo)
		ok = t.is(integer) || t.is(Type{Base: "int", Dims: 1})
		if !ok && t.Base != "" {
			c.fail(start(s.Lo), "the subscript is %s, want int or array[] int", t)
		}
		return t.Dims == 0, ok
	}
	for _, e := range []syntax.Expr{s.Lo, s.Hi} {
		if e == nil {
			continue
		}
		if t := c.value(e); t.Base != "" && !t.is(integer) {
			c.fail(start(e), "the subscript is %s, want int", t)
		}
	}
	return false, true
}

func (c *checker) field(e *syntax.Field) Type {
	t := c.value(e.X)
	switch {
	case t.Base == "":
		return unknown
	case t.Base != "tuple" || t.Dims > 0:
		c.fail(e.Pos, "there is no .%s of %s, want a tuple", e.N, t)
		return unknown
	}
	k, err := strconv.Atoi(e.N)
	if err != nil || k < 1 || k > len(t.Parts) {
		c.fail(e.Pos, "there is no .%s of %s, want .1 to .%d", e.N, t, len(t.Parts))
		return unknown
	}
	return t.Parts[k-1]
}

func (c *checker) array(e *syntax.Array) Type {
	if len(e.Elems) == 0 {
		c.fail(e.Pos, "an array of no elements, want at least one")
		return unknown
	}
	var t Type
	for i, x := range e.Elems {
		u := c.value(x)
		if i == 0 {
			t = u
			continue
		}
		both, ok := common(t, u)
		if !ok {
			c.fail(start(x), "found %s after %s in an array, want one type", u, t)
			continue
		}
		t = both
	}
	if t.Base == "" {
		return unknown
	}
	t.Dims++
	return t
}

func (c *checker) row(e *syntax.Row) Type {
	var t Type
	for _, x := range e.Elems {
		u := c.value(x)
		want := "real or row_vector"
		switch {
		case u.Base == "":
			continue
		case u.scalar() && t.Base != "matrix":
			t = rowVector
			continue
		case u.is(rowVector) && t.Base != "row_vector":
			t = matrix
			continue
		case t.Base == "matrix":
			want = "row_vector"
		case t.Base == "row_vector":
			want = "real"
		}
		c.fail(start(x), "found %s in brackets, want %s", u, want)
		return unknown
	}
	if t.Base == "" && len(e.Elems) > 0 {
		return unknown
	}
	if t.Base == "" {
		return rowVector
	}
	return t
}
