package record

import (
	"math"
	"runtime/debug"
	"strconv"

	"bayeskernel/engine"
	"bayeskernel/stan/syntax"
)

func (c *run) block(list []syntax.Stmt) (flow, Value) {
	for _, s := range list {
		if f, v := c.stmt(s); f != onward {
			return f, v
		}
	}
	return onward, nil
}

func (c *run) stmt(s syntax.Stmt) (flow, Value) {
	if c.steps++; c.steps&1023 == 0 && c.p.stop != nil {
		if err := c.p.stop(); err != nil {
			panic(err)
		}
	}
	switch s := s.(type) {
	case *syntax.Decl:
		c.declare(s)
	case *syntax.Assign:
		c.assign(s)
	case *syntax.Target:
		v := c.eval(s.Value)
		defer at(s.Pos)
		if s.Jacobian && c.u != nil { // on values there is no density
			return onward, nil
		}
		before := len(c.target)
		c.addTarget(v)
		c.excluded(before, s.Pos)
		c.residualOf(s.Value)
	case *syntax.Tilde:
		before := len(c.target)
		c.tilde(s)
		c.excluded(before, s.At())
	case *syntax.If:
		if c.truth(s.Cond) {
			return c.inner(s.Then)
		} else if s.Else != nil {
			return c.inner(s.Else)
		}
	case *syntax.For:
		return c.loop(s)
	case *syntax.While:
		for c.truth(s.Cond) {
			if f, v := c.inner(s.Body); f == broke {
				break
			} else if f == returned {
				return f, v
			}
		}
	case *syntax.Break:
		return broke, nil
	case *syntax.Continue:
		return continued, nil
	case *syntax.Return:
		if s.Value == nil {
			return returned, nil
		}
		return returned, c.eval(s.Value)
	case *syntax.Say:
		if s.What != "print" {
			defer at(s.Pos)
			said := said0(c.evals(s.Args))
			if s.What == "fatal_error" {
				panic(faultf("fatal_error: %s", said))
			}
			panic(rejectf("%s", said))
		}
		if c.p.print != nil {
			c.p.print(said0(c.evals(s.Args)))
		}
	case *syntax.Do:
		c.callExpression(s.Call)
	case *syntax.Braces:
		c.push()
		defer c.pop()
		return c.block(s.Stmts)
	case *syntax.Empty:
	}
	return onward, nil
}

// inner runs what a condition or loop governs in a scope of its own.
func (c *run) inner(s syntax.Stmt) (flow, Value) {
	c.push()
	defer c.pop()
	return c.stmt(s)
}

func (c *run) loop(s *syntax.For) (flow, Value) {
	turn := func(v Value) (flow, Value) {
		c.push()
		defer c.pop()
		c.set(s.Name, nil, v)
		return c.inner(s.Body)
	}
	if s.To == nil {
		v := c.eval(s.From)
		if m, ok := v.(*Matrix); ok {
			v = Vector(m.X)
		}
		n, ok := length(v)
		if !ok {
			panic(&Error{s.Pos, faultf("a loop over %s", typeName(v))})
		}
		for i := range n {
			if f, v := turn(element(v, i)); f == broke {
				break
			} else if f == returned {
				return f, v
			}
		}
		return onward, nil
	}
	lo, ok := c.eval(s.From).(int)
	hi, ok2 := c.eval(s.To).(int)
	if !ok || !ok2 {
		panic(&Error{s.Pos, faultf("the range of a loop is not of ints")})
	}
	for i := lo; i <= hi; i++ {
		if f, v := turn(i); f == broke {
			break
		} else if f == returned {
			return f, v
		}
	}
	return onward, nil
}

// excluded notes the first statement whose terms, those from a place on, are -Inf.
func (c *run) excluded(from int, pos syntax.Pos) {
	for _, x := range c.target[from:] {
		if c.ruled.Line == 0 && math.IsInf(x.V, -1) {
			c.ruled, c.why = pos, c.outside
		}
	}
	c.outside = ""
}

func (c *run) addTarget(v Value) {
	if !c.lp {
		panic(faultf("target is added to outside of the model"))
	}
	for _, x := range scalars(v) {
		if math.IsNaN(x.V) {
			panic(rejectf("a term of the log density is not a number"))
		}
		c.target = append(c.target, x)
	}
}

func (c *run) tilde(s *syntax.Tilde) {
	args := append([]Value{c.eval(s.Left)}, c.evals(s.Args)...)
	c.at(s.DistPos)
	defer atCall(s.DistPos, s.Dist, args)
	var lp Value
	var ok bool
	for _, suffix := range []string{"_lpdf", "_lpmf", "_lupdf", "_lupmf", "_log"} {
		if lp, ok = c.userCall(s.Dist+suffix, args); ok {
			break
		}
	}
	if !ok {
		lp, ok = c.density(s.Dist, "_lpdf", args)
	}
	if !ok {
		panic(faultf("there is no distribution %s%s", s.Dist, c.p.nearest(s.Dist)))
	}
	c.addTarget(lp)
	if !s.Truncated {
		c.residual(s.Dist, args, nil, nil)
		return
	}
	var lo, hi Value
	if s.Lower != nil {
		lo = c.eval(s.Lower)
	}
	if s.Upper != nil {
		hi = c.eval(s.Upper)
	}
	for _, y := range scalars(args[0]) {
		if lo != nil && c.t.compare(engine.Less, y, real(lo)) || hi != nil && c.t.compare(engine.Less, real(hi), y) {
			panic(rejectf("a value of %v lies outside of the truncation", y.V))
		}
	}
	n := max(1, len(scalars(args[0])))
	for _, a := range args[1:] {
		if !isScalar(a) { // a constant for each value
			n = 1
		}
	}
	c.at(s.DistPos)
	c.addTarget(c.t.mul(constant(-float64(n)), c.truncate(s.Dist, args[1:], lo, hi)))
	c.residual(s.Dist, args, lo, hi)
}

// declare makes a variable, with its value or with NaN.
func (c *run) declare(s *syntax.Decl) {
	defer at(s.Pos)
	v := c.sized(s.Type)
	if s.Init != nil {
		init := c.eval(s.Init)
		v = assigned(v, init, s.Name)
	}
	c.set(s.Name, s.Type, v)
}

func (c *run) size(e syntax.Expr) int {
	n, ok := c.eval(e).(int)
	if !ok {
		panic(&Error{e.At(), faultf("a size is no int")})
	}
	if n < 0 {
		panic(&Error{e.At(), faultf("a size is %d, want at least 0", n)})
	}
	return n
}

// sizes are the rows and columns of a type, in the order of declaration.
func (c *run) sizes(t *syntax.Type) (r, cols int) {
	switch len(t.Sizes) {
	case 1:
		if r = c.size(t.Sizes[0]); r == 0 && (t.Base == "simplex" || t.Base == "unit_vector") {
			panic(faultf("a %s of size 0, want at least 1", t.Base))
		}
		return r, r
	case 2:
		return c.size(t.Sizes[0]), c.size(t.Sizes[1])
	}
	return 1, 1
}

// extent are the sizes of a type: those of its arrays, and the rows and columns of an element. What would take more
// than a fifth of the memory that the process may use, at 16 bytes a number, is an error: values are copied, and chains
// run side by side.
func (c *run) extent(t *syntax.Type) (dims []int, r, cols int) {
	numbers := 1.0
	for _, e := range t.Array {
		dims = append(dims, c.size(e))
		numbers *= float64(dims[len(dims)-1])
	}
	if t.Base != "tuple" {
		r, cols = c.sizes(t)
		switch kindOf(t.Base) {
		case "vector", "row_vector":
			numbers *= float64(r)
		case "matrix":
			numbers *= float64(r) * float64(cols)
		}
	}
	if numbers < 1e6 { // the limit is not looked up
		return dims, r, cols
	}
	if most := float64(debug.SetMemoryLimit(-1)) / 5; 16*numbers > most {
		panic(faultf("a %s of %.10g numbers takes %.3g GB of memory, want at most %.3g GB, a fifth of what the run may use",
			t.Base, numbers, 16*numbers/1e9, most/1e9))
	}
	return dims, r, cols
}

// sized is a value of a type whose numbers are not known yet.
func (c *run) sized(t *syntax.Type) Value {
	dims, r, cols := c.extent(t)
	var parts Tuple
	for _, p := range t.Parts {
		parts = append(parts, c.sized(p))
	}
	return blank(t.Base, dims, r, cols, parts)
}

// blank has arrays of arrays, and NaN for every number.
func blank(base string, dims []int, r, cols int, parts Tuple) Value {
	nan := constant(math.NaN())
	fill := func(n int) []Real {
		out := make([]Real, n)
		for i := range out {
			out[i] = nan
		}
		return out
	}
	if len(dims) > 0 {
		if len(dims) == 1 {
			switch base {
			case "int":
				out := make(Ints, dims[0])
				for i := range out {
					out[i] = math.MinInt32
				}
				return out
			case "real":
				return Reals(fill(dims[0]))
			}
		}
		out := make(Array, dims[0])
		for i := range out {
			out[i] = blank(base, dims[1:], r, cols, parts)
		}
		return out
	}
	switch kindOf(base) {
	case "int":
		return math.MinInt32
	case "real":
		return nan
	case "vector":
		return Vector(fill(r))
	case "row_vector":
		return RowVector(fill(r))
	case "tuple":
		return clone(parts)
	}
	return &Matrix{r, cols, fill(r * cols)}
}

// kindOf is what a constrained type is without its constraint.
func kindOf(base string) string {
	switch base {
	case "int", "real", "vector", "row_vector", "matrix", "tuple":
		return base
	case "ordered", "positive_ordered", "simplex", "unit_vector", "sum_to_zero_vector":
		return "vector"
	case "cov_matrix", "corr_matrix", "cholesky_factor_corr", "cholesky_factor_cov", "sum_to_zero_matrix",
		"column_stochastic_matrix", "row_stochastic_matrix":
		return "matrix"
	}
	panic(faultf("%s: complex numbers are not here", base))
}

func (c *run) assign(s *syntax.Assign) {
	v := c.eval(s.Right)
	if s.Op != "=" {
		old := c.eval(s.Left)
		func() {
			c.at(s.Pos)
			defer at(s.Pos)
			v = c.t.operate(s.Op[:len(s.Op)-1], old, v)
		}()
	}
	c.assignTo(s.Left, v)
}

func (c *run) assignTo(left syntax.Expr, v Value) {
	if parts, ok := left.(*syntax.Tuple); ok {
		vs, ok := v.(Tuple)
		if !ok || len(vs) != len(parts.Elems) {
			panic(&Error{parts.Pos, faultf("%s for %d variables", typeName(v), len(parts.Elems))})
		}
		for i, e := range parts.Elems {
			c.assignTo(e, vs[i])
		}
		return
	}
	var steps []step
	e := left
	for {
		switch x := e.(type) {
		case *syntax.Index:
			steps = append([]step{{subs: c.subscripts(x.By)}}, steps...)
			e = x.X
			continue
		case *syntax.Field:
			k, err := strconv.Atoi(x.N)
			if err != nil {
				panic(&Error{x.Pos, faultf("a tuple has no element %q", x.N)})
			}
			steps = append([]step{{field: k}}, steps...)
			e = x.X
			continue
		}
		break
	}
	name, ok := e.(*syntax.Name)
	if !ok {
		panic(&Error{left.At(), faultf("this cannot be given a value")})
	}
	x := c.lookup(name.Name)
	if x == nil {
		panic(&Error{name.Pos, faultf("there is no variable %s", name.Name)})
	}
	defer at(name.Pos)
	x.v = within(x.v, steps, v, name.Name)
}

// step leads into a part of a variable: elements, or with field the element of a tuple, counted from 1.
type step struct {
	subs  []subscript
	field int
}

// within gives a part of old a new value and returns what old has become; old is changed in place.
func within(old Value, steps []step, v Value, of string) Value {
	var subs []subscript
	for len(steps) > 0 && steps[0].field == 0 {
		subs, steps = append(subs, steps[0].subs...), steps[1:]
	}
	if len(steps) == 0 {
		return put(old, subs, v, of)
	}
	if len(subs) > 0 {
		list, ok := old.(Array)
		if !ok || !subs[0].one {
			panic(faultf("%s is %s, want one element of an array of tuples", of, typeName(old)))
		}
		k := subs[0].places(len(list), of)[0]
		list[k] = within(list[k], append([]step{{subs: subs[1:]}}, steps...), v, of)
		return list
	}
	tup, ok := old.(Tuple)
	if k := steps[0].field; !ok || k < 1 || k > len(tup) {
		panic(faultf("%s is %s and has no element %d", of, typeName(old), k))
	}
	k := steps[0].field - 1
	tup[k] = within(tup[k], steps[1:], v, of)
	return tup
}
