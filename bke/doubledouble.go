package bke

import "math"

// dd is a number of about 32 digits, the unevaluated sum hi + lo with |lo| at most half a unit in
// the last place of hi. The algorithms are those of Dekker (1971) and of Hida, Li and Bailey,
// Library for Double-Double and Quad-Double Arithmetic (2007). The explicit conversions keep the
// compiler from fusing a product into a sum, which would spoil the error terms.
type dd struct{ hi, lo float64 }

// twoSum returns a+b and its rounding error.
func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

// quickTwoSum is twoSum for |a| >= |b|.
func quickTwoSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

// twoProd returns ab and its rounding error.
func twoProd(a, b float64) dd {
	p := float64(a * b)
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) add(b dd) dd {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s = quickTwoSum(s.hi, s.lo+t.hi)
	return quickTwoSum(s.hi, s.lo+t.lo)
}

func (a dd) sub(b dd) dd { return a.add(dd{-b.hi, -b.lo}) }

func (a dd) mul(b dd) dd {
	p := twoProd(a.hi, b.hi)
	return quickTwoSum(p.hi, p.lo+(float64(a.hi*b.lo)+float64(a.lo*b.hi)))
}

func (a dd) scale(b float64) dd {
	p := twoProd(a.hi, b)
	return quickTwoSum(p.hi, p.lo+float64(a.lo*b))
}

// ldexp returns a 2^n.
func (a dd) ldexp(n int) dd { return dd{math.Ldexp(a.hi, n), math.Ldexp(a.lo, n)} }

func (a dd) div(b dd) dd {
	q1 := a.hi / b.hi
	r := a.sub(b.scale(q1))
	q2 := r.hi / b.hi
	r = r.sub(b.scale(q2))
	return quickTwoSum(q1, q2).add(dd{r.hi / b.hi, 0})
}

// sqrt takes one step of Newton's method from the square root of hi (Karp and Markstein 1997).
func (a dd) sqrt() dd {
	if a.hi <= 0 {
		return dd{}
	}
	x := math.Sqrt(a.hi)
	r := a.sub(twoProd(x, x))
	return quickTwoSum(x, r.hi/(2*x))
}

// exp returns e^a for a <= 0: with a = k log 2 + 256 r, the Taylor series of e^r - 1 is squared up
// eight times, always as the distance from one, so that no digits are lost.
func (a dd) exp() dd {
	if a.hi < -700 {
		return dd{}
	}
	ln2 := dd{math.Ln2, 2.319046813846299558e-17}
	k := math.Round(a.hi / math.Ln2)
	r := a.sub(ln2.scale(k)).ldexp(-8)
	// |r| < 0.0014, so that the eleventh term is below 1e-36.
	e := dd{1, 0}
	for i := 10.0; i >= 2; i-- {
		e = dd{1, 0}.add(r.mul(e).div(dd{i, 0}))
	}
	e = r.mul(e)
	for range 8 {
		e = e.ldexp(1).add(e.mul(e))
	}
	return e.add(dd{1, 0}).ldexp(int(k))
}

// dotDD returns the inner product of a and b, accumulated as in Dot2 of Ogita, Rump and Oishi
// (2005).
func dotDD(a, b []dd) dd {
	var hi, lo float64
	for i, x := range a {
		y := b[i]
		p := twoProd(x.hi, y.hi)
		s := twoSum(hi, p.hi)
		hi = s.hi
		lo += s.lo + p.lo + (float64(x.hi*y.lo) + float64(x.lo*y.hi))
	}
	return quickTwoSum(hi, lo)
}
