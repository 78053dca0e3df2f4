package record

import (
	"fmt"
	"math"
	"strings"

	"bayeskernel/engine"
	"bayeskernel/stan/syntax"
)

// callExpression calls a function of the program or of the library.
func (c *run) callExpression(e *syntax.Call) Value {
	if e.Name == "target" && len(e.Args) == 0 {
		return c.t.sum(append(append([]Real{}, c.target...), c.jac...))
	}
	if op := e.Operation(); op != nil && len(c.p.functions[e.Name]) == 0 {
		return c.eval(op)
	}
	if _, ode := odes[e.Name]; ode {
		return c.ode(e)
	}
	if h := higherFunction(e.Name); h != nil {
		return c.higher(e, h)
	}
	args := c.evals(e.Args)
	c.at(e.Pos)
	defer atCall(e.Pos, e.Name, args)
	if v, ok := c.userCall(e.Name, args); ok {
		return v
	}
	if v, ok := c.library(e.Name, args); ok {
		return v
	}
	panic(faultf("there is no function %s%s%s", e.Name, signature(args), c.p.nearest(e.Name)))
}

func signature(args []Value) string {
	var out []string
	for _, a := range args {
		out = append(out, typeName(a))
	}
	return "(" + strings.Join(out, ", ") + ")"
}

// userCall calls a function of the program whose arguments have the right types: of several the one that makes
// reals of the fewest whole numbers.
func (c *run) userCall(name string, args []Value) (Value, bool) {
	fs := c.p.functions[name]
	var best *syntax.Function
	least := 0
	for _, f := range fs {
		if f.Body != nil && fits(f, args) {
			if n := promotions(f, args); best == nil || n < least {
				best, least = f, n
			}
		}
	}
	if best != nil {
		return c.apply(best, args), true
	}
	if base, ok := strings.CutSuffix(name, "_lupdf"); ok {
		return c.userCall(base+"_lpdf", args)
	}
	if base, ok := strings.CutSuffix(name, "_lupmf"); ok {
		return c.userCall(base+"_lpmf", args)
	}
	if len(fs) > 0 {
		panic(faultf("%s%s: no definition of the program has these types", name, signature(args)))
	}
	return nil, false
}

func (c *run) apply(f *syntax.Function, args []Value) Value {
	if c.inFunc++; c.inFunc > 1000 {
		panic(faultf("%s calls itself more than 1000 deep", f.Name))
	}
	saved := c.scopes
	c.scopes = []map[string]*variable{{}}
	for k, a := range f.Params {
		v := args[k]
		if a.Type.Base == "real" {
			v = promoted(v)
		}
		c.set(a.Name, a.Type, v)
	}
	lp := c.lp
	if !strings.HasSuffix(f.Name, "_lp") && !strings.HasSuffix(f.Name, "_jacobian") {
		c.lp = false
	}
	_, v := c.block(f.Body.Stmts)
	c.lp = lp
	c.scopes = saved
	c.inFunc--
	if f.Returns != nil && f.Returns.Base == "real" {
		return promoted(v)
	}
	return v
}

// promotions is how many arguments have whole numbers where a function takes reals.
func promotions(f *syntax.Function, args []Value) (n int) {
	for k, p := range f.Params {
		v := args[k]
		for {
			a, ok := v.(Array)
			if !ok || len(a) == 0 {
				break
			}
			v = a[0]
		}
		switch v.(type) {
		case int, Ints:
			if p.Type.Base == "real" {
				n++
			}
		}
	}
	return n
}

// promoted turns whole numbers into reals.
func promoted(v Value) Value {
	switch v := v.(type) {
	case int:
		return constant(float64(v))
	case Ints:
		return Reals(scalars(v))
	case Array:
		return each(v, promoted)
	}
	return v
}

// fits reports whether a function takes these arguments.
func fits(f *syntax.Function, args []Value) bool {
	if len(f.Params) != len(args) {
		return false
	}
	for k, p := range f.Params {
		if !is(args[k], p.Type, p.Type.Dims) {
			return false
		}
	}
	return true
}

func is(v Value, t *syntax.Type, dims int) bool {
	if dims > 0 {
		switch v := v.(type) {
		case Ints:
			return dims == 1 && (t.Base == "int" || t.Base == "real") || len(v) == 0
		case Reals:
			return dims == 1 && t.Base == "real" || len(v) == 0
		case Array:
			return len(v) == 0 || is(v[0], t, dims-1)
		}
		return false
	}
	switch v.(type) {
	case int:
		return t.Base == "int" || t.Base == "real"
	case Real:
		return t.Base == "real"
	case Vector:
		return t.Base == "vector"
	case RowVector:
		return t.Base == "row_vector"
	case *Matrix:
		return t.Base == "matrix"
	case Tuple:
		return t.Base == "tuple"
	}
	return false
}

// said0 joins values for print and reject.
func said0(vs []Value) string {
	var b strings.Builder
	for _, v := range vs {
		b.WriteString(shown(v))
	}
	return b.String()
}

func shown(v Value) string {
	list := func(n int, of func(i int) string) string {
		var out []string
		for i := range n {
			out = append(out, of(i))
		}
		return "[" + strings.Join(out, ",") + "]"
	}
	switch v := v.(type) {
	case string:
		return v
	case int:
		return fmt.Sprint(v)
	case Real:
		return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%.6g", v.V), "+"))
	case Vector:
		return list(len(v), func(i int) string { return shown(v[i]) })
	case RowVector:
		return list(len(v), func(i int) string { return shown(v[i]) })
	case Reals:
		return list(len(v), func(i int) string { return shown(v[i]) })
	case Ints:
		return list(len(v), func(i int) string { return shown(v[i]) })
	case Array:
		return list(len(v), func(i int) string { return shown(v[i]) })
	case Tuple:
		s := list(len(v), func(i int) string { return shown(v[i]) })
		return "(" + s[1:len(s)-1] + ")"
	case *Matrix:
		return list(v.R, func(i int) string { return shown(v.row(i)) })
	}
	return "?"
}

// library calls a function of the library.
func (c *run) library(name string, args []Value) (Value, bool) {
	c.suits(name, args)
	if f := functions[name]; f != nil {
		return f(c, args), true
	}
	if v, ok := c.random(name, args); ok {
		return v, true
	}
	if op, ok := unaryOps[name]; ok && len(args) == 1 {
		if k, whole := args[0].(int); whole && name == "abs" {
			return max(k, -k), true
		}
		if ks, whole := args[0].(Ints); whole && name == "abs" {
			out := make(Ints, len(ks))
			for i, k := range ks {
				out[i] = max(k, -k)
			}
			return out, true
		}
		return c.t.mapped(args[0], func(x Real) Real { return c.t.unary(op, x) }), true
	}
	if op, ok := binaryOps[name]; ok && len(args) == 2 {
		if name == "pow" {
			return c.t.each("^", args[0], args[1]), true
		}
		if out, ok := zip(args[0], args[1], func(a, b Real) Real { return c.t.binary(op, a, b) }); ok {
			return out, true
		}
		panic(faultf("%s of %s and %s", name, said(args[0]), said(args[1])))
	}
	for _, suffix := range suffixes {
		if base, ok := strings.CutSuffix(name, suffix); ok {
			if v, ok := c.density(base, suffix, args); ok {
				return v, true
			}
		}
	}
	return nil, false
}

// functions of the library beside those of one and two numbers, and the densities.
var functions = functionTable()

func functionTable() map[string]func(c *run, a []Value) Value {
	num := func(v float64) func(c *run, a []Value) Value {
		return func(c *run, a []Value) Value { want(a, 0); return constant(v) }
	}
	one := func(f func(c *run, v Value) Value) func(c *run, a []Value) Value {
		return func(c *run, a []Value) Value { want(a, 1); return f(c, a[0]) }
	}
	two := func(f func(c *run, x, y Value) Value) func(c *run, a []Value) Value {
		return func(c *run, a []Value) Value { want(a, 2); return f(c, a[0], a[1]) }
	}
	step := func(f func(float64) piece) func(c *run, a []Value) Value { // piecewise constant
		return one(func(c *run, v Value) Value {
			return c.t.mapped(v, func(x Real) Real { return c.guarded(x, f) })
		})
	}
	table := map[string]func(c *run, a []Value) Value{
		"pi": num(math.Pi), "e": num(math.E), "sqrt2": num(math.Sqrt2), "log2": func(c *run, a []Value) Value {
			if len(a) == 0 {
				return constant(math.Ln2)
			}
			return c.t.mapped(a[0], func(x Real) Real { return c.t.unary(unaryOps["log2"], x) })
		},
		"log10": func(c *run, a []Value) Value {
			if len(a) == 0 {
				return constant(math.Ln10)
			}
			return c.t.mapped(a[0], func(x Real) Real { return c.t.unary(unaryOps["log10"], x) })
		},
		"not_a_number": num(math.NaN()), "positive_infinity": num(math.Inf(1)), "negative_infinity": num(math.Inf(-1)),
		"machine_precision": num(0x1p-52),

		"step":  step(stepPiece),
		"floor": step(floorPiece), "ceil": step(ceilPiece), "trunc": step(truncPiece), "round": step(roundPiece),
		"int_step": one(func(c *run, v Value) Value {
			if k, ok := v.(int); ok {
				return btoi(k > 0)
			}
			return btoi(c.t.compare(engine.Less, constant(0), real(v)))
		}),
		"to_int": one(func(c *run, v Value) Value {
			if isScalar(v) {
				return int(real(v).V)
			}
			out := Ints{}
			for _, x := range scalars(v) {
				out = append(out, int(x.V))
			}
			return out
		}),
		"choose": two(wholePairs(func(x, y int) int {
			if x < 0 || y < 0 {
				panic(rejectf("choose of %d and %d, want numbers of at least 0", x, y))
			}
			out := 1 // x over 0, 1, ..., each a whole number
			for i := range min(y, max(x-y, 0)) {
				if out = out * (x - i) / (i + 1); out > math.MaxInt32 {
					panic(rejectf("choose of %d and %d is too large for an int", x, y))
				}
			}
			if y > x {
				return 0
			}
			return out
		})),
		"is_inf": one(func(c *run, v Value) Value {
			x, inf := real(v), constant(math.Inf(1))
			return btoi(c.t.compare(engine.Equal, x, inf) || c.t.compare(engine.Equal, x, constant(math.Inf(-1))))
		}),
		"is_nan": one(func(c *run, v Value) Value { return btoi(!c.t.compare(engine.Equal, real(v), real(v))) }),

		"sum": one(func(c *run, v Value) Value {
			if k, ok := v.(Ints); ok {
				s := 0
				for _, x := range k {
					s += x
				}
				return s
			}
			return c.t.sum(scalars(v))
		}),
		"mean":     one(func(c *run, v Value) Value { return c.mean(scalars(v)) }),
		"variance": one(func(c *run, v Value) Value { return c.variance(scalars(v)) }),
		"sd": one(func(c *run, v Value) Value {
			x := scalars(v)
			if len(x) == 1 {
				return constant(0)
			}
			return c.t.unary(unaryOps["sqrt"], c.variance(x))
		}),
		"prod": one(func(c *run, v Value) Value {
			if k, ok := v.(Ints); ok {
				s := 1
				for _, x := range k {
					s *= x
				}
				return s
			}
			p := constant(1)
			for _, x := range scalars(v) {
				p = c.t.mul(p, x)
			}
			return p
		}),
		"max": func(c *run, a []Value) Value { return c.extreme(a, false) },
		"min": func(c *run, a []Value) Value { return c.extreme(a, true) },
		"log_sum_exp": func(c *run, a []Value) Value {
			if len(a) == 1 {
				return c.t.logSumExp(scalars(a[0]))
			}
			out, ok := zip(a[0], a[1], func(x, y Real) Real { return c.t.logSumExp([]Real{x, y}) })
			if !ok {
				panic(faultf("log_sum_exp of %s and %s", said(a[0]), said(a[1])))
			}
			return out
		},
		"log_mix": func(c *run, a []Value) Value {
			if len(a) == 3 {
				theta := real(a[0])
				return c.t.logSumExp([]Real{c.t.add(c.t.log(theta), real(a[1])),
					c.t.add(c.t.unary(unaryOps["log1m"], theta), real(a[2]))})
			}
			want(a, 2)
			w := scalars(a[0])
			var terms []Real
			for _, lps := range items(a[1]) {
				x := make([]Real, len(w))
				for k := range w {
					x[k] = c.t.add(c.t.log(w[k]), lps[k])
				}
				terms = append(terms, c.t.logSumExp(x))
			}
			return c.t.sum(terms)
		},
		"softmax": one(func(c *run, v Value) Value {
			return Vector(c.t.mappedReals(c.logSoftmax(v), c.t.exp))
		}),
		"log_softmax": one(func(c *run, v Value) Value {
			return Vector(c.logSoftmax(v))
		}),
		"cumulative_sum": one(func(c *run, v Value) Value {
			if k, ok := v.(Ints); ok {
				out, s := make(Ints, len(k)), 0
				for i, x := range k {
					s += x
					out[i] = s
				}
				return out
			}
			x := scalars(v)
			out := make([]Real, len(x))
			for i, y := range x {
				out[i] = y
				if i > 0 {
					out[i] = c.t.add(out[i-1], y)
				}
			}
			return like(v, out)
		}),
		"dot_product": two(func(c *run, x, y Value) Value {
			a, b := scalars(x), scalars(y)
			if len(a) != len(b) {
				panic(faultf("dot_product of %s and %s", said(x), said(y)))
			}
			return c.t.dot(a, b)
		}),
		"dot_self": one(func(c *run, v Value) Value { return c.t.dot(scalars(v), scalars(v)) }),
		"distance": two(func(c *run, x, y Value) Value {
			d := c.differences(x, y)
			return c.t.unary(unaryOps["sqrt"], c.t.dot(d, d))
		}),
		"squared_distance": two(func(c *run, x, y Value) Value {
			d := c.differences(x, y)
			return c.t.dot(d, d)
		}),
		"norm2": one(func(c *run, v Value) Value { return c.t.unary(unaryOps["sqrt"], c.t.dot(scalars(v), scalars(v))) }),
		"norm1": one(func(c *run, v Value) Value {
			return c.t.sum(c.t.mappedReals(scalars(v), func(x Real) Real { return c.t.unary(unaryOps["abs"], x) }))
		}),

		"size": one(func(c *run, v Value) Value {
			if m, ok := v.(*Matrix); ok {
				return len(m.X)
			}
			if n, ok := length(v); ok {
				return n
			}
			return 1
		}),
		"num_elements": one(func(c *run, v Value) Value { return len(scalars(v)) }),
		"rows": one(func(c *run, v Value) Value {
			m, ok := asMatrix(v)
			if !ok {
				panic(faultf("rows of %s", typeName(v)))
			}
			return m.R
		}),
		"cols": one(func(c *run, v Value) Value {
			m, ok := asMatrix(v)
			if !ok {
				panic(faultf("cols of %s", typeName(v)))
			}
			return m.C
		}),
		"dims": one(func(c *run, v Value) Value { return dims(v) }),

		"to_vector":     one(func(c *run, v Value) Value { return Vector(append([]Real{}, scalars(v)...)) }),
		"to_row_vector": one(func(c *run, v Value) Value { return RowVector(append([]Real{}, scalars(v)...)) }),
		"to_array_1d": one(func(c *run, v Value) Value {
			if k, ok := flatInts(v); ok {
				return Ints(k)
			}
			return Reals(append([]Real{}, scalars(v)...))
		}),
		"to_array_2d": one(func(c *run, v Value) Value {
			m, ok := v.(*Matrix)
			if !ok {
				panic(faultf("to_array_2d of %s", typeName(v)))
			}
			out := make(Array, m.R)
			for i := range out {
				out[i] = Reals(m.row(i))
			}
			return out
		}),
		"to_matrix": toMatrix,
		"rep_array": func(c *run, a []Value) Value {
			if len(a) < 2 {
				panic(faultf("rep_array with %d arguments, want at least 2", len(a)))
			}
			v := a[0]
			for k := len(a) - 1; k >= 1; k-- {
				n := size(a[k])
				list := make([]Value, n)
				for i := range list {
					list[i] = clone(v)
				}
				if n == 0 {
					switch v.(type) {
					case int:
						v = Ints{}
					case Real:
						v = Reals{}
					default:
						v = Array{}
					}
					continue
				}
				v = arrayOf(list)
			}
			return v
		},
		"rep_vector":       two(func(c *run, x, n Value) Value { return Vector(repeat(real(x), n.(int))) }),
		"rep_row_vector":   two(func(c *run, x, n Value) Value { return RowVector(repeat(real(x), n.(int))) }),
		"rep_matrix":       repMatrix,
		"zeros_vector":     one(func(c *run, n Value) Value { return Vector(repeat(constant(0), n.(int))) }),
		"ones_vector":      one(func(c *run, n Value) Value { return Vector(repeat(constant(1), n.(int))) }),
		"zeros_row_vector": one(func(c *run, n Value) Value { return RowVector(repeat(constant(0), n.(int))) }),
		"ones_row_vector":  one(func(c *run, n Value) Value { return RowVector(repeat(constant(1), n.(int))) }),
		"zeros_array":      one(func(c *run, n Value) Value { return Reals(repeat(constant(0), n.(int))) }),
		"ones_array":       one(func(c *run, n Value) Value { return Reals(repeat(constant(1), n.(int))) }),
		"zeros_int_array":  one(func(c *run, n Value) Value { return make(Ints, size(n)) }),
		"identity_matrix": one(func(c *run, n Value) Value {
			return diagonal(repeat(constant(1), n.(int)))
		}),
		"linspaced_vector":     func(c *run, a []Value) Value { return Vector(linspaced(a)) },
		"linspaced_row_vector": func(c *run, a []Value) Value { return RowVector(linspaced(a)) },
		"linspaced_array":      func(c *run, a []Value) Value { return Reals(linspaced(a)) },
		"linspaced_int_array": func(c *run, a []Value) Value {
			want(a, 3)
			out := make(Ints, size(a[0]))
			for i, v := range linspaced(a) {
				out[i] = int(v.V)
			}
			return out
		},
		"one_hot_vector": func(c *run, a []Value) Value { want(a, 2); return Vector(oneHot(a)) },

		"append_row": two(func(c *run, x, y Value) Value { return appendRow(x, y) }),
		"append_col": two(func(c *run, x, y Value) Value { return appendCol(x, y) }),
		"append_array": two(func(c *run, x, y Value) Value {
			n, _ := length(x)
			m, _ := length(y)
			var out []Value
			for i := range n {
				out = append(out, element(x, i))
			}
			for i := range m {
				out = append(out, element(y, i))
			}
			if n+m == 0 {
				return x
			}
			return arrayOf(out)
		}),
		"head": two(func(c *run, x, n Value) Value { return slice(x, 1, n.(int)) }),
		"tail": two(func(c *run, x, n Value) Value {
			m, _ := length(x)
			return slice(x, m-n.(int)+1, n.(int))
		}),
		"segment": func(c *run, a []Value) Value { want(a, 3); return slice(a[0], a[1].(int), a[2].(int)) },
		"row":     two(func(c *run, m, k Value) Value { return take(m, []subscript{{one: true, at: []int{k.(int)}}}, "row") }),
		"col": two(func(c *run, m, k Value) Value {
			return take(m, []subscript{{all: true}, {one: true, at: []int{k.(int)}}}, "col")
		}),
		"block": func(c *run, a []Value) Value {
			want(a, 5)
			return take(a[0], []subscript{span(a[1].(int), a[3].(int)), span(a[2].(int), a[4].(int))}, "block")
		},
		"sub_row": func(c *run, a []Value) Value {
			want(a, 4)
			return take(a[0], []subscript{{one: true, at: []int{a[1].(int)}}, span(a[2].(int), a[3].(int))}, "sub_row")
		},
		"sub_col": func(c *run, a []Value) Value {
			want(a, 4)
			return take(a[0], []subscript{span(a[1].(int), a[3].(int)), {one: true, at: []int{a[2].(int)}}}, "sub_col")
		},
		"reverse": one(func(c *run, v Value) Value {
			n, _ := length(v)
			at := make([]int, n)
			for i := range at {
				at[i] = n - i
			}
			return take(v, []subscript{{at: at}}, "reverse")
		}),
		"sort_asc":          one(func(c *run, v Value) Value { return c.sorted(v, false) }),
		"sort_desc":         one(func(c *run, v Value) Value { return c.sorted(v, true) }),
		"sort_indices_asc":  one(func(c *run, v Value) Value { return c.order(v, false) }),
		"sort_indices_desc": one(func(c *run, v Value) Value { return c.order(v, true) }),
		"rank": two(func(c *run, v, k Value) Value {
			x := scalars(v)
			if k := k.(int); k < 1 || k > len(x) {
				panic(rejectf("rank of element %d of %s, want 1 to %d", k, said(v), len(x)))
			}
			n := 0
			for _, y := range x {
				n += btoi(c.t.compare(engine.Less, y, x[k.(int)-1]))
			}
			return n
		}),

		"transpose": one(func(c *run, v Value) Value {
			switch v := v.(type) {
			case Vector:
				return RowVector(v)
			case RowVector:
				return Vector(v)
			}
			return v.(*Matrix).transpose()
		}),
		"diagonal":    one(func(c *run, v Value) Value { return diagOf(v.(*Matrix)) }),
		"diag_matrix": one(func(c *run, v Value) Value { return diagonal(scalars(v)) }),
		"add_diag": two(func(c *run, m, d Value) Value {
			out := clone(m).(*Matrix)
			x, n := scalars(d), min(out.R, out.C)
			if !isScalar(d) && len(x) != n {
				panic(faultf("add_diag of %s and %s, want %d elements for the diagonal", said(m), said(d), n))
			}
			for i := range n {
				out.set(i, i, c.t.add(out.at(i, i), x[i%len(x)]))
			}
			return out
		}),
		"diag_pre_multiply": two(func(c *run, d, m Value) Value {
			x, out := scalars(d), clone(m).(*Matrix)
			for i := range out.R {
				for j := range out.C {
					out.set(i, j, c.t.mul(x[i], out.at(i, j)))
				}
			}
			return out
		}),
		"diag_post_multiply": two(func(c *run, m, d Value) Value {
			x, out := scalars(d), clone(m).(*Matrix)
			for i := range out.R {
				for j := range out.C {
					out.set(i, j, c.t.mul(out.at(i, j), x[j]))
				}
			}
			return out
		}),
		"quad_form_diag": two(func(c *run, m, d Value) Value {
			x, out := scalars(d), clone(m).(*Matrix)
			for i := range out.R {
				for j := range out.C {
					out.set(i, j, c.t.mul(c.t.mul(x[i], x[j]), out.at(i, j)))
				}
			}
			return out
		}),
		"quad_form": two(func(c *run, a, b Value) Value {
			m, _ := asMatrix(b)
			q := c.t.product(c.t.product(m.transpose(), a.(*Matrix)), m)
			if isColumn(b) {
				return q.X[0]
			}
			return q
		}),
		"quad_form_sym": two(func(c *run, a, b Value) Value {
			m, _ := asMatrix(b)
			q := c.t.product(c.t.product(m.transpose(), a.(*Matrix)), m)
			if isColumn(b) {
				return q.X[0]
			}
			return q
		}),
		"multiply_lower_tri_self_transpose": one(func(c *run, v Value) Value { return c.t.selfProduct(v.(*Matrix)) }),
		"tcrossprod":                        one(func(c *run, v Value) Value { m := v.(*Matrix); return c.t.product(m, m.transpose()) }),
		"crossprod":                         one(func(c *run, v Value) Value { m := v.(*Matrix); return c.t.product(m.transpose(), m) }),
		"trace":                             one(func(c *run, v Value) Value { return c.t.sum(diagOf(v.(*Matrix))) }),
		"cholesky_decompose":                one(func(c *run, v Value) Value { return c.t.cholesky(v.(*Matrix)) }),
		"inverse": one(func(c *run, v Value) Value {
			m := v.(*Matrix)
			return c.t.solve(m, diagonal(repeat(constant(1), m.R)))
		}),
		"inverse_spd": one(func(c *run, v Value) Value {
			m := v.(*Matrix)
			return c.t.solve(m, diagonal(repeat(constant(1), m.R)))
		}),
		"log_determinant": one(func(c *run, v Value) Value {
			m := v.(*Matrix)
			return c.t.call(engine.LogDet{N: m.R}, 1, m.X)[0]
		}),
		"log_determinant_spd": one(func(c *run, v Value) Value {
			return c.t.mul(constant(2), c.t.logDiagonal(c.t.cholesky(v.(*Matrix))))
		}),
		"mdivide_left_tri_low": two(func(c *run, l, b Value) Value {
			m, _ := asMatrix(b)
			return reshapeLike(b, c.t.lowerSolve(l.(*Matrix), m))
		}),
		"mdivide_right_tri_low": two(func(c *run, b, l Value) Value { // (L'⁻¹ b')', of the lower triangle of l
			m, _ := asMatrix(b)
			whole := l.(*Matrix)
			low := newMatrix(whole.R, whole.C)
			for i := range whole.R {
				for j := range min(i+1, whole.C) {
					low.set(i, j, whole.at(i, j))
				}
			}
			return reshapeLike(b, c.t.solve(low.transpose(), m.transpose()).transpose())
		}),
		"mdivide_left_spd": two(func(c *run, a, b Value) Value {
			m, _ := asMatrix(b)
			return reshapeLike(b, c.t.solve(a.(*Matrix), m))
		}),
		"mdivide_right_spd": two(func(c *run, b, a Value) Value {
			m, _ := asMatrix(b)
			return reshapeLike(b, c.t.solve(a.(*Matrix), m.transpose()).transpose())
		}),
		"eigenvalues_sym": one(func(c *run, v Value) Value {
			m := v.(*Matrix)
			return Vector(c.eigen(m)[:m.R])
		}),
		"eigenvectors_sym": one(func(c *run, v Value) Value {
			m := v.(*Matrix)
			return &Matrix{m.R, m.R, c.eigen(m)[m.R:]}
		}),
		"columns_dot_product": two(func(c *run, x, y Value) Value {
			a, _ := asMatrix(x)
			b, _ := asMatrix(y)
			out := make(RowVector, a.C)
			for j := range out {
				out[j] = c.t.dot(a.col(j), b.col(j))
			}
			return out
		}),
		"rows_dot_product": two(func(c *run, x, y Value) Value {
			a, _ := asMatrix(x)
			b, _ := asMatrix(y)
			out := make(Vector, a.R)
			for i := range out {
				out[i] = c.t.dot(a.row(i), b.row(i))
			}
			return out
		}),
		"columns_dot_self": one(func(c *run, v Value) Value {
			a, _ := asMatrix(v)
			out := make(RowVector, a.C)
			for j := range out {
				out[j] = c.t.dot(a.col(j), a.col(j))
			}
			return out
		}),
		"rows_dot_self": one(func(c *run, v Value) Value {
			a, _ := asMatrix(v)
			out := make(Vector, a.R)
			for i := range out {
				out[i] = c.t.dot(a.row(i), a.row(i))
			}
			return out
		}),
		"multiply_log": func(c *run, a []Value) Value { return c.xlogy(a) },
		"lmultiply":    func(c *run, a []Value) Value { return c.xlogy(a) },
		"fma": func(c *run, a []Value) Value {
			want(a, 3)
			product, ok := zip(a[0], a[1], c.t.mul)
			if ok {
				product, ok = zip(product, a[2], c.t.add)
			}
			if !ok {
				panic(faultf("fma of %s, %s and %s", said(a[0]), said(a[1]), said(a[2])))
			}
			return product
		},
		"cov_exp_quad":       func(c *run, a []Value) Value { return c.covExpQuad(a) },
		"gp_exp_quad_cov":    func(c *run, a []Value) Value { return c.covExpQuad(a) },
		"gp_matern32_cov":    func(c *run, a []Value) Value { return c.matern(a, 3) },
		"gp_matern52_cov":    func(c *run, a []Value) Value { return c.matern(a, 5) },
		"gp_exponential_cov": func(c *run, a []Value) Value { return c.matern(a, 1) },
		"hmm_marginal":       func(c *run, a []Value) Value { return c.hmmMarginal(a) },
	}
	for _, e := range entries() {
		table[e.name()] = e.call
	}
	return table
}

// wholePairs is a function of two whole numbers for arrays of them, of which one may be a single number.
func wholePairs(f func(x, y int) int) func(c *run, a, b Value) Value {
	return func(c *run, a, b Value) Value {
		x, y := wholes(a), wholes(b)
		if isScalar(a) && isScalar(b) {
			return f(x[0], y[0])
		}
		if len(x) != len(y) && !isScalar(a) && !isScalar(b) {
			panic(faultf("arrays of %d and %d whole numbers, want as many of each", len(x), len(y)))
		}
		n := len(y)
		if !isScalar(a) {
			n = len(x)
		}
		out := make(Ints, n)
		for i := range out {
			out[i] = f(x[i%len(x)], y[i%len(y)])
		}
		return out
	}
}
