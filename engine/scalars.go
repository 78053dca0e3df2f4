package engine

import (
	"math"

	"bayeskernel/internal/density"
)

// Scalars is a list of instructions on single numbers, such as a program leaves that ran once. Each
// instruction has a place, where its value stands; operands have lower places.
type Scalars struct {
	Code   []Instruction
	Lists  []int32 // operands of instructions that take any number of them
	Calls  []Call
	Inputs int // they stand at the places from 1
	Tables *Tables
}

// Instruction computes a number.
type Instruction struct {
	Code Code
	F    uint16 // the place of its function in a table
	A, B int32  // operands; or where they begin in the lists, and how many they are
}

// Code says what an instruction does.
type Code uint8

// Codes of instructions.
const (
	Constant Code = iota
	InputOf
	AddTo
	SubFrom
	MulBy
	DivBy
	Negative
	ExpOf
	LogOf
	SquareOf
	Apply1     // F among the functions of one number
	Apply2     // of two
	SumOf      // of a list
	DotOf      // of the first half of a list and the second
	LogSumOf   // log sum exp of a list
	LogDensity // F among the families; the list has the value and then the parameters
	CallOf     // A is its place among the calls
	ResultOf   // of the last call: nothing to do
	Less       // guards: the value is 1 or 0, and a run in which it comes out otherwise is given up
	LessEqual
	Equal
)

// Tables are the functions that instructions call.
type Tables struct {
	Unary    []Function1
	Binary   []Function2
	Families []FamilyPart
}

// Function1 is a function of one number with its derivative, given the number and the value.
type Function1 struct {
	Name string
	F    func(x float64) float64
	D    func(x, v float64) float64
}

// Function2 is a function of two numbers with its derivatives.
type Function2 struct {
	Name string
	F    func(x, y float64) float64
	D    func(x, y, v float64) (dx, dy float64)
}

// FamilyPart is the log density of a family of distributions, or the log of the probability of at most
// or of more than a value.
type FamilyPart struct {
	Family *density.Family
	Tail   Tail
}

// Tail says which part of a distribution is meant.
type Tail int

// The tails.
const (
	Whole Tail = iota // the density
	Below
	Above
)

// At is the log density or probability, with derivatives in the value and the parameters. It is NaN where
// a parameter is outside of its domain.
func (p FamilyPart) At(y float64, a *density.Params, g, work *density.Grad) float64 {
	for k := range p.Family.Params {
		if !p.Family.Params[k].Domain.Contains(a[k]) {
			return math.NaN()
		}
	}
	l := 0.0
	switch p.Tail {
	case Below:
		l = p.Family.Below(y, a, g)
	case Above:
		l = p.Family.Above(y, a, g)
	default:
		l = p.Family.LogDensity(y, a, g, work)
	}
	if math.IsInf(l, -1) {
		*g = density.Grad{}
	}
	return l
}

// Call is an operation on vectors among scalars. Its N results follow its instruction.
type Call struct {
	Op   Operation
	Args []Argument
	N    int
}

// Argument is a vector of data, or of numbers at places.
type Argument struct {
	Fixed  []float64
	Places []int32
}

// Len is the number of values.
func (a Argument) Len() int { return max(len(a.Fixed), len(a.Places)) }

// Operands calls f for the place of every operand of instruction i.
func (s *Scalars) Operands(i int, f func(place int32)) {
	c := &s.Code[i]
	switch c.Code {
	case Constant, InputOf:
	case Negative, ExpOf, LogOf, SquareOf, Apply1:
		f(c.A)
	case SumOf, DotOf, LogSumOf, LogDensity:
		for _, p := range s.Lists[c.A : c.A+c.B] {
			f(p)
		}
	case CallOf:
		for _, a := range s.Calls[c.A].Args {
			for _, p := range a.Places {
				f(p)
			}
		}
	case ResultOf:
		f(c.A)
	default:
		f(c.A)
		f(c.B)
	}
}

// ScalarRun runs instructions, in the memory of one chain.
type ScalarRun struct {
	*Scalars
	Val, Adj []float64
	weights  []float64 // by place in the lists: derivatives, to be used backwards
	calls    []boundCall
}

type boundCall struct {
	step     Step
	in, din  [][]float64
	out, adj []float64
}

// Grow makes memory for all instructions, and for the derivatives if these are wanted.
func (r *ScalarRun) Grow(gradient bool) {
	n := len(r.Code)
	if len(r.Val) < n {
		r.Val = append(r.Val, make([]float64, n-len(r.Val))...)
	}
	if len(r.weights) < len(r.Lists) {
		r.weights = append(r.weights, make([]float64, len(r.Lists)-len(r.weights))...)
	}
	if gradient && len(r.Adj) < n {
		r.Adj = make([]float64, n)
	}
}

// call binds call k at its first use.
func (r *ScalarRun) call(k int) *boundCall {
	for len(r.calls) <= k {
		c := &r.Calls[len(r.calls)]
		b := boundCall{in: make([][]float64, len(c.Args)), din: make([][]float64, len(c.Args)),
			out: make([]float64, c.N), adj: make([]float64, c.N)}
		for j, a := range c.Args {
			b.in[j] = a.Fixed
			if a.Fixed == nil {
				b.in[j], b.din[j] = make([]float64, len(a.Places)), make([]float64, len(a.Places))
			}
		}
		b.step = c.Op.Bind(b.out, b.adj, b.in, b.din)
		r.calls = append(r.calls, b)
	}
	return &r.calls[k]
}

// Forward computes the instructions from one on. It stops and returns false at a guard that comes out
// otherwise than its value says.
func (r *ScalarRun) Forward(from int) bool {
	val, code := r.Val, r.Code
	for i := from; i < len(code); i++ {
		c := &code[i]
		switch c.Code {
		case Constant, InputOf, ResultOf:
		case AddTo:
			val[i] = val[c.A] + val[c.B]
		case SubFrom:
			val[i] = val[c.A] - val[c.B]
		case MulBy:
			val[i] = val[c.A] * val[c.B]
		case DivBy:
			val[i] = val[c.A] / val[c.B]
		case Negative:
			val[i] = -val[c.A]
		case ExpOf:
			val[i] = math.Exp(val[c.A])
		case LogOf:
			val[i] = math.Log(val[c.A])
		case SquareOf:
			val[i] = val[c.A] * val[c.A]
		case Less, LessEqual, Equal:
			if c.Code.Holds(val[c.A], val[c.B]) != (val[i] == 1) {
				return false
			}
		default:
			r.Compute(i)
		}
	}
	return true
}

// Holds reports what a guard compares.
func (c Code) Holds(x, y float64) bool {
	switch c {
	case Less:
		return x < y
	case LessEqual:
		return x <= y
	}
	return x == y
}

// Compute computes instruction i, which is of a list, a call or a function of the tables.
func (r *ScalarRun) Compute(i int) {
	val, c := r.Val, &r.Code[i]
	switch c.Code {
	case Apply1:
		val[i] = r.Tables.Unary[c.F].F(val[c.A])
	case Apply2:
		val[i] = r.Tables.Binary[c.F].F(val[c.A], val[c.B])
	case SumOf:
		s := 0.0
		for _, p := range r.Lists[c.A : c.A+c.B] {
			s += val[p]
		}
		val[i] = s
	case DotOf:
		n := c.B / 2
		x, y := r.Lists[c.A:c.A+n], r.Lists[c.A+n:c.A+c.B]
		s := 0.0
		for k, p := range x {
			s += val[p] * val[y[k]]
		}
		val[i] = s
	case LogSumOf:
		list, w := r.Lists[c.A:c.A+c.B], r.weights[c.A:c.A+c.B]
		if len(list) == 2 {
			val[i] = logSumTwo(val[list[0]], val[list[1]], w)
			return
		}
		top := math.Inf(-1)
		for k, p := range list {
			w[k] = val[p]
			top = math.Max(top, val[p])
		}
		val[i] = logSumWeights(w, top)
	case LogDensity:
		var a density.Params
		var g, work density.Grad
		list := r.Lists[c.A : c.A+c.B]
		for k, p := range list[1:] {
			a[k] = val[p]
		}
		val[i] = r.Tables.Families[c.F].At(val[list[0]], &a, &g, &work)
		copy(r.weights[c.A:c.A+c.B], g[:])
	case CallOf:
		b := r.call(int(c.A))
		for j, a := range r.Calls[c.A].Args {
			for k, p := range a.Places {
				b.in[j][k] = val[p]
			}
		}
		b.step.Forward()
		copy(val[i+1:], b.out)
	}
}

// logSumTwo is log sum exp of two numbers, with its derivatives.
func logSumTwo(x, y float64, w []float64) float64 {
	first := 1.0
	if x < y {
		x, y, first = y, x, 0
	}
	e := math.Exp(y - x)
	if math.IsInf(x, 0) {
		e = 0
	}
	s := 1 / (1 + e)
	w[0], w[1] = first*s+(1-first)*e*s, (1-first)*s+first*e*s
	return x + math.Log(1+e)
}

// logSumWeights returns the log of the sum of the exponentials of w, whose largest is top, and leaves
// its derivatives in w.
func logSumWeights(w []float64, top float64) float64 {
	if math.IsInf(top, 0) || math.IsNaN(top) {
		for k, v := range w {
			w[k] = 0
			if v == top {
				w[k] = 1
			}
		}
		return top
	}
	s := 0.0
	for k, v := range w {
		w[k] = math.Exp(v - top)
		s += w[k]
	}
	for k := range w {
		w[k] /= s
	}
	return top + math.Log(s)
}

// Backward carries the adjoints to the inputs.
func (r *ScalarRun) Backward() {
	adj, val, code := r.Adj, r.Val, r.Code
	for i := len(code) - 1; i > 0; i-- {
		d, c := adj[i], &code[i]
		if d == 0 && c.Code != CallOf {
			continue
		}
		switch c.Code {
		case AddTo:
			adj[c.A] += d
			adj[c.B] += d
		case SubFrom:
			adj[c.A] += d
			adj[c.B] -= d
		case MulBy:
			adj[c.A] += d * val[c.B]
			adj[c.B] += d * val[c.A]
		case DivBy:
			adj[c.A] += d / val[c.B]
			adj[c.B] -= d * val[i] / val[c.B]
		case Negative:
			adj[c.A] -= d
		case ExpOf:
			adj[c.A] += d * val[i]
		case LogOf:
			adj[c.A] += d / val[c.A]
		case SquareOf:
			adj[c.A] += 2 * d * val[c.A]
		case Apply1:
			adj[c.A] += d * r.Tables.Unary[c.F].D(val[c.A], val[i])
		case Apply2:
			da, db := r.Tables.Binary[c.F].D(val[c.A], val[c.B], val[i])
			adj[c.A] += d * da
			adj[c.B] += d * db
		case SumOf:
			for _, p := range r.Lists[c.A : c.A+c.B] {
				adj[p] += d
			}
		case DotOf:
			n := c.B / 2
			x, y := r.Lists[c.A:c.A+n], r.Lists[c.A+n:c.A+c.B]
			for k, p := range x {
				q := y[k]
				v := val[p]
				adj[p] += d * val[q]
				adj[q] += d * v
			}
		case LogSumOf, LogDensity:
			w := r.weights[c.A : c.A+c.B]
			for k, p := range r.Lists[c.A : c.A+c.B] {
				adj[p] += d * w[k]
			}
		case CallOf:
			r.backCall(i)
		}
	}
}

func (r *ScalarRun) backCall(i int) {
	c := &r.Calls[r.Code[i].A]
	b := r.call(int(r.Code[i].A))
	some := false
	for k, d := range r.Adj[i+1 : i+1+c.N] {
		b.adj[k] = d
		some = some || d != 0
	}
	if !some {
		return
	}
	for _, d := range b.din {
		clear(d)
	}
	b.step.Backward()
	for j, a := range c.Args {
		for k, p := range a.Places {
			r.Adj[p] += b.din[j][k]
		}
	}
}

// Bind implements Operation: all values after the inputs and constants, of the inputs.
func (s *Scalars) Bind(out, adj []float64, in, din [][]float64) Step {
	step := &scalarStep{ScalarRun: ScalarRun{Scalars: s}, out: out, adj: adj, in: in[0], din: din[0]}
	step.Grow(true)
	return step
}

// Segment is a part of scalars without guards and calls. Fixed are its constants, at the places after
// the inputs.
type Segment struct {
	Scalars
	Fixed []float64
}

// Bind implements Operation.
func (s *Segment) Bind(out, adj []float64, in, din [][]float64) Step {
	step := s.Scalars.Bind(out, adj, in, din).(*scalarStep)
	copy(step.Val[1+s.Inputs:], s.Fixed)
	return step
}

type scalarStep struct {
	ScalarRun
	out, adj, in, din []float64
}

func (s *scalarStep) Forward() {
	copy(s.Val[1:1+s.Inputs], s.in)
	first := len(s.Code) - len(s.out)
	s.ScalarRun.Forward(first)
	copy(s.out, s.Val[first:])
}

func (s *scalarStep) Backward() {
	first := len(s.Code) - len(s.out)
	clear(s.Adj[:first])
	copy(s.Adj[first:], s.adj)
	s.ScalarRun.Backward()
	for i := range s.din {
		s.din[i] += s.Adj[1+i]
	}
}
