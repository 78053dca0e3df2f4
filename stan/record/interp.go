package record

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/engine"
	"bayeskernel/stan/syntax"
)

// run is one pass through a program: its variables, the tape and the log density so far.
type run struct {
	p       *Program
	t       *Tape
	scopes  []map[string]*variable
	target  []Real // terms of the model block
	jac     []Real // terms of the transforms
	inFunc  int    // depth of calls
	lp      bool   // target may be added to
	steps   int
	ruled   syntax.Pos // the first statement that adds -Inf to the target; line 0 for none
	why     string     // it does so, "" where that is not known
	outside string     // of the last value that is outside of the support of its distribution
	chose   bool       // the form of an expression by its values, without a guard: elsewhere the last digits may differ
	u       []float64  // unconstrained values, where they are constants
	r       *rand.Rand // of functions that end with _rng, nil where these cannot be called

	scores    *[]float64         // what Residuals found so far, nil where it does not look
	simplexes map[[2]Real][]Real // values that are probabilities, by their ends
}

// variable has a declared type, so that ints given to reals become reals.
type variable struct {
	t *syntax.Type
	v Value
}

// ends of statements other than falling through.
type flow int

const (
	onward flow = iota
	broke
	continued
	returned
)

// input is an unconstrained number.
func (c *run) input(i int) Real {
	if c.u != nil {
		return constant(c.u[i])
	}
	return c.t.input(i)
}

// at says where in the program what is recorded next is computed.
func (c *run) at(p syntax.Pos) { c.t.site = int32(p.Line)<<12 | int32(p.Col&0xfff) }

func (c *run) push() { c.scopes = append(c.scopes, map[string]*variable{}) }
func (c *run) pop()  { c.scopes = c.scopes[:len(c.scopes)-1] }

func (c *run) lookup(name string) *variable {
	for i := len(c.scopes) - 1; i >= 0; i-- {
		if v := c.scopes[i][name]; v != nil {
			return v
		}
	}
	return nil
}

func (c *run) set(name string, t *syntax.Type, v Value) {
	c.scopes[len(c.scopes)-1][name] = &variable{t, v}
}

// Error is an error of a program, with its place.
type Error struct {
	Pos syntax.Pos
	Err error
}

func (e *Error) Error() string { return e.Pos.String() + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// at gives a fault or rejection its place, if it has none.
func at(pos syntax.Pos) {
	if r := recover(); r != nil {
		panic(placed(r, pos, "an operation"))
	}
}

// atCall is at for a call of a function.
func atCall(pos syntax.Pos, function string, args []Value) {
	if r := recover(); r != nil {
		var what []string
		for _, a := range args {
			what = append(what, said(a))
		}
		panic(placed(r, pos, sprintf("%s(%s)", function, strings.Join(what, ", "))))
	}
}

// placed is the error of a panic, with its place. What an operation on these values panics with of itself, because no
// check of theirs came first, is an error of the program too.
func placed(r any, pos syntax.Pos, what string) any {
	switch e := r.(type) {
	case *fault:
		return &Error{pos, e}
	case *rejection:
		return &Error{pos, e}
	case runtime.Error, mat.Error, mat.ErrorStack, string:
		return &Error{pos, faultf("%s fails for arguments of these sizes or values: %v", what, e)}
	}
	return r
}

// eval computes an expression.
func (c *run) eval(e syntax.Expr) Value {
	switch e := e.(type) {
	case *syntax.Name:
		v := c.lookup(e.Name)
		if v == nil {
			if k, ok := constants[e.Name]; ok {
				return constant(k)
			}
			panic(&Error{e.Pos, faultf("there is no variable %s", e.Name)})
		}
		return v.v
	case *syntax.Int:
		k, err := strconv.Atoi(strings.ReplaceAll(e.Text, "_", ""))
		if err != nil {
			panic(&Error{e.Pos, faultf("the whole number %s is too large", e.Text)})
		}
		return k
	case *syntax.Real:
		if e.Imaginary {
			panic(&Error{e.Pos, faultf("complex numbers are not here")})
		}
		v, _ := strconv.ParseFloat(strings.ReplaceAll(e.Text, "_", ""), 64)
		return constant(v)
	case *syntax.Text:
		return strings.Trim(e.Text, "\"")
	case *syntax.Paren:
		return c.eval(e.X)
	case *syntax.Unary:
		return c.unary(e)
	case *syntax.Binary:
		return c.binary(e)
	case *syntax.Choice:
		if c.truth(e.C) {
			return c.eval(e.X)
		}
		return c.eval(e.Y)
	case *syntax.Index:
		v := c.eval(e.X)
		subs := c.subscripts(e.By)
		defer at(e.Pos)
		return take(v, subs, syntax.Expression(e.X))
	case *syntax.Field:
		v, ok := c.eval(e.X).(Tuple)
		k, _ := strconv.Atoi(e.N)
		if !ok || k < 1 || k > len(v) {
			panic(&Error{e.Pos, faultf("there is no element %s", e.N)})
		}
		return v[k-1]
	case *syntax.Array:
		return arrayOf(c.evals(e.Elems))
	case *syntax.Tuple:
		return Tuple(c.evals(e.Elems))
	case *syntax.Row:
		return c.rowExpression(e)
	case *syntax.Call:
		return c.callExpression(e)
	}
	panic(faultf("an expression of an unknown kind"))
}

func (c *run) evals(list []syntax.Expr) []Value {
	out := make([]Value, len(list))
	for i, e := range list {
		out[i] = c.eval(e)
	}
	return out
}

func (c *run) unary(e *syntax.Unary) Value {
	v := c.eval(e.X)
	c.at(e.Pos)
	defer at(e.Pos)
	switch e.Op {
	case "-":
		return c.t.negate(v)
	case "+":
		return v
	case "!":
		if k, ok := v.(int); ok {
			return btoi(k == 0)
		}
		return btoi(c.t.compare(engine.Equal, real(v), constant(0)))
	case "'":
		switch v := v.(type) {
		case Vector:
			return RowVector(v)
		case RowVector:
			return Vector(v)
		case *Matrix:
			return v.transpose()
		}
	}
	panic(faultf("there is no %s of %s", e.Op, typeName(v)))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c *run) binary(e *syntax.Binary) Value {
	switch e.Op {
	case "&&":
		return btoi(c.truth(e.X) && c.truth(e.Y))
	case "||":
		return btoi(c.truth(e.X) || c.truth(e.Y))
	}
	x, y := c.eval(e.X), c.eval(e.Y)
	c.at(e.Pos)
	defer at(e.Pos)
	switch e.Op {
	case "<":
		return btoi(c.t.compare(engine.Less, real(x), real(y)))
	case "<=":
		return btoi(c.t.compare(engine.LessEqual, real(x), real(y)))
	case ">":
		return btoi(c.t.compare(engine.Less, real(y), real(x)))
	case ">=":
		return btoi(c.t.compare(engine.LessEqual, real(y), real(x)))
	case "==":
		return btoi(c.t.compare(engine.Equal, real(x), real(y)))
	case "!=":
		return btoi(!c.t.compare(engine.Equal, real(x), real(y)))
	}
	return c.t.operate(e.Op, x, y)
}

func (c *run) truth(e syntax.Expr) bool {
	v := c.eval(e)
	c.at(e.At())
	defer at(e.At())
	if k, ok := v.(int); ok {
		return k != 0
	}
	return !c.t.compare(engine.Equal, real(v), constant(0))
}

func (c *run) rowExpression(e *syntax.Row) Value {
	vs := c.evals(e.Elems)
	defer at(e.Pos)
	var rows []RowVector
	for _, v := range vs {
		if r, ok := v.(RowVector); ok {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		out := make(RowVector, len(vs))
		for i, v := range vs {
			out[i] = real(v)
		}
		return out
	}
	if len(rows) != len(vs) {
		panic(faultf("rows and numbers together in one matrix"))
	}
	m := newMatrix(len(rows), len(rows[0]))
	for i, r := range rows {
		if len(r) != m.C {
			panic(faultf("row %d of a matrix has %d values, want %d", i+1, len(r), m.C))
		}
		for j, v := range r {
			m.set(i, j, v)
		}
	}
	return m
}

// subscript is one number, or many.
type subscript struct {
	one  bool
	at   []int // from 1
	all  bool
	from bool // lo: to the end, at[0]
	upto bool // : to at[0]
}

func (c *run) subscripts(by []syntax.Subscript) []subscript {
	out := make([]subscript, len(by))
	for i, s := range by {
		out[i] = c.subscript(s)
	}
	return out
}

func (c *run) subscript(s syntax.Subscript) subscript {
	defer at(s.Pos)
	whole := func(e syntax.Expr) int {
		k, ok := c.eval(e).(int)
		if !ok {
			panic(faultf("a subscript is no int"))
		}
		return k
	}
	if !s.Range {
		switch v := c.eval(s.Lo).(type) {
		case int:
			return subscript{one: true, at: []int{v}}
		case Ints:
			return subscript{at: v}
		case Array:
			if len(v) == 0 {
				return subscript{at: []int{}}
			}
		case Reals:
			if len(v) == 0 {
				return subscript{at: []int{}}
			}
		}
		panic(faultf("a subscript is neither an int nor an array of ints"))
	}
	switch {
	case s.Lo == nil && s.Hi == nil:
		return subscript{all: true}
	case s.Hi == nil:
		return subscript{from: true, at: []int{whole(s.Lo)}}
	case s.Lo == nil:
		return subscript{upto: true, at: []int{whole(s.Hi)}}
	}
	lo, hi := whole(s.Lo), whole(s.Hi)
	out := subscript{at: []int{}}
	for k := lo; k <= hi; k++ {
		out.at = append(out.at, k)
	}
	return out
}

// places are the chosen elements of n, from 0.
func (s subscript) places(n int, of string) []int {
	var out []int
	switch {
	case s.all:
		out = make([]int, n)
		for i := range out {
			out[i] = i
		}
		return out
	case s.from:
		for k := s.at[0]; k <= n; k++ {
			out = append(out, k-1)
		}
		if s.at[0] < 1 {
			panic(rejectf("index %d of %s is out of bounds: it has %d elements, counted from 1", s.at[0], of, n))
		}
		return out
	case s.upto:
		if s.at[0] > n {
			panic(rejectf("index %d of %s is out of bounds: it has %d elements, counted from 1", s.at[0], of, n))
		}
		for k := 1; k <= s.at[0]; k++ {
			out = append(out, k-1)
		}
		return out
	}
	out = make([]int, len(s.at))
	for i, k := range s.at {
		if k < 1 || k > n {
			panic(rejectf("index %d of %s is out of bounds: it has %d elements, counted from 1", k, of, n))
		}
		out[i] = k - 1
	}
	return out
}

// take chooses elements of a value.
func take(v Value, subs []subscript, of string) Value {
	if len(subs) == 0 {
		return v
	}
	if m, ok := v.(*Matrix); ok && len(subs) >= 2 {
		if len(subs) > 2 {
			panic(faultf("%d subscripts of the matrix %s, want at most 2", len(subs), of))
		}
		rows, cols := subs[0].places(m.R, of), subs[1].places(m.C, of)
		switch {
		case subs[0].one && subs[1].one:
			return m.at(rows[0], cols[0])
		case subs[0].one:
			out := make(RowVector, len(cols))
			for j, k := range cols {
				out[j] = m.at(rows[0], k)
			}
			return out
		case subs[1].one:
			out := make(Vector, len(rows))
			for i, k := range rows {
				out[i] = m.at(k, cols[0])
			}
			return out
		}
		out := newMatrix(len(rows), len(cols))
		for j, k := range cols {
			for i, l := range rows {
				out.set(i, j, m.at(l, k))
			}
		}
		return out
	}
	n, ok := length(v)
	if !ok {
		panic(faultf("%s is %s and has no elements", of, typeName(v)))
	}
	places := subs[0].places(n, of)
	if subs[0].one {
		return take(element(v, places[0]), subs[1:], of)
	}
	switch v := v.(type) {
	case Vector:
		return pick(v, places)
	case RowVector:
		return pick(v, places)
	case Ints:
		return pick(v, places)
	case Reals:
		return pick(v, places)
	case *Matrix:
		out := newMatrix(len(places), v.C)
		for i, k := range places {
			for j := range v.C {
				out.set(i, j, v.at(k, j))
			}
		}
		return out
	}
	out := make([]Value, len(places))
	for i, k := range places {
		out[i] = take(element(v, k), subs[1:], of)
	}
	return arrayOf(out)
}

func pick[S ~[]E, E any](v S, places []int) S {
	out := make(S, len(places))
	for i, k := range places {
		out[i] = v[k]
	}
	return out
}

// put gives elements of old values and returns what old has become; old is changed in place.
func put(old Value, subs []subscript, v Value, of string) Value {
	if len(subs) == 0 {
		return assigned(old, v, of)
	}
	if m, ok := old.(*Matrix); ok {
		rows := subs[0].places(m.R, of)
		all := subscript{all: true}
		second := all
		if len(subs) > 1 {
			second = subs[1]
		}
		cols := second.places(m.C, of)
		xs := scalars(v)
		if len(xs) != len(rows)*len(cols) {
			panic(faultf("%d values for %d by %d elements of %s", len(xs), len(rows), len(cols), of))
		}
		k := 0
		for _, j := range cols {
			for _, i := range rows {
				m.set(i, j, xs[k])
				k++
			}
		}
		return m
	}
	n, ok := length(old)
	if !ok {
		panic(faultf("%s is %s and has no elements", of, typeName(old)))
	}
	places := subs[0].places(n, of)
	one := func(k int, v Value) {
		switch o := old.(type) {
		case Vector:
			o[k] = real(v)
		case RowVector:
			o[k] = real(v)
		case Reals:
			o[k] = real(v)
		case Ints:
			i, ok := v.(int)
			if !ok {
				panic(faultf("%s for an element of %s, want int", typeName(v), of))
			}
			o[k] = i
		case Array:
			o[k] = put(o[k], subs[1:], v, of)
		}
	}
	if subs[0].one {
		one(places[0], v)
		return old
	}
	if m, ok := length(v); !ok || m != len(places) {
		panic(faultf("%s for %d elements of %s", said(v), len(places), of))
	}
	v = clone(v)
	for i, k := range places {
		one(k, element(v, i))
	}
	return old
}

// assigned is v as the new value of a variable that holds old: of the same type and sizes.
func assigned(old, v Value, of string) Value {
	if old == nil {
		return clone(v)
	}
	switch o := old.(type) {
	case int:
		if k, ok := v.(int); ok {
			return k
		}
	case Real:
		if isScalar(v) {
			return real(v)
		}
	case Reals:
		switch w := v.(type) {
		case Reals:
			if len(w) == len(o) {
				return clone(v)
			}
		case Ints:
			if len(w) == len(o) {
				return Reals(scalars(w))
			}
		case Array:
			if len(w) == 0 && len(o) == 0 {
				return o
			}
		}
	case Ints:
		if w, ok := v.(Ints); ok && len(w) == len(o) {
			return clone(v)
		}
		if n, ok := length(v); ok && n == 0 && len(o) == 0 {
			return o
		}
	case Array:
		if n, ok := length(v); ok && n == len(o) {
			out := make(Array, n)
			for i := range out {
				out[i] = assigned(o[i], element(v, i), of)
			}
			return out
		}
	case Tuple:
		if w, ok := v.(Tuple); ok && len(w) == len(o) {
			out := make(Tuple, len(w))
			for i := range out {
				out[i] = assigned(o[i], w[i], of)
			}
			return out
		}
	default:
		if typeName(old) == typeName(v) && sameShape(old, v) {
			return clone(v)
		}
	}
	panic(faultf("%s is %s, and its new value %s", of, said(old), said(v)))
}

var constants = map[string]float64{"e": math.E}
