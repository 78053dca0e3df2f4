// Package dd is arithmetic of about 32 digits, for what double precision cannot resolve.
package dd

import "math"

// Number is a number of about 32 digits, the unevaluated sum Hi + Lo with |Lo| at most half a unit
// in the last place of Hi. The algorithms are those of Dekker (1971) and of Hida, Li and Bailey,
// Library for Double-Double and Quad-Double Arithmetic (2007). The explicit conversions keep the
// compiler from fusing a product into a sum, which would spoil the error terms.
type Number struct{ Hi, Lo float64 }

// TwoSum returns a+b and its rounding error.
func TwoSum(a, b float64) Number {
	s := a + b
	t := s - a
	return Number{s, (a - (s - t)) + (b - t)}
}

// quickTwoSum is TwoSum for |a| >= |b|.
func quickTwoSum(a, b float64) Number {
	s := a + b
	return Number{s, b - (s - a)}
}

// TwoProd returns ab and its rounding error.
func TwoProd(a, b float64) Number {
	p := float64(a * b)
	return Number{p, math.FMA(a, b, -p)}
}

// Add returns a+b.
func (a Number) Add(b Number) Number {
	s, t := TwoSum(a.Hi, b.Hi), TwoSum(a.Lo, b.Lo)
	s = quickTwoSum(s.Hi, s.Lo+t.Hi)
	return quickTwoSum(s.Hi, s.Lo+t.Lo)
}

// Sub returns a-b.
func (a Number) Sub(b Number) Number { return a.Add(Number{-b.Hi, -b.Lo}) }

// Mul returns ab.
func (a Number) Mul(b Number) Number {
	p := TwoProd(a.Hi, b.Hi)
	return quickTwoSum(p.Hi, p.Lo+(float64(a.Hi*b.Lo)+float64(a.Lo*b.Hi)))
}

// Scale returns ab.
func (a Number) Scale(b float64) Number {
	p := TwoProd(a.Hi, b)
	return quickTwoSum(p.Hi, p.Lo+float64(a.Lo*b))
}

// Ldexp returns a 2^n.
func (a Number) Ldexp(n int) Number { return Number{math.Ldexp(a.Hi, n), math.Ldexp(a.Lo, n)} }

// Div returns a/b.
func (a Number) Div(b Number) Number {
	q1 := a.Hi / b.Hi
	r := a.Sub(b.Scale(q1))
	q2 := r.Hi / b.Hi
	r = r.Sub(b.Scale(q2))
	return quickTwoSum(q1, q2).Add(Number{r.Hi / b.Hi, 0})
}

// Sqrt returns the square root of a, 0 where a is not positive. It takes one step of Newton's
// method from the square root of Hi (Karp and Markstein 1997).
func (a Number) Sqrt() Number {
	if a.Hi <= 0 {
		return Number{}
	}
	x := math.Sqrt(a.Hi)
	r := a.Sub(TwoProd(x, x))
	return quickTwoSum(x, r.Hi/(2*x))
}

// Exp returns e^a for a <= 0, and 0 where a < -700. With a = k log 2 + 256 r, the Taylor series of
// e^r - 1 is squared up eight times, always as the distance from one, so that no digits are lost.
func (a Number) Exp() Number {
	if a.Hi < -700 {
		return Number{}
	}
	ln2 := Number{math.Ln2, 2.319046813846299558e-17}
	k := math.Round(a.Hi / math.Ln2)
	r := a.Sub(ln2.Scale(k)).Ldexp(-8)
	// |r| < 0.0014: the eleventh term is below 1e-36 of the sum, and the sixth below 1e-17, so that
	// from there on plain floating point will do.
	x := r.Hi
	e := Number{(1 + x/7*(1+x/8*(1+x/9*(1+x/10)))) / 720, 0}
	for _, inverse := range [...]Number{ // of 5!, 4!, 3!, 2! and 1!
		{1.0 / 120, 1.1564823173178714e-19}, {1.0 / 24, 2.3129646346357427e-18},
		{1.0 / 6, 9.25185853854297e-18}, {0.5, 0}, {1, 0}} {
		e = inverse.Add(r.Mul(e))
	}
	e = r.Mul(e)
	for range 8 {
		e = Number{2 * e.Hi, 2 * e.Lo}.Add(e.Mul(e))
	}
	return e.Add(Number{1, 0}).Ldexp(int(k))
}

// Dot returns the inner product of a and b, accumulated as in Dot2 of Ogita, Rump and Oishi
// (2005).
func Dot(a, b []Number) Number {
	var hi, lo float64
	for i, x := range a {
		y := b[i]
		p := TwoProd(x.Hi, y.Hi)
		s := TwoSum(hi, p.Hi)
		hi = s.Hi
		lo += s.Lo + p.Lo + (float64(x.Hi*y.Lo) + float64(x.Lo*y.Hi))
	}
	return quickTwoSum(hi, lo)
}
