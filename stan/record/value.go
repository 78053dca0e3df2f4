package record

import (
	"fmt"
	"strings"
)

// Value is what a variable holds: int, Real, string, a Vector, a RowVector, a *Matrix, an array (Ints,
// Reals or Array), or a Tuple.
type Value any

type (
	// Vector is a column.
	Vector []Real
	// RowVector is a row.
	RowVector []Real
	// Ints is an array of whole numbers of one dimension.
	Ints []int
	// Reals is an array of numbers of one dimension.
	Reals []Real
	// Array is an array of anything else.
	Array []Value
	// Tuple has values of several types.
	Tuple []Value
)

// Matrix has its values column by column.
type Matrix struct {
	R, C int
	X    []Real
}

func newMatrix(r, c int) *Matrix { return &Matrix{r, c, make([]Real, r*c)} }

func (m *Matrix) at(i, j int) Real     { return m.X[j*m.R+i] }
func (m *Matrix) set(i, j int, v Real) { m.X[j*m.R+i] = v }
func (m *Matrix) row(i int) RowVector {
	out := make(RowVector, m.C)
	for j := range out {
		out[j] = m.at(i, j)
	}
	return out
}
func (m *Matrix) col(j int) Vector { return append(Vector(nil), m.X[j*m.R:(j+1)*m.R]...) }

func (m *Matrix) transpose() *Matrix {
	out := newMatrix(m.C, m.R)
	for i := range m.R {
		for j := range m.C {
			out.set(j, i, m.at(i, j))
		}
	}
	return out
}

// typeName says what a value is, in messages.
func typeName(v Value) string {
	switch v := v.(type) {
	case int:
		return "int"
	case Real:
		return "real"
	case string:
		return "string"
	case Vector:
		return "vector"
	case RowVector:
		return "row_vector"
	case *Matrix:
		return "matrix"
	case Ints:
		return "array[] int"
	case Reals:
		return "array[] real"
	case Tuple:
		var parts []string
		for _, p := range v {
			parts = append(parts, typeName(p))
		}
		return "tuple(" + strings.Join(parts, ", ") + ")"
	case Array:
		if len(v) == 0 {
			return "array[]"
		}
		inner := typeName(v[0])
		if rest, ok := strings.CutPrefix(inner, "array["); ok {
			return "array[," + rest
		}
		return "array[] " + inner
	case nil:
		return "nothing"
	}
	return fmt.Sprintf("%T", v)
}

// length is the number of elements that a subscript chooses from; ok is false for scalars.
func length(v Value) (n int, ok bool) {
	switch v := v.(type) {
	case Vector:
		return len(v), true
	case RowVector:
		return len(v), true
	case *Matrix:
		return v.R, true
	case Ints:
		return len(v), true
	case Reals:
		return len(v), true
	case Array:
		return len(v), true
	}
	return 0, false
}

// element is the k-th, counted from 0.
func element(v Value, k int) Value {
	switch v := v.(type) {
	case Vector:
		return v[k]
	case RowVector:
		return v[k]
	case *Matrix:
		return v.row(k)
	case Ints:
		return v[k]
	case Reals:
		return v[k]
	case Array:
		return v[k]
	}
	return nil
}

// arrayOf makes an array of values, which are of one type.
func arrayOf(vs []Value) Value {
	ints, reals := true, true
	for _, v := range vs {
		switch v.(type) {
		case int:
		case Real:
			ints = false
		default:
			ints, reals = false, false
		}
	}
	switch {
	case len(vs) > 0 && ints:
		out := make(Ints, len(vs))
		for i, v := range vs {
			out[i] = v.(int)
		}
		return out
	case len(vs) > 0 && reals:
		out := make(Reals, len(vs))
		for i, v := range vs {
			out[i] = real(v)
		}
		return out
	}
	return Array(vs)
}

// clone is a copy that shares nothing.
func clone(v Value) Value {
	switch v := v.(type) {
	case Vector:
		return append(make(Vector, 0, len(v)), v...)
	case RowVector:
		return append(make(RowVector, 0, len(v)), v...)
	case *Matrix:
		return &Matrix{v.R, v.C, append(make([]Real, 0, len(v.X)), v.X...)}
	case Ints:
		return append(make(Ints, 0, len(v)), v...)
	case Reals:
		return append(make(Reals, 0, len(v)), v...)
	case Array:
		return each(v, clone)
	case Tuple:
		return each(v, clone)
	}
	return v
}

// each applies f to the elements of an array or a tuple.
func each[L ~[]Value](list L, f func(Value) Value) L {
	out := make(L, len(list))
	for i, e := range list {
		out[i] = f(e)
	}
	return out
}

// real is an int or a real as a Real; it panics for anything else.
func real(v Value) Real {
	switch v := v.(type) {
	case int:
		return constant(float64(v))
	case Real:
		return v
	}
	panic(faultf("found %s, want a real", typeName(v)))
}

// scalars lists the numbers of a value: element by element for arrays, column by column for matrices.
func scalars(v Value) []Real {
	switch v := v.(type) {
	case int:
		return []Real{constant(float64(v))}
	case Real:
		return []Real{v}
	case Vector:
		return v
	case RowVector:
		return v
	case Reals:
		return v
	case *Matrix:
		return v.X
	case Ints:
		out := make([]Real, len(v))
		for i, k := range v {
			out[i] = constant(float64(k))
		}
		return out
	case Array:
		var out []Real
		for _, e := range v {
			out = append(out, scalars(e)...)
		}
		return out
	case Tuple:
		var out []Real
		for _, e := range v {
			out = append(out, scalars(e)...)
		}
		return out
	}
	panic(faultf("found %s, want numbers", typeName(v)))
}

// like gives numbers the shape of a value; whole numbers become reals.
func like(v Value, x []Real) Value {
	out, rest := shaped(v, x)
	_ = rest
	return out
}

func shaped(v Value, x []Real) (Value, []Real) {
	switch v := v.(type) {
	case int, Real:
		return x[0], x[1:]
	case Vector:
		return Vector(x[:len(v):len(v)]), x[len(v):]
	case RowVector:
		return RowVector(x[:len(v):len(v)]), x[len(v):]
	case Reals:
		return Reals(x[:len(v):len(v)]), x[len(v):]
	case Ints:
		return Reals(x[:len(v):len(v)]), x[len(v):]
	case *Matrix:
		return &Matrix{v.R, v.C, x[:len(v.X):len(v.X)]}, x[len(v.X):]
	case Array:
		out := make(Array, len(v))
		for i, e := range v {
			out[i], x = shaped(e, x)
		}
		return out, x
	}
	panic(faultf("found %s, want numbers", typeName(v)))
}

// fault is an error of the program itself: the wrong type, an index out of bounds.
type fault struct{ msg string }

func (f *fault) Error() string { return f.msg }

func faultf(format string, args ...any) *fault { return &fault{fmt.Sprintf(format, args...)} }

// rejection says that the density is 0 at a point.
type rejection struct{ msg string }

func (r *rejection) Error() string { return r.msg }

func rejectf(format string, args ...any) *rejection { return &rejection{fmt.Sprintf(format, args...)} }
