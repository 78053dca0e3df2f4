package record

import (
	"math"

	"bayeskernel/engine"
	"bayeskernel/internal/ode"
	"bayeskernel/stan/syntax"
)

// odes are the functions that solve differential equations: whether they are implicit, and whether the
// arguments are those of the old form.
var odes = map[string]struct {
	stiff, old, tolerances, adjoint bool
}{
	"ode_rk45": {}, "ode_ckrk": {}, "ode_bdf": {stiff: true}, "ode_adams": {},
	"ode_rk45_tol": {tolerances: true}, "ode_ckrk_tol": {tolerances: true},
	"ode_bdf_tol": {stiff: true, tolerances: true}, "ode_adams_tol": {tolerances: true},
	"integrate_ode_rk45": {old: true}, "integrate_ode": {old: true}, "integrate_ode_bdf": {stiff: true, old: true},
	"integrate_ode_adams": {old: true}, "ode_adjoint_tol_ctl": {stiff: true, adjoint: true},
}

// Approximate reports whether the density rests on solutions of differential equations, so far.
func (p *Program) Approximate() bool { return p.approximate.Load() }

// ode solves equations whose right-hand side is a function of the program.
func (c *run) ode(e *syntax.Call) Value {
	how := odes[e.Name]
	c.p.approximate.Store(true)
	if len(e.Args) < 4 {
		panic(&Error{e.Pos, faultf("%s with %d arguments", e.Name, len(e.Args))})
	}
	name, ok := e.Args[0].(*syntax.Name)
	if !ok || len(c.p.functions[name.Name]) == 0 {
		panic(&Error{e.Args[0].At(), faultf("the first argument of %s is no function of the program", e.Name)})
	}
	args := c.evals(e.Args[1:])
	defer at(e.Pos)
	start, t0, times := args[0], real(args[1]), scalars(args[2])
	rest := args[3:]
	o := ode.Options{RelTol: 1e-6, AbsTol: 1e-6}
	if how.stiff {
		o.RelTol, o.AbsTol = 1e-10, 1e-10
	}
	take := func(v []Value) {
		o.RelTol, o.AbsTol, o.MaxSteps = real(v[0]).V, real(v[1]).V, int(real(v[2]).V)
	}
	switch {
	case how.old && len(rest) == 6:
		take(rest[3:])
		rest = rest[:3]
	case how.adjoint: // the tolerances of the states count; sensitivities go forwards here
		if len(rest) < 11 {
			panic(faultf("%s without tolerances", e.Name))
		}
		least := math.Inf(1)
		for _, v := range scalars(rest[1]) {
			least = math.Min(least, v.V)
		}
		take([]Value{rest[0], constant(least), rest[6]})
		rest = rest[11:]
	case how.tolerances:
		if len(rest) < 3 {
			panic(faultf("%s without tolerances", e.Name))
		}
		take(rest[:3])
		rest = rest[3:]
	}
	if c.p.ODETolerance > 0 {
		o.RelTol, o.AbsTol, o.MaxSteps = c.p.ODETolerance, c.p.ODETolerance, 0
	}
	// The names of Stan's methods say how stiff the equations are thought to be; here the solver finds out.
	o.Switch = true
	if o.RelTol <= 1e-7 {
		o.Method = ode.Eighth
	}
	f := &field{c: c, name: name.Name, start: start, rest: rest}
	y0 := scalars(start)
	var outer []Real // start and parameters that are on the tape
	initial := false
	for _, v := range y0 {
		initial = initial || v.N != 0
	}
	for _, r := range rest {
		for _, v := range scalars(r) {
			if v.N != 0 {
				f.outer = append(f.outer, v)
			}
		}
	}
	clock := t0.N != 0 // the times are parameters
	for _, v := range times {
		clock = clock || v.N != 0
	}
	if t0.N != 0 { // its derivative is that of the start against the slope
		initial = true
	}
	if clock {
		outer = append(append(outer, t0), times...)
	}
	if initial {
		outer = append(outer, y0...)
	}
	outer = append(outer, f.outer...)
	s, err := ode.New(len(y0), len(f.outer), initial, o)
	if err != nil {
		panic(faultf("%v", err))
	}
	at := make([]float64, len(times))
	for i, v := range times {
		at[i] = v.V
	}
	fixed := make([]float64, len(y0))
	for i, v := range y0 {
		fixed[i] = v.V
	}
	g := &solution{f: f, s: s, t0: t0.V, times: at, clock: clock, initial: initial, fixed: fixed}
	c.chose = true // steps that also keep the errors of derivatives small
	out := c.t.call(engine.Custom{Make: func() engine.Computation { return g }}, len(y0)*len(times), outer)
	if g.err != nil {
		panic(rejectf("%s: %v", e.Name, g.err))
	}
	states := make([]Value, len(times))
	for i := range states {
		x := out[i*len(y0) : (i+1)*len(y0)]
		if how.old {
			states[i] = Reals(x)
		} else {
			states[i] = Vector(x)
		}
	}
	return Array(states)
}

// field is the right-hand side: the function of the program is recorded with time, state and parameters
// as inputs.
type field struct {
	c     *run
	name  string
	start Value
	rest  []Value
	outer []Real // of rest, on the tape of the program
	p     []float64
	plain bool // the function takes no time

	t     *Tape // the recording, nil if there is none
	slope []Real
	in    []float64
	grad  []float64
}

// Eval implements ode.System.
func (f *field) Eval(t float64, y, out, jy, jp []float64) {
	f.in = append(append(append(f.in[:0], t), y...), f.p...)
	if f.t == nil || !f.t.replay(f.in) {
		f.record()
	}
	for i, s := range f.slope {
		out[i] = s.V
		if s.N != 0 {
			out[i] = f.t.Val[s.N]
		}
	}
	if jy == nil {
		return
	}
	n := len(y)
	if f.grad == nil {
		f.grad = make([]float64, len(f.in))
	}
	for i, s := range f.slope {
		clear(f.grad)
		if s.N != 0 {
			f.t.gradient([]Real{s}, f.grad)
		}
		copy(jy[i*n:(i+1)*n], f.grad[1:1+n])
		copy(jp[i*len(f.p):(i+1)*len(f.p)], f.grad[1+n:])
	}
}

func (f *field) record() {
	f.t = newTape(f.in)
	c := &run{p: f.c.p, t: f.t, scopes: []map[string]*variable{{}}}
	n := len(scalars(f.start))
	state := make([]Real, n)
	for i := range state {
		state[i] = f.t.input(1 + i)
	}
	args := []Value{f.t.input(0), like(f.start, state)}
	if f.plain {
		args = args[1:]
	}
	k := 1 + n
	for _, r := range f.rest {
		args = append(args, f.replaced(r, &k))
	}
	v, ok := c.userCall(f.name, args)
	if !ok {
		panic(faultf("there is no function %s%s", f.name, signature(args)))
	}
	f.slope = scalars(v)
	if len(f.slope) != n {
		panic(faultf("%s returns %d slopes for %d equations", f.name, len(f.slope), n))
	}
}

// replaced puts inputs in the place of the parameters of a value.
func (f *field) replaced(v Value, k *int) Value {
	if _, ok := v.(int); ok {
		return v
	}
	if _, ok := v.(Ints); ok {
		return v
	}
	in := scalars(v)
	out := make([]Real, len(in))
	some := false
	for i, x := range in {
		out[i] = x
		if x.N != 0 {
			out[i] = f.t.input(*k)
			*k++
			some = true
		}
	}
	if !some {
		return v
	}
	return like(v, out)
}

// solution is a Function: the states at all times.
type solution struct {
	f       *field
	s       *ode.Solver
	t0      float64
	times   []float64
	clock   bool // the first arguments are the times
	initial bool // then comes the start
	fixed   []float64
	sens    []float64
	err     error
}

// Forward implements engine.Computation; the solution is not a number where it was not found.
func (g *solution) Forward(out []float64, args [][]float64) {
	start, in := g.fixed, args[0]
	if g.clock {
		g.t0, in = in[0], in[1:]
		in = in[copy(g.times, in):]
	}
	if g.initial {
		start, in = in[:len(g.fixed)], in[len(g.fixed):]
	}
	g.f.p = append(g.f.p[:0], in...)
	if g.sens == nil {
		g.sens = make([]float64, len(out)*g.s.Directions())
	}
	g.err = g.s.Solve(g.f, g.t0, start, g.times, out, g.sens)
	if g.err != nil {
		for i := range out {
			out[i] = math.NaN()
		}
	}
}

// Pullback implements engine.Computation.
func (g *solution) Pullback(dargs [][]float64, dout, out []float64, in [][]float64) {
	din, q := dargs[0], g.s.Directions()
	if g.clock {
		din = g.clockBack(din, dout, out, in[0])
	}
	for i, d := range dout {
		if d == 0 {
			continue
		}
		for j := range din {
			din[j] += d * g.sens[i*q+j]
		}
	}
}

// clockBack adds the derivatives in the times: of a solution they are its slope, and in the first time those in
// the start times minus the slope there. It returns what follows the times.
func (g *solution) clockBack(din, dout, out, in []float64) []float64 {
	n, q := len(g.fixed), g.s.Directions()
	slope := make([]float64, n)
	for k, t := range g.times {
		g.f.Eval(t, out[k*n:(k+1)*n], slope, nil, nil)
		for i, v := range slope {
			din[1+k] += dout[k*n+i] * v
		}
	}
	if g.initial {
		at := 1 + len(g.times)
		g.f.Eval(g.t0, in[at:at+n], slope, nil, nil)
		for i, d := range dout {
			for j, v := range slope {
				din[0] -= d * g.sens[i*q+j] * v
			}
		}
	}
	return din[1+len(g.times):]
}
