package record

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/engine"
	"bayeskernel/stan/syntax"
)

// higherSignatures are those of functions that take a function of the program, beside the solvers of
// differential equations.
const higherSignatures = `
real reduce_sum(real(array[] T, int, int, ...), array[] T, int, ...)
real reduce_sum_static(real(array[] T, int, int, ...), array[] T, int, ...)
vector map_rect(vector(vector, vector, array[] real, array[] int), vector, array[] vector, data array[,] real, data array[,] int)
real integrate_1d(real(real, real, array[] real, array[] real, array[] int), real, real, array[] real, data array[] real, data array[] int)
real integrate_1d(real(real, real, array[] real, array[] real, array[] int), real, real, array[] real, data array[] real, data array[] int, data real)
vector algebra_solver(vector(vector, vector, array[] real, array[] int), vector, vector, data array[] real, data array[] int)
vector algebra_solver(vector(vector, vector, array[] real, array[] int), vector, vector, data array[] real, data array[] int, data real, data real, data real)
vector algebra_solver_newton(vector(vector, vector, array[] real, array[] int), vector, vector, data array[] real, data array[] int)
vector algebra_solver_newton(vector(vector, vector, array[] real, array[] int), vector, vector, data array[] real, data array[] int, data real, data real, data real)
vector solve_newton(vector(vector, ...), vector, ...)
vector solve_powell(vector(vector, ...), vector, ...)
vector solve_newton_tol(vector(vector, ...), vector, data real, data real, int, ...)
vector solve_powell_tol(vector(vector, ...), vector, data real, data real, int, ...)
`

// higherFunctions take the name of a function of the program and the other arguments. They are no part of
// the table of functions, which functions of the program may call.
func higherFunction(name string) func(c *run, f string, a []Value) Value {
	switch name {
	case "reduce_sum", "reduce_sum_static":
		return (*run).reduceSum
	case "map_rect":
		return (*run).mapRect
	case "integrate_1d":
		return (*run).integrate
	case "algebra_solver", "algebra_solver_newton":
		return func(c *run, f string, a []Value) Value { return c.root(name, f, a[0], a[1:4]) }
	case "solve_newton", "solve_powell":
		return func(c *run, f string, a []Value) Value { return c.root(name, f, a[0], a[1:]) }
	case "solve_newton_tol", "solve_powell_tol":
		return func(c *run, f string, a []Value) Value { return c.root(name, f, a[0], a[4:]) }
	}
	return nil
}

// higher calls a function that takes a function.
func (c *run) higher(e *syntax.Call, h func(c *run, f string, a []Value) Value) Value {
	if len(e.Args) == 0 {
		panic(&Error{e.Pos, faultf("%s without arguments", e.Name)})
	}
	name, ok := e.Args[0].(*syntax.Name)
	if !ok {
		panic(&Error{e.Args[0].At(), faultf("the first argument of %s is no function of the program", e.Name)})
	}
	args := c.evals(e.Args[1:])
	c.at(e.Pos)
	defer at(e.Pos)
	return h(c, name.Name, args)
}

func (c *run) mustCall(f string, args []Value) Value {
	v, ok := c.userCall(f, args)
	if !ok {
		panic(faultf("there is no function %s%s", f, signature(args)))
	}
	return v
}

// reduceSum calls the function once, for all terms.
func (c *run) reduceSum(f string, a []Value) Value {
	n, _ := length(a[0])
	if k := a[1].(int); k < 1 {
		panic(rejectf("reduce_sum: the grainsize is %d, want at least 1", k))
	}
	if n == 0 {
		return constant(0)
	}
	return c.mustCall(f, append([]Value{a[0], 1, n}, a[2:]...))
}

// mapRect calls the function for each set of parameters and data, and puts the results one after the other.
func (c *run) mapRect(f string, a []Value) Value {
	n, _ := length(a[1])
	xr, _ := length(a[2])
	xi, _ := length(a[3])
	if n != xr || n != xi {
		panic(rejectf("map_rect: parameters of %d jobs, and data of %d and %d", n, xr, xi))
	}
	out := Vector{}
	for i := range n {
		reals, ints := element(a[2], i), element(a[3], i)
		if l, ok := reals.(Array); ok && len(l) == 0 {
			reals = Reals{}
		}
		if l, ok := ints.(Array); ok && len(l) == 0 {
			ints = Ints{}
		}
		out = append(out, scalars(c.mustCall(f, []Value{a[0], element(a[1], i), reals, ints}))...)
	}
	return out
}

// node of a quadrature: the place is base + slope times what the limits give, and beyond the distance to the
// nearest limit, not a number where that is infinite.
type node struct {
	x, beyond, weight Real
}

// nodes are those of the double exponential rules: the integral over t of a function that falls like the
// exponential of an exponential.
func (c *run) nodes(a, b Real, h, from, to float64) []node {
	var out []node
	t := c.t
	loInf, hiInf := math.IsInf(a.V, -1), math.IsInf(b.V, 1)
	nan := constant(math.NaN())
	for k := math.Ceil(from / h); k*h <= to; k++ {
		s := k * h
		u, du := math.Pi/2*math.Sinh(s), math.Pi/2*math.Cosh(s)*h
		switch {
		case loInf && hiInf:
			out = append(out, node{constant(math.Sinh(u)), nan, constant(du * math.Cosh(u))})
		case hiInf:
			out = append(out, node{t.add(a, constant(math.Exp(u))), nan, constant(du * math.Exp(u))})
		case loInf:
			out = append(out, node{t.sub(b, constant(math.Exp(u))), nan, constant(du * math.Exp(u))})
		default:
			d := 1 / (1 + math.Exp(2*math.Abs(u))) // half of 1 - tanh |u|
			width := t.sub(b, a)
			step := t.mul(constant(d), width)
			n := node{x: t.sub(b, step), beyond: step, weight: t.mul(constant(2*du*d*(1-d)), width)}
			if s < 0 {
				n.x, n.beyond = t.add(a, step), t.neg(step)
			}
			out = append(out, n)
		}
	}
	return out
}

// integrate is the integral of a function from a to b. How fine the grid is, and how far it goes, is found
// on values first.
func (c *run) integrate(f string, args []Value) Value {
	a, b, rest := real(args[0]), real(args[1]), args[2:5]
	tol := 1e-8
	if len(args) > 5 {
		tol = math.Max(real(args[5]).V, 1e-12)
	}
	switch {
	case a.V == b.V && a.N == 0 && b.N == 0:
		return constant(0)
	case !(a.V <= b.V):
		panic(rejectf("integrate_1d: from %v to %v, want limits in this order", a.V, b.V))
	}
	c.chose = true
	apart := c.apart()
	still := []Value{frozen(rest[0]), rest[1], rest[2]}
	const far = 4.5
	var from, to, last float64
	h := 0.25
	for level := 0; ; level++ {
		nodes := apart.nodes(constant(a.V), constant(b.V), h, -far, far)
		parts, s := make([]float64, len(nodes)), 0.0
		for i, n := range nodes {
			v := real(apart.mustCall(f, append([]Value{n.x, n.beyond}, still...))).V * n.weight.V
			if math.IsNaN(v) || math.IsInf(v, 0) {
				v = 0
				if t := math.Abs(float64(i)*h - far); t < 2 {
					panic(rejectf("integrate_1d: the function is not finite at %v", n.x.V))
				}
			}
			parts[i] = v
			s += v
		}
		from, to = far, -far
		for i, v := range parts {
			if math.Abs(v) > 1e-25*math.Abs(s) {
				t := math.Ceil(-far/h)*h + float64(i)*h
				from, to = math.Min(from, t), math.Max(to, t)
			}
		}
		if level > 1 && math.Abs(s-last) <= tol*math.Abs(s) || level > 0 && s == last {
			break
		}
		if level == 6 {
			panic(rejectf("integrate_1d: the integral does not converge to a relative error of %v", tol))
		}
		last = s
		h /= 2
	}
	if from > to { // the function is 0
		from, to = -1, 1
	}
	var terms []Real
	for _, n := range c.nodes(a, b, h, math.Max(from-0.25, -far), math.Min(to+0.25, far)) {
		v := real(c.mustCall(f, append([]Value{n.x, n.beyond}, rest...)))
		if math.IsNaN(v.V) || math.IsInf(v.V, 0) {
			continue
		}
		terms = append(terms, c.t.mul(v, n.weight))
	}
	return c.t.sum(terms)
}

// apart is a run on values that records nothing.
func (c *run) apart() *run {
	return &run{p: c.p, t: newTape(nil), scopes: []map[string]*variable{{}}}
}

// frozen has constants in the place of parameters.
func frozen(v Value) Value {
	switch v := v.(type) {
	case int, Ints:
		return v
	case Real:
		return constant(v.V)
	}
	in := scalars(v)
	out := make([]Real, len(in))
	for i, x := range in {
		out[i] = constant(x.V)
	}
	return like(v, out)
}

// root is where a function of the program is 0, by Newton's method from a guess.
func (c *run) root(name, f string, guess Value, rest []Value) Value {
	y0 := values(scalars(guess))
	g := &equations{f: &field{c: c, name: f, start: Vector(make([]Real, len(y0))), rest: rest, plain: true}, guess: y0}
	for _, r := range rest {
		for _, v := range scalars(r) {
			if v.N != 0 {
				g.f.outer = append(g.f.outer, v)
			}
		}
	}
	if len(g.f.outer) == 0 {
		out := make([]float64, len(y0))
		g.Forward(out, [][]float64{nil})
		return Vector(g.checked(name, c.t.constants(out)))
	}
	c.chose = true // where the search for the root ends
	return Vector(g.checked(name, c.t.call(engine.Custom{Make: func() engine.Computation { return g }}, len(y0), g.f.outer)))
}

func (t *Tape) constants(x []float64) []Real {
	out := make([]Real, len(x))
	for i, v := range x {
		out[i] = constant(v)
	}
	return out
}

// equations are solved by Newton's method with steps that are halved until the residuals fall.
type equations struct {
	f      *field
	guess  []float64
	jy, jp []float64
	ok     bool
}

func (g *equations) checked(name string, out []Real) []Real {
	if !g.ok {
		panic(rejectf("%s: no solution was found", name))
	}
	return out
}

// Forward implements engine.Computation; the solution is not a number where it was not found.
func (g *equations) Forward(out []float64, args [][]float64) {
	n := len(out)
	g.f.p = append(g.f.p[:0], args[0]...)
	g.f.t = nil
	g.jy, g.jp = make([]float64, n*n), make([]float64, n*len(g.f.p))
	y, res, next, trial := append([]float64(nil), g.guess...), make([]float64, n), make([]float64, n), make([]float64, n)
	size := func(r []float64) float64 {
		s := 0.0
		for _, v := range r {
			s += v * v
		}
		if math.IsNaN(s) {
			return math.Inf(1)
		}
		return s
	}
	g.ok = false
	for range 500 {
		g.f.Eval(0, y, res, g.jy, g.jp)
		r := size(res)
		if r == 0 {
			g.ok = true
			break
		}
		var step mat.VecDense
		err := step.SolveVec(mat.NewDense(n, n, append([]float64(nil), g.jy...)), mat.NewVecDense(n, res))
		if step.IsEmpty() || err != nil && math.IsInf(float64(conditionOf(err)), 1) {
			break
		}
		scale, moved := 1.0, false
		for range 60 {
			for i := range trial {
				trial[i] = y[i] - scale*step.AtVec(i)
			}
			g.f.Eval(0, trial, next, nil, nil)
			if size(next) < r {
				moved = true
				break
			}
			scale /= 2
		}
		small := true
		for i := range y {
			small = small && math.Abs(step.AtVec(i)) <= 1e-9*(1+math.Abs(y[i]))
		}
		if moved {
			copy(y, trial)
		}
		if !moved || scale == 1 && small {
			g.ok = small
			g.f.Eval(0, y, res, g.jy, g.jp)
			break
		}
	}
	copy(out, y)
	if !g.ok {
		for i := range out {
			out[i] = math.NaN()
		}
	}
}

func conditionOf(err error) mat.Condition {
	c, ok := err.(mat.Condition)
	if !ok {
		return mat.Condition(math.Inf(1))
	}
	return c
}

// Pullback implements engine.Computation: with J the derivatives of the equations, those of the solution are
// -J_y⁻¹ J_p.
func (g *equations) Pullback(din [][]float64, dout, out []float64, in [][]float64) {
	n, p := len(out), len(in[0])
	if !g.ok {
		return
	}
	var w mat.VecDense
	_ = w.SolveVec(mat.NewDense(n, n, append([]float64(nil), g.jy...)).T(), mat.NewVecDense(n, append([]float64(nil), dout...)))
	for i := range n {
		for k := range p {
			din[0][k] -= w.AtVec(i) * g.jp[i*p+k]
		}
	}
}
