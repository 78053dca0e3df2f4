package engine

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"bayeskernel/internal/density"
)

// Operations on single values.
type (
	// Unary is a function of one argument.
	Unary int
	// Binary combines two arguments, of which one or both may be numbers.
	Binary int
	// Linear is Scale x + Shift.
	Linear struct{ Scale, Shift float64 }
	// Power is x to a constant power.
	Power float64
)

// Functions of one argument.
const (
	Exp Unary = iota
	Expm1
	Log
	Log1p
	Sqrt
	Square
	Inv
	Abs
	InvLogit
	Logit
	Softplus
	Tanh
	Sin
	Cos
	Phi
	Heaviside // 1 from 0 on and 0 below, with derivative 0
	Lgamma
	Digamma
)

// Functions of two arguments.
const (
	Add Binary = iota
	Sub
	Mul
	Div
	Pow
)

type unaryStep struct {
	kind     Unary
	out, adj []float64
	in, din  []float64
}

func (k Unary) Bind(out, adj []float64, in, din [][]float64) Step {
	return &unaryStep{k, out, adj, in[0], din[0]}
}

func (s *unaryStep) Forward() {
	out, in := s.out, s.in[:len(s.out)]
	switch s.kind {
	case Exp:
		if !expOf(out, in) {
			for i, v := range in {
				out[i] = math.Exp(v)
			}
		}
	case Expm1:
		for i, v := range in {
			out[i] = math.Expm1(v)
		}
	case Log:
		for i, v := range in {
			out[i] = math.Log(v)
		}
	case Log1p:
		for i, v := range in {
			out[i] = math.Log1p(v)
		}
	case Sqrt:
		for i, v := range in {
			out[i] = math.Sqrt(v)
		}
	case Square:
		for i, v := range in {
			out[i] = v * v
		}
	case Inv:
		for i, v := range in {
			out[i] = 1 / v
		}
	case Abs:
		for i, v := range in {
			out[i] = math.Abs(v)
		}
	case InvLogit:
		for i, v := range in {
			out[i] = density.Expit(v)
		}
	case Logit:
		for i, v := range in {
			out[i] = math.Log(v) - math.Log1p(-v)
		}
	case Softplus:
		for i, v := range in {
			out[i] = density.Softplus(v)
		}
	case Tanh:
		for i, v := range in {
			out[i] = math.Tanh(v)
		}
	case Sin:
		for i, v := range in {
			out[i] = math.Sin(v)
		}
	case Cos:
		for i, v := range in {
			out[i] = math.Cos(v)
		}
	case Phi:
		for i, v := range in {
			out[i] = math.Erfc(-v/math.Sqrt2) / 2
		}
	case Heaviside:
		for i, v := range in {
			out[i] = 0
			if v >= 0 {
				out[i] = 1
			}
		}
	case Lgamma:
		for i, v := range in {
			out[i], _ = math.Lgamma(v)
		}
	case Digamma:
		for i, v := range in {
			out[i] = density.Digamma(v)
		}
	}
}

func (s *unaryStep) Backward() {
	if s.din == nil {
		return
	}
	out, in, adj, din := s.out, s.in[:len(s.out)], s.adj[:len(s.out)], s.din[:len(s.out)]
	switch s.kind {
	case Exp:
		for i, v := range out {
			din[i] += adj[i] * v
		}
	case Expm1:
		for i, v := range out {
			din[i] += adj[i] * (v + 1)
		}
	case Log:
		for i, v := range in {
			din[i] += adj[i] / v
		}
	case Log1p:
		for i, v := range in {
			din[i] += adj[i] / (1 + v)
		}
	case Sqrt:
		for i, v := range out {
			din[i] += adj[i] / (2 * v)
		}
	case Square:
		for i, v := range in {
			din[i] += 2 * adj[i] * v
		}
	case Inv:
		for i, v := range out {
			din[i] -= adj[i] * v * v
		}
	case Abs:
		for i, v := range in {
			if v != 0 {
				din[i] += adj[i] * math.Copysign(1, v)
			}
		}
	case InvLogit:
		for i, v := range in {
			if p := out[i]; p <= 0.9 {
				din[i] += adj[i] * (p * (1 - p))
				continue
			}
			e := math.Exp(-v) // 1 - p would lose digits
			din[i] += adj[i] * (e / (1 + e) / (1 + e))
		}
	case Logit:
		for i, v := range in {
			din[i] += adj[i] / (v * (1 - v))
		}
	case Softplus:
		for i, v := range in {
			din[i] += adj[i] * density.Expit(v)
		}
	case Tanh:
		for i, v := range out {
			din[i] += adj[i] * (1 - v*v)
		}
	case Sin:
		for i, v := range in {
			din[i] += adj[i] * math.Cos(v)
		}
	case Cos:
		for i, v := range in {
			din[i] -= adj[i] * math.Sin(v)
		}
	case Phi:
		for i, v := range in {
			din[i] += adj[i] * math.Exp(-v*v/2) / math.Sqrt(2*math.Pi)
		}
	case Lgamma:
		for i, v := range in {
			din[i] += adj[i] * density.Digamma(v)
		}
	case Digamma:
		for i, v := range in {
			din[i] += adj[i] * mathext.Zeta(2, v)
		}
	}
}

type linearStep struct {
	Linear
	out, adj, in, din []float64
}

func (l Linear) Bind(out, adj []float64, in, din [][]float64) Step {
	return &linearStep{l, out, adj, in[0], din[0]}
}

func (s *linearStep) Forward() {
	for i, v := range s.in[:len(s.out)] {
		s.out[i] = s.Scale*v + s.Shift
	}
}

func (s *linearStep) Backward() {
	for i, a := range s.adj[:len(s.din)] {
		s.din[i] += s.Scale * a
	}
}

type powerStep struct {
	p                 float64
	out, adj, in, din []float64
}

func (p Power) Bind(out, adj []float64, in, din [][]float64) Step {
	return &powerStep{float64(p), out, adj, in[0], din[0]}
}

func (s *powerStep) Forward() {
	for i, v := range s.in[:len(s.out)] {
		s.out[i] = math.Pow(v, s.p)
	}
}

func (s *powerStep) Backward() {
	for i, a := range s.adj[:len(s.din)] {
		s.din[i] += a * s.p * math.Pow(s.in[i], s.p-1)
	}
}

// binaryStep is a sum, difference, product, quotient or power. Mask is 0 for a number and -1 for a
// vector, so that i&mask is the place of the value that goes with value i.
type binaryStep struct {
	kind         Binary
	out, adj     []float64
	a, b, da, db []float64
	ma, mb       int
}

func (k Binary) Bind(out, adj []float64, in, din [][]float64) Step {
	s := &binaryStep{kind: k, out: out, adj: adj, a: in[0], b: in[1], da: din[0], db: din[1]}
	if len(s.a) == len(out) {
		s.ma = -1
	}
	if len(s.b) == len(out) {
		s.mb = -1
	}
	return s
}

func (s *binaryStep) Forward() {
	out := s.out
	if s.kind != Pow && s.ma != s.mb { // a number and a vector: sums and products are most of them
		if s.ma == 0 {
			s.numberFirst(out, s.a[0], s.b[:len(out)])
		} else {
			s.numberSecond(out, s.a[:len(out)], s.b[0])
		}
		return
	}
	if s.kind == Pow {
		for i := range out {
			out[i] = math.Pow(s.a[i&s.ma], s.b[i&s.mb])
		}
		return
	}
	a, b := s.a[:len(out)], s.b[:len(out)]
	switch s.kind {
	case Add:
		for i, v := range a {
			out[i] = v + b[i]
		}
	case Sub:
		for i, v := range a {
			out[i] = v - b[i]
		}
	case Mul:
		for i, v := range a {
			out[i] = v * b[i]
		}
	case Div:
		for i, v := range a {
			out[i] = v / b[i]
		}
	}
}

func (s *binaryStep) numberFirst(out []float64, c float64, b []float64) {
	switch s.kind {
	case Add:
		for i, v := range b {
			out[i] = c + v
		}
	case Sub:
		for i, v := range b {
			out[i] = c - v
		}
	case Mul:
		for i, v := range b {
			out[i] = c * v
		}
	case Div:
		for i, v := range b {
			out[i] = c / v
		}
	}
}

func (s *binaryStep) numberSecond(out, a []float64, c float64) {
	switch s.kind {
	case Add:
		for i, v := range a {
			out[i] = v + c
		}
	case Sub:
		for i, v := range a {
			out[i] = v - c
		}
	case Mul:
		for i, v := range a {
			out[i] = v * c
		}
	case Div:
		for i, v := range a {
			out[i] = v / c
		}
	}
}

func (s *binaryStep) Backward() {
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
			if s.kind == Sub {
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
	case Add, Sub:
		for _, d := range s.adj {
			sum += d
		}
		return sign * sum
	case Mul:
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
	case Mul:
		return s.b[i&s.mb]
	case Div:
		return 1 / s.b[i&s.mb]
	case Pow:
		p := s.b[i&s.mb]
		return p * math.Pow(s.a[i&s.ma], p-1)
	}
	return 1
}

func (s *binaryStep) slopeB(i int) float64 {
	switch s.kind {
	case Sub:
		return -1
	case Mul:
		return s.a[i&s.ma]
	case Div:
		return -s.out[i] / s.b[i&s.mb]
	case Pow:
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
	case Add, Sub:
		for i, d := range s.adj {
			da[i] += d
		}
	case Mul:
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
	case Add:
		for i, d := range s.adj {
			db[i] += d
		}
	case Sub:
		for i, d := range s.adj {
			db[i] -= d
		}
	case Mul:
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
