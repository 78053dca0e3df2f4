package model

import (
	"math"

	"bayeskernel/internal/density"
)

// Add returns e + b.
func (e Expr) Add(b Expr) Expr { return elementwise("Add", binary(addOp), e, b) }

// Sub returns e - b.
func (e Expr) Sub(b Expr) Expr { return elementwise("Sub", binary(subOp), e, b) }

// Mul returns e b, value by value.
func (e Expr) Mul(b Expr) Expr { return elementwise("Mul", binary(mulOp), e, b) }

// Div returns e / b, value by value.
func (e Expr) Div(b Expr) Expr { return elementwise("Div", binary(divOp), e, b) }

// Scale returns c e.
func (e Expr) Scale(c float64) Expr { return each("Scale", linear{c, 0}, e) }

// Shift returns e + c.
func (e Expr) Shift(c float64) Expr { return each("Shift", linear{1, c}, e) }

// Neg returns -e.
func (e Expr) Neg() Expr { return each("Neg", linear{-1, 0}, e) }

// OneMinus returns 1 - e.
func (e Expr) OneMinus() Expr { return each("OneMinus", linear{-1, 1}, e) }

// Exp returns the exponential.
func (e Expr) Exp() Expr { return each("Exp", unary(expOp), e) }

// Expm1 returns exp(e) - 1.
func (e Expr) Expm1() Expr { return each("Expm1", unary(expm1Op), e) }

// Log returns the natural logarithm.
func (e Expr) Log() Expr { return each("Log", unary(logOp), e) }

// Log1p returns log(1 + e).
func (e Expr) Log1p() Expr { return each("Log1p", unary(log1pOp), e) }

// Sqrt returns the square root.
func (e Expr) Sqrt() Expr { return each("Sqrt", unary(sqrtOp), e) }

// Square returns e².
func (e Expr) Square() Expr { return each("Square", unary(squareOp), e) }

// Inv returns 1/e.
func (e Expr) Inv() Expr { return each("Inv", unary(invOp), e) }

// Abs returns the size of e. Its derivative at 0 is taken as 0.
func (e Expr) Abs() Expr { return each("Abs", unary(absOp), e) }

// InvLogit returns the logistic function, 1/(1 + exp(-e)).
func (e Expr) InvLogit() Expr { return each("InvLogit", unary(invLogitOp), e) }

// Logit returns log(e/(1 - e)).
func (e Expr) Logit() Expr { return each("Logit", unary(logitOp), e) }

// Softplus returns log(1 + exp(e)).
func (e Expr) Softplus() Expr { return each("Softplus", unary(softplusOp), e) }

// Tanh returns the hyperbolic tangent.
func (e Expr) Tanh() Expr { return each("Tanh", unary(tanhOp), e) }

// Sin returns the sine.
func (e Expr) Sin() Expr { return each("Sin", unary(sinOp), e) }

// Cos returns the cosine.
func (e Expr) Cos() Expr { return each("Cos", unary(cosOp), e) }

// Phi returns the standard normal distribution function.
func (e Expr) Phi() Expr { return each("Phi", unary(phiOp), e) }

// Pow returns e to the power p.
func (e Expr) Pow(p float64) Expr { return each("Pow", power(p), e) }

// PowOf returns e to the power p; e must be positive.
func (e Expr) PowOf(p Expr) Expr { return elementwise("PowOf", binary(powOp), e, p) }

type (
	unary  int
	binary int
	linear struct{ scale, shift float64 }
	power  float64
)

const (
	expOp unary = iota
	expm1Op
	logOp
	log1pOp
	sqrtOp
	squareOp
	invOp
	absOp
	invLogitOp
	logitOp
	softplusOp
	tanhOp
	sinOp
	cosOp
	phiOp
)

const (
	addOp binary = iota
	subOp
	mulOp
	divOp
	powOp
)

type unaryStep struct {
	kind     unary
	out, adj []float64
	in, din  []float64
}

func (k unary) bind(out, adj []float64, in, din [][]float64) step {
	return &unaryStep{k, out, adj, in[0], din[0]}
}

func (s *unaryStep) forward() {
	out, in := s.out, s.in[:len(s.out)]
	switch s.kind {
	case expOp:
		if !expOf(out, in) {
			for i, v := range in {
				out[i] = math.Exp(v)
			}
		}
	case expm1Op:
		for i, v := range in {
			out[i] = math.Expm1(v)
		}
	case logOp:
		for i, v := range in {
			out[i] = math.Log(v)
		}
	case log1pOp:
		for i, v := range in {
			out[i] = math.Log1p(v)
		}
	case sqrtOp:
		for i, v := range in {
			out[i] = math.Sqrt(v)
		}
	case squareOp:
		for i, v := range in {
			out[i] = v * v
		}
	case invOp:
		for i, v := range in {
			out[i] = 1 / v
		}
	case absOp:
		for i, v := range in {
			out[i] = math.Abs(v)
		}
	case invLogitOp:
		for i, v := range in {
			out[i] = density.Expit(v)
		}
	case logitOp:
		for i, v := range in {
			out[i] = math.Log(v) - math.Log1p(-v)
		}
	case softplusOp:
		for i, v := range in {
			out[i] = density.Softplus(v)
		}
	case tanhOp:
		for i, v := range in {
			out[i] = math.Tanh(v)
		}
	case sinOp:
		for i, v := range in {
			out[i] = math.Sin(v)
		}
	case cosOp:
		for i, v := range in {
			out[i] = math.Cos(v)
		}
	case phiOp:
		for i, v := range in {
			out[i] = math.Erfc(-v/math.Sqrt2) / 2
		}
	}
}

func (s *unaryStep) backward() {
	if s.din == nil {
		return
	}
	out, in, adj, din := s.out, s.in[:len(s.out)], s.adj[:len(s.out)], s.din[:len(s.out)]
	switch s.kind {
	case expOp:
		for i, v := range out {
			din[i] += adj[i] * v
		}
	case expm1Op:
		for i, v := range out {
			din[i] += adj[i] * (v + 1)
		}
	case logOp:
		for i, v := range in {
			din[i] += adj[i] / v
		}
	case log1pOp:
		for i, v := range in {
			din[i] += adj[i] / (1 + v)
		}
	case sqrtOp:
		for i, v := range out {
			din[i] += adj[i] / (2 * v)
		}
	case squareOp:
		for i, v := range in {
			din[i] += 2 * adj[i] * v
		}
	case invOp:
		for i, v := range out {
			din[i] -= adj[i] * v * v
		}
	case absOp:
		for i, v := range in {
			if v != 0 {
				din[i] += adj[i] * math.Copysign(1, v)
			}
		}
	case invLogitOp:
		for i, v := range in {
			e := math.Exp(-math.Abs(v))
			din[i] += adj[i] * (e / (1 + e) / (1 + e))
		}
	case logitOp:
		for i, v := range in {
			din[i] += adj[i] / (v * (1 - v))
		}
	case softplusOp:
		for i, v := range in {
			din[i] += adj[i] * density.Expit(v)
		}
	case tanhOp:
		for i, v := range out {
			din[i] += adj[i] * (1 - v*v)
		}
	case sinOp:
		for i, v := range in {
			din[i] += adj[i] * math.Cos(v)
		}
	case cosOp:
		for i, v := range in {
			din[i] -= adj[i] * math.Sin(v)
		}
	case phiOp:
		for i, v := range in {
			din[i] += adj[i] * math.Exp(-v*v/2) / math.Sqrt(2*math.Pi)
		}
	}
}

type linearStep struct {
	linear
	out, adj, in, din []float64
}

func (l linear) bind(out, adj []float64, in, din [][]float64) step {
	return &linearStep{l, out, adj, in[0], din[0]}
}

func (s *linearStep) forward() {
	for i, v := range s.in[:len(s.out)] {
		s.out[i] = s.scale*v + s.shift
	}
}

func (s *linearStep) backward() {
	for i, a := range s.adj[:len(s.din)] {
		s.din[i] += s.scale * a
	}
}

type powerStep struct {
	p                 float64
	out, adj, in, din []float64
}

func (p power) bind(out, adj []float64, in, din [][]float64) step {
	return &powerStep{float64(p), out, adj, in[0], din[0]}
}

func (s *powerStep) forward() {
	for i, v := range s.in[:len(s.out)] {
		s.out[i] = math.Pow(v, s.p)
	}
}

func (s *powerStep) backward() {
	for i, a := range s.adj[:len(s.din)] {
		s.din[i] += a * s.p * math.Pow(s.in[i], s.p-1)
	}
}

// binaryStep is a sum, difference, product, quotient or power. Mask is 0 for a number and -1 for a
// vector, so that i&mask is the place of the value that goes with value i.
type binaryStep struct {
	kind         binary
	out, adj     []float64
	a, b, da, db []float64
	ma, mb       int
}

func (k binary) bind(out, adj []float64, in, din [][]float64) step {
	s := &binaryStep{kind: k, out: out, adj: adj, a: in[0], b: in[1], da: din[0], db: din[1]}
	if len(s.a) == len(out) {
		s.ma = -1
	}
	if len(s.b) == len(out) {
		s.mb = -1
	}
	return s
}

func (s *binaryStep) forward() {
	out := s.out
	if s.kind != powOp && s.ma != s.mb { // a number and a vector: sums and products are most of them
		if s.ma == 0 {
			s.numberFirst(out, s.a[0], s.b[:len(out)])
		} else {
			s.numberSecond(out, s.a[:len(out)], s.b[0])
		}
		return
	}
	if s.kind == powOp {
		for i := range out {
			out[i] = math.Pow(s.a[i&s.ma], s.b[i&s.mb])
		}
		return
	}
	a, b := s.a[:len(out)], s.b[:len(out)]
	switch s.kind {
	case addOp:
		for i, v := range a {
			out[i] = v + b[i]
		}
	case subOp:
		for i, v := range a {
			out[i] = v - b[i]
		}
	case mulOp:
		for i, v := range a {
			out[i] = v * b[i]
		}
	case divOp:
		for i, v := range a {
			out[i] = v / b[i]
		}
	}
}

func (s *binaryStep) numberFirst(out []float64, c float64, b []float64) {
	switch s.kind {
	case addOp:
		for i, v := range b {
			out[i] = c + v
		}
	case subOp:
		for i, v := range b {
			out[i] = c - v
		}
	case mulOp:
		for i, v := range b {
			out[i] = c * v
		}
	case divOp:
		for i, v := range b {
			out[i] = c / v
		}
	}
}

func (s *binaryStep) numberSecond(out, a []float64, c float64) {
	switch s.kind {
	case addOp:
		for i, v := range a {
			out[i] = v + c
		}
	case subOp:
		for i, v := range a {
			out[i] = v - c
		}
	case mulOp:
		for i, v := range a {
			out[i] = v * c
		}
	case divOp:
		for i, v := range a {
			out[i] = v / c
		}
	}
}

func (s *binaryStep) backward() {
	if s.da != nil {
		if s.ma == 0 {
			s.da[0] += s.total(s.b, s.mb, s.slopeA, 1)
		} else {
			s.backwardA()
		}
	}
	if s.db != nil {
		if s.mb == 0 {
			sign := 1.0
			if s.kind == subOp {
				sign = -1
			}
			s.db[0] += s.total(s.a, s.ma, s.slopeB, sign)
		} else {
			s.backwardB()
		}
	}
}

// total is the sum of adjoints times slopes: of sums sign, of products the other argument.
func (s *binaryStep) total(other []float64, mask int, slope func(int) float64, sign float64) float64 {
	sum := 0.0
	switch s.kind {
	case addOp, subOp:
		for _, d := range s.adj {
			sum += d
		}
		return sign * sum
	case mulOp:
		if mask == 0 {
			return s.adj[0] * other[0]
		}
		other = other[:len(s.adj)]
		for i, d := range s.adj {
			sum += d * other[i]
		}
		return sum
	}
	for i, d := range s.adj {
		sum += d * slope(i)
	}
	return sum
}

func (s *binaryStep) slopeA(i int) float64 {
	switch s.kind {
	case mulOp:
		return s.b[i&s.mb]
	case divOp:
		return 1 / s.b[i&s.mb]
	case powOp:
		p := s.b[i&s.mb]
		return p * math.Pow(s.a[i&s.ma], p-1)
	}
	return 1
}

func (s *binaryStep) slopeB(i int) float64 {
	switch s.kind {
	case subOp:
		return -1
	case mulOp:
		return s.a[i&s.ma]
	case divOp:
		return -s.out[i] / s.b[i&s.mb]
	case powOp:
		if s.out[i] == 0 {
			return 0
		}
		return s.out[i] * math.Log(s.a[i&s.ma])
	}
	return 1
}

func (s *binaryStep) backwardA() {
	da, b, mb := s.da[:len(s.adj)], s.b, s.mb
	switch s.kind {
	case addOp, subOp:
		for i, d := range s.adj {
			da[i] += d
		}
	case mulOp:
		if mb == 0 {
			c := b[0]
			for i, d := range s.adj {
				da[i] += d * c
			}
			return
		}
		b = b[:len(s.adj)]
		for i, d := range s.adj {
			da[i] += d * b[i]
		}
	default:
		for i, d := range s.adj {
			da[i] += d * s.slopeA(i)
		}
	}
}

func (s *binaryStep) backwardB() {
	db, a, ma := s.db[:len(s.adj)], s.a, s.ma
	switch s.kind {
	case addOp:
		for i, d := range s.adj {
			db[i] += d
		}
	case subOp:
		for i, d := range s.adj {
			db[i] -= d
		}
	case mulOp:
		if ma == 0 {
			c := a[0]
			for i, d := range s.adj {
				db[i] += d * c
			}
			return
		}
		a = a[:len(s.adj)]
		for i, d := range s.adj {
			db[i] += d * a[i]
		}
	default:
		for i, d := range s.adj {
			db[i] += d * s.slopeB(i)
		}
	}
}
