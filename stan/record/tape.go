package record

import (
	"math"

	"bayeskernel/engine"
	"bayeskernel/internal/density"
)

// Real is a number of a program: a constant, or a place on the tape.
type Real struct {
	V float64
	N int32 // 0: a constant
}

func constant(v float64) Real { return Real{V: v} }

// opcode is an operation on one or two numbers.
type opcode struct {
	code engine.Code
	f    uint16
}

var (
	opExp    = opcode{code: engine.ExpOf}
	opLog    = opcode{code: engine.LogOf}
	opSquare = opcode{code: engine.SquareOf}
)

// maxOperations bounds a recording, whose memory is some 40 bytes for each, and 100 when it is ready for
// gradients.
const maxOperations = 20_000_000

// Tape is a recording: what was computed of the inputs, in order.
type Tape struct {
	engine.ScalarRun
	sites  []int32 // where in the program each was computed
	site   int32   // where it is now
	seen   []int32 // places by the hash of what is computed there, so that nothing is computed twice
	filled int
}

// newTape has the inputs at places 1, 2, ….
func newTape(inputs []float64) *Tape {
	t := &Tape{ScalarRun: engine.ScalarRun{Scalars: &engine.Scalars{Inputs: len(inputs), Tables: tables}},
		seen: make([]int32, 64)}
	t.push(engine.Instruction{}, 0)
	for _, v := range inputs {
		t.push(engine.Instruction{Code: engine.InputOf}, v)
	}
	return t
}

func (t *Tape) input(i int) Real { return Real{t.Val[i+1], int32(i + 1)} }

func (t *Tape) push(c engine.Instruction, v float64) Real {
	n := len(t.Code)
	if n > maxOperations {
		panic(faultf("a recording of more than %d operations: write loops over many rows as operations on vectors", maxOperations))
	}
	t.Code = append(t.Code, c)
	t.Val = append(t.Val, v)
	t.sites = append(t.sites, t.site)
	return Real{v, int32(n)}
}

// once pushes an instruction if none like it is there.
func (t *Tape) once(c engine.Instruction, v float64) Real {
	slot := t.slot(c, v)
	if n := t.seen[slot]; n != 0 {
		t.Lists = t.Lists[:t.listEnd(c)]
		return Real{t.Val[n], n}
	}
	x := t.push(c, v)
	t.seen[slot] = x.N
	if t.filled++; 2*t.filled > len(t.seen) {
		old := t.seen
		t.seen = make([]int32, 2*len(old))
		for _, n := range old {
			if n != 0 {
				t.seen[t.slot(t.Code[n], t.Val[n])] = n
			}
		}
	}
	return x
}

// listEnd is where the lists end without that of an instruction that was not pushed.
func (t *Tape) listEnd(c engine.Instruction) int {
	if listed(c.Code) {
		return int(c.A)
	}
	return len(t.Lists)
}

func listed(c engine.Code) bool { return c >= engine.SumOf && c <= engine.LogDensity }

// slot is where an instruction stands among those seen, or the empty place for it.
func (t *Tape) slot(c engine.Instruction, v float64) int {
	const prime = 0x9E3779B97F4A7C15
	h := uint64(c.Code)<<16 | uint64(c.F)
	mix := func(x uint64) {
		h = (h ^ x) * prime
		h ^= h >> 29
	}
	switch {
	case c.Code == engine.Constant:
		mix(math.Float64bits(v))
	case listed(c.Code):
		for _, p := range t.Lists[c.A : c.A+c.B] {
			mix(uint64(p))
		}
	default:
		mix(uint64(uint32(c.A))<<32 | uint64(uint32(c.B)))
	}
	mask := len(t.seen) - 1
	for k := int(h) & mask; ; k = (k + 1) & mask {
		n := t.seen[k]
		if n == 0 || t.same(t.Code[n], t.Val[n], c, v) {
			return k
		}
	}
}

func (t *Tape) same(a engine.Instruction, va float64, b engine.Instruction, vb float64) bool {
	switch {
	case a.Code != b.Code || a.F != b.F || a.B != b.B:
		return false
	case a.Code == engine.Constant:
		return math.Float64bits(va) == math.Float64bits(vb)
	case listed(a.Code):
		for k, p := range t.Lists[a.A : a.A+a.B] {
			if p != t.Lists[int(b.A)+k] {
				return false
			}
		}
		return true
	}
	return a.A == b.A
}

// place is where a number stands; constants are given one.
func (t *Tape) place(x Real) int32 {
	if x.N != 0 {
		return x.N
	}
	return t.once(engine.Instruction{Code: engine.Constant}, x.V).N
}

func (t *Tape) unary(op opcode, x Real) Real {
	v := 0.0
	switch op.code {
	case engine.Negative:
		v = -x.V
	case engine.ExpOf:
		v = math.Exp(x.V)
	case engine.LogOf:
		v = math.Log(x.V)
	case engine.SquareOf:
		v = x.V * x.V
	default:
		v = tables.Unary[op.f].F(x.V)
	}
	if x.N == 0 {
		return constant(v)
	}
	return t.once(engine.Instruction{Code: op.code, F: op.f, A: x.N}, v)
}

func (t *Tape) binary(op opcode, x, y Real) Real {
	v := 0.0
	switch op.code {
	case engine.AddTo:
		v = x.V + y.V
	case engine.SubFrom:
		v = x.V - y.V
	case engine.MulBy:
		v = x.V * y.V
	case engine.DivBy:
		v = x.V / y.V
	default:
		v = tables.Binary[op.f].F(x.V, y.V)
	}
	if x.N == 0 && y.N == 0 {
		return constant(v)
	}
	return t.once(engine.Instruction{Code: op.code, F: op.f, A: t.place(x), B: t.place(y)}, v)
}

func (t *Tape) add(x, y Real) Real {
	switch {
	case x.N == 0 && x.V == 0:
		return y
	case y.N == 0 && y.V == 0:
		return x
	}
	return t.binary(opcode{code: engine.AddTo}, x, y)
}

func (t *Tape) sub(x, y Real) Real {
	if y.N == 0 && y.V == 0 {
		return x
	}
	return t.binary(opcode{code: engine.SubFrom}, x, y)
}

func (t *Tape) mul(x, y Real) Real {
	switch {
	case x.N == 0 && x.V == 1:
		return y
	case y.N == 0 && y.V == 1:
		return x
	}
	return t.binary(opcode{code: engine.MulBy}, x, y)
}

func (t *Tape) div(x, y Real) Real { return t.binary(opcode{code: engine.DivBy}, x, y) }
func (t *Tape) neg(x Real) Real    { return t.unary(opcode{code: engine.Negative}, x) }
func (t *Tape) exp(x Real) Real    { return t.unary(opExp, x) }
func (t *Tape) log(x Real) Real    { return t.unary(opLog, x) }
func (t *Tape) square(x Real) Real { return t.unary(opSquare, x) }

// compare records a guard where the outcome depends on parameters.
func (t *Tape) compare(op engine.Code, x, y Real) bool {
	out := op.Holds(x.V, y.V)
	if x.N != 0 || y.N != 0 {
		t.once(engine.Instruction{Code: op, A: t.place(x), B: t.place(y)}, choose(out))
	}
	return out
}

// positive and between record guards of a function's domain.
func (t *Tape) positive(x Real) bool { return t.compare(engine.Less, constant(0), x) }

func (t *Tape) between(x Real, lo, hi float64) bool {
	return t.compare(engine.LessEqual, constant(lo), x) && t.compare(engine.LessEqual, x, constant(hi))
}

// list records an instruction with any number of operands, not all constant.
func (t *Tape) list(code engine.Code, f int, x []Real, twice bool) Real {
	c := engine.Instruction{Code: code, F: uint16(f), A: int32(len(t.Lists)), B: int32(len(x))}
	for _, v := range x {
		p := t.place(v)
		t.Lists = append(t.Lists, p)
	}
	n := len(t.Code)
	var out Real
	if twice {
		out = t.push(c, 0)
	} else if out = t.once(c, 0); int(out.N) < n {
		return out
	}
	t.Grow(false)
	t.Compute(n)
	out.V = t.Val[n]
	return out
}

// density records the log density of a family, or a log probability, of a value given parameters.
func (t *Tape) density(k int, args []Real) Real {
	part := tables.Families[k]
	fixed := true
	for _, x := range args {
		fixed = fixed && x.N == 0
	}
	if fixed {
		var a density.Params
		var g, work density.Grad
		for i, x := range args[1:] {
			a[i] = x.V
		}
		return constant(part.At(args[0].V, &a, &g, &work))
	}
	twice := false
	if part.Tail == engine.Whole {
		switch part.Family.Name {
		case "normal", "bernoulli_logit", "poisson_log", "binomial_logit": // equal rows are found later
			twice = true
		}
	}
	return t.list(engine.LogDensity, k, args, twice)
}

// call records an operation on vectors, with n results. Where all arguments are constants, so are these.
func (t *Tape) call(op engine.Operation, n int, args ...[]Real) []Real {
	out := make([]Real, n)
	c := engine.Call{Op: op, N: n}
	fixed := true
	for _, a := range args {
		arg := engine.Argument{Fixed: make([]float64, len(a))}
		for i, x := range a {
			arg.Fixed[i] = x.V
			fixed = fixed && x.N == 0
		}
		c.Args = append(c.Args, arg)
	}
	if fixed {
		in, values := make([][]float64, len(args)), make([]float64, n)
		for k, a := range c.Args {
			in[k] = a.Fixed
		}
		op.Bind(values, nil, in, make([][]float64, len(args))).Forward()
		for i, v := range values {
			out[i] = constant(v)
		}
		return out
	}
	for k, a := range args {
		for _, x := range a {
			if x.N != 0 {
				c.Args[k] = engine.Argument{Places: t.places(a)}
				break
			}
		}
	}
	t.Calls = append(t.Calls, c)
	at := int32(len(t.Code))
	t.push(engine.Instruction{Code: engine.CallOf, A: int32(len(t.Calls) - 1)}, 0)
	for i := range out {
		out[i] = t.push(engine.Instruction{Code: engine.ResultOf, A: at}, 0)
	}
	t.Compute(int(at))
	for i := range out {
		out[i].V = t.Val[out[i].N]
	}
	return out
}

func (t *Tape) places(x []Real) []int32 {
	out := make([]int32, len(x))
	for i, v := range x {
		out[i] = t.place(v)
	}
	return out
}

// replay computes everything anew, and reports whether all guards held.
func (t *Tape) replay(inputs []float64) bool {
	copy(t.Val[1:], inputs)
	return t.Forward(len(inputs) + 1)
}

// gradient writes the derivatives of the sum of the roots in the inputs.
func (t *Tape) gradient(roots []Real, grad []float64) {
	t.Grow(true)
	clear(t.Adj)
	for _, r := range roots {
		if r.N != 0 {
			t.Adj[r.N]++
		}
	}
	t.Backward()
	copy(grad, t.Adj[1:1+t.Inputs])
}
