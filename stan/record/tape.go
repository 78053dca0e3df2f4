package record

import "math"

// Real is a number of a program: a constant, or a place on the tape.
type Real struct {
	V float64
	N int32 // 0: a constant
}

func constant(v float64) Real { return Real{V: v} }

// opcode is what computes a place: one of those below, or a function of the tables unaries and binaries.
type opcode uint16

const (
	opConstant opcode = iota
	opInput
	opAdd
	opSub
	opMul
	opDiv
	opNeg
	opExp
	opLog
	opSquare
	opBlock // a is its number; its values follow
	opOut   // one of the values of a block
	opLess  // guards: they hold 1 or 0, and a replay in which they come out otherwise is given up
	opLessEqual
	opEqual
	opUnary // and more: a function of unaries
)

const opBinary opcode = 1 << 12 // and more: a function of binaries

// Tape is a recording: what was computed of the inputs, in order. A replay computes the same with other
// inputs, unless a guard comes out otherwise.
type Tape struct {
	op     []opcode
	a, b   []int32
	val    []float64
	adj    []float64
	consts map[uint64]int32
	blocks []block
	inputs int
	in     []float64 // workspace of blocks
	din    []float64
}

// Function is an operation on many numbers at once, with many results.
type Function interface {
	// Forward computes the results, or returns false outside of the domain.
	Forward(in, out []float64) bool
	// Backward adds to din the derivatives, given those in the results. It follows Forward with the same
	// arguments.
	Backward(in, out, dout, din []float64)
}

type block struct {
	f   Function
	in  []int32
	out int32
	n   int
}

// newTape has the inputs at places 1, 2, ….
func newTape(inputs []float64) *Tape {
	t := &Tape{consts: map[uint64]int32{}, inputs: len(inputs)}
	t.push(opConstant, 0, 0, 0)
	for _, v := range inputs {
		t.push(opInput, 0, 0, v)
	}
	return t
}

func (t *Tape) input(i int) Real { return Real{t.val[i+1], int32(i + 1)} }

func (t *Tape) push(op opcode, a, b int32, v float64) Real {
	n := int32(len(t.op))
	t.op = append(t.op, op)
	t.a = append(t.a, a)
	t.b = append(t.b, b)
	t.val = append(t.val, v)
	return Real{v, n}
}

// place is where a number stands; constants are given one.
func (t *Tape) place(x Real) int32 {
	if x.N != 0 {
		return x.N
	}
	key := math.Float64bits(x.V)
	if n, ok := t.consts[key]; ok {
		return n
	}
	n := t.push(opConstant, 0, 0, x.V).N
	t.consts[key] = n
	return n
}

func (t *Tape) unary(op opcode, x Real) Real {
	v := evalUnary(op, x.V)
	if x.N == 0 {
		return constant(v)
	}
	return t.push(op, x.N, 0, v)
}

func evalUnary(op opcode, x float64) float64 {
	switch op {
	case opNeg:
		return -x
	case opExp:
		return math.Exp(x)
	case opLog:
		return math.Log(x)
	case opSquare:
		return x * x
	}
	return unaries[op-opUnary].f(x)
}

func (t *Tape) binary(op opcode, x, y Real) Real {
	v := evalBinary(op, x.V, y.V)
	if x.N == 0 && y.N == 0 {
		return constant(v)
	}
	return t.push(op, t.place(x), t.place(y), v)
}

func evalBinary(op opcode, x, y float64) float64 {
	switch op {
	case opAdd:
		return x + y
	case opSub:
		return x - y
	case opMul:
		return x * y
	case opDiv:
		return x / y
	}
	return binaries[op-opBinary].f(x, y)
}

func (t *Tape) add(x, y Real) Real {
	switch {
	case x.N == 0 && x.V == 0:
		return y
	case y.N == 0 && y.V == 0:
		return x
	}
	return t.binary(opAdd, x, y)
}

func (t *Tape) sub(x, y Real) Real {
	if y.N == 0 && y.V == 0 {
		return x
	}
	return t.binary(opSub, x, y)
}

func (t *Tape) mul(x, y Real) Real {
	switch {
	case x.N == 0 && x.V == 1:
		return y
	case y.N == 0 && y.V == 1:
		return x
	}
	return t.binary(opMul, x, y)
}

func (t *Tape) div(x, y Real) Real { return t.binary(opDiv, x, y) }
func (t *Tape) neg(x Real) Real    { return t.unary(opNeg, x) }
func (t *Tape) exp(x Real) Real    { return t.unary(opExp, x) }
func (t *Tape) log(x Real) Real    { return t.unary(opLog, x) }
func (t *Tape) square(x Real) Real { return t.unary(opSquare, x) }

// compare records a guard where the outcome depends on parameters.
func (t *Tape) compare(op opcode, x, y Real) bool {
	out := holds(op, x.V, y.V)
	if x.N != 0 || y.N != 0 {
		v := 0.0
		if out {
			v = 1
		}
		t.push(op, t.place(x), t.place(y), v)
	}
	return out
}

func holds(op opcode, x, y float64) bool {
	switch op {
	case opLess:
		return x < y
	case opLessEqual:
		return x <= y
	}
	return x == y
}

// call records a function of many numbers; ok is false outside of its domain.
func (t *Tape) call(f Function, in []Real, n int) (out []Real, ok bool) {
	out = make([]Real, n)
	values, res := make([]float64, len(in)), make([]float64, n)
	fixed := true
	for i, x := range in {
		values[i] = x.V
		fixed = fixed && x.N == 0
	}
	if !f.Forward(values, res) {
		return nil, false
	}
	if fixed {
		for i, v := range res {
			out[i] = constant(v)
		}
		return out, true
	}
	b := block{f: f, in: make([]int32, len(in)), n: n}
	for i, x := range in {
		b.in[i] = t.place(x)
	}
	t.push(opBlock, int32(len(t.blocks)), 0, 0)
	b.out = int32(len(t.op))
	for i, v := range res {
		out[i] = t.push(opOut, 0, 0, v)
	}
	t.blocks = append(t.blocks, b)
	if len(in) > len(t.in) {
		t.in, t.din = make([]float64, len(in)), make([]float64, len(in))
	}
	return out, true
}

// replay computes everything anew, and reports whether all guards held and all arguments were in their
// domains.
func (t *Tape) replay(inputs []float64) bool {
	copy(t.val[1:], inputs)
	val := t.val
	for i, op := range t.op {
		a, b := t.a[i], t.b[i]
		switch op {
		case opConstant, opInput, opOut:
		case opAdd:
			val[i] = val[a] + val[b]
		case opSub:
			val[i] = val[a] - val[b]
		case opMul:
			val[i] = val[a] * val[b]
		case opDiv:
			val[i] = val[a] / val[b]
		case opNeg:
			val[i] = -val[a]
		case opExp:
			val[i] = math.Exp(val[a])
		case opLog:
			val[i] = math.Log(val[a])
		case opSquare:
			val[i] = val[a] * val[a]
		case opLess, opLessEqual, opEqual:
			if holds(op, val[a], val[b]) != (val[i] == 1) {
				return false
			}
		case opBlock:
			k := &t.blocks[a]
			in := t.in[:len(k.in)]
			for j, p := range k.in {
				in[j] = val[p]
			}
			if !k.f.Forward(in, val[k.out:int(k.out)+k.n]) {
				return false
			}
		default:
			if op >= opBinary {
				val[i] = binaries[op-opBinary].f(val[a], val[b])
			} else {
				val[i] = unaries[op-opUnary].f(val[a])
			}
		}
	}
	return true
}

// gradient writes the derivatives of the sum of the roots in the inputs.
func (t *Tape) gradient(roots []Real, grad []float64) {
	if cap(t.adj) < len(t.val) {
		t.adj = make([]float64, len(t.val))
	}
	t.adj = t.adj[:len(t.val)]
	adj, val := t.adj, t.val
	clear(adj)
	for _, r := range roots {
		if r.N != 0 {
			adj[r.N]++
		}
	}
	for i := len(t.op) - 1; i > t.inputs; i-- {
		d := adj[i]
		op := t.op[i]
		if op == opBlock {
			t.backBlock(&t.blocks[t.a[i]])
			continue
		}
		if d == 0 {
			continue
		}
		a, b := t.a[i], t.b[i]
		switch op {
		case opConstant, opInput, opOut, opLess, opLessEqual, opEqual:
		case opAdd:
			adj[a] += d
			adj[b] += d
		case opSub:
			adj[a] += d
			adj[b] -= d
		case opMul:
			adj[a] += d * val[b]
			adj[b] += d * val[a]
		case opDiv:
			adj[a] += d / val[b]
			adj[b] -= d * val[i] / val[b]
		case opNeg:
			adj[a] -= d
		case opExp:
			adj[a] += d * val[i]
		case opLog:
			adj[a] += d / val[a]
		case opSquare:
			adj[a] += 2 * d * val[a]
		default:
			if op >= opBinary {
				da, db := binaries[op-opBinary].d(val[a], val[b], val[i])
				adj[a] += d * da
				adj[b] += d * db
			} else {
				adj[a] += d * unaries[op-opUnary].d(val[a], val[i])
			}
		}
	}
	copy(grad, adj[1:1+t.inputs])
}

func (t *Tape) backBlock(k *block) {
	dout := t.adj[k.out : int(k.out)+k.n]
	some := false
	for _, d := range dout {
		some = some || d != 0
	}
	if !some {
		return
	}
	in, din := t.in[:len(k.in)], t.din[:len(k.in)]
	for j, p := range k.in {
		in[j] = t.val[p]
	}
	clear(din)
	k.f.Backward(in, t.val[k.out:int(k.out)+k.n], dout, din)
	for j, p := range k.in {
		t.adj[p] += din[j]
	}
}
