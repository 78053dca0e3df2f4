package types

import (
	"fmt"
	"slices"
	"strings"

	"bayeskernel/stan/syntax"
)

// Type is the type of an expression.
type Type struct {
	Base  string // "int", "real", "vector", "row_vector", "matrix", "tuple", "text", "void"; "" if it is not known
	Dims  int    // of the array, 0 for none
	Parts []Type // of a tuple
}

// unknown is the type of what was found to be wrong: it fits everywhere, so that a mistake is told once.
var (
	unknown   = Type{}
	integer   = Type{Base: "int"}
	number    = Type{Base: "real"}
	vector    = Type{Base: "vector"}
	rowVector = Type{Base: "row_vector"}
	matrix    = Type{Base: "matrix"}
	text      = Type{Base: "text"}
	void      = Type{Base: "void"}
)

func (t Type) String() string {
	s := t.Base
	if t.Base == "tuple" {
		var parts []string
		for _, p := range t.Parts {
			parts = append(parts, p.String())
		}
		s = "tuple(" + strings.Join(parts, ", ") + ")"
	}
	if t.Dims > 0 {
		s = "array[" + strings.Repeat(",", t.Dims-1) + "] " + s
	}
	return s
}

func (t Type) is(u Type) bool {
	return t.Base == u.Base && t.Dims == u.Dims && slices.EqualFunc(t.Parts, u.Parts, Type.is)
}

func (t Type) scalar() bool { return t.Dims == 0 && (t.Base == "int" || t.Base == "real") }

// container is a vector, row vector or matrix.
func (t Type) container() bool { return t.Dims == 0 && numeric[t.Base] && !t.scalar() }

var numeric = map[string]bool{"int": true, "real": true, "vector": true, "row_vector": true, "matrix": true}

// hasInts reports whether whole numbers are among the values.
func (t Type) hasInts() bool { return t.Base == "int" || slices.ContainsFunc(t.Parts, Type.hasInts) }

// hasReals reports whether values may depend on parameters.
func (t Type) hasReals() bool {
	if t.Base == "tuple" {
		return slices.ContainsFunc(t.Parts, Type.hasReals)
	}
	return t.Base != "int"
}

// element is the type of the elements of an array, vector or matrix that a loop goes over.
func (t Type) element() (Type, bool) {
	switch {
	case t.Base == "":
		return unknown, true
	case t.Dims > 0:
		return Type{t.Base, t.Dims - 1, t.Parts}, true
	case t.container():
		return number, true
	}
	return unknown, false
}

// fits says how many ints must become reals before a value of type t can be used as u, and whether it can.
func (t Type) fits(u Type) (promotions int, ok bool) {
	switch {
	case t.Base == "" || u.Base == "":
		return 0, true
	case t.Dims != u.Dims:
		return 0, false
	case t.Base == "tuple" && u.Base == "tuple" && len(t.Parts) == len(u.Parts):
		for i, p := range t.Parts {
			n, ok := p.fits(u.Parts[i])
			if !ok {
				return 0, false
			}
			promotions += n
		}
		return promotions, true
	case t.Base == "int" && u.Base == "real":
		return 1, true
	}
	return 0, t.is(u)
}

// common is the type that values of both types can be used as.
func common(t, u Type) (Type, bool) {
	if t.Base == "" {
		return u, true
	}
	if _, ok := u.fits(t); ok {
		return t, true
	}
	_, ok := t.fits(u)
	return u, ok
}

// of is the type of a declaration, whose arrays have sizes, or of an argument. Complex says that there are
// complex numbers in it.
func of(t *syntax.Type) (out Type, complex bool) {
	dims := max(t.Dims, len(t.Array))
	switch t.Base {
	case "int", "real", "vector", "row_vector", "matrix":
		return Type{Base: t.Base, Dims: dims}, false
	case "ordered", "positive_ordered", "simplex", "unit_vector", "sum_to_zero_vector":
		return Type{Base: "vector", Dims: dims}, false
	case "cov_matrix", "corr_matrix", "cholesky_factor_corr", "cholesky_factor_cov", "sum_to_zero_matrix",
		"column_stochastic_matrix", "row_stochastic_matrix":
		return Type{Base: "matrix", Dims: dims}, false
	case "tuple":
		out = Type{Base: "tuple", Dims: dims}
		for _, p := range t.Parts {
			q, c := of(p)
			out.Parts = append(out.Parts, q)
			complex = complex || c
		}
		return out, complex
	}
	return unknown, true
}

// constrained reports whether a declaration has a constraint.
func constrained(t *syntax.Type) bool {
	switch t.Base {
	case "int", "real", "vector", "row_vector", "matrix", "complex", "complex_vector", "complex_row_vector",
		"complex_matrix":
		return t.Lower != nil || t.Upper != nil || t.Offset != nil || t.Multiplier != nil
	case "tuple":
		return slices.ContainsFunc(t.Parts, constrained)
	}
	return true
}

// or joins alternatives for a message.
func or(words []string) string {
	switch n := len(words); n {
	case 0:
		return "nothing"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
}

func arguments(ts []Type) string {
	var out []string
	for _, t := range ts {
		out = append(out, t.String())
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	if n == 0 {
		return "no " + word + "s"
	}
	return fmt.Sprintf("%d %ss", n, word)
}
