package fused

import "math"

// rowSums gathers sum_i log A_i and sum_i B_i/A_i.
//
// A logarithm is taken once, of a product: p and q are running products of the A_i, of the even
// and the odd pairs of rows, kept in [1, 2) by moving their powers of two to exponent.
type rowSums struct {
	theta float64
	z     []float64

	p, q     float64
	exponent int64
	rows     int64 // how many are in p and q
	ratio    float64

	slowLog, slowRatio float64 // rows that underflowed, in the units of the data
}

// The pass leaves A and B times unit^2. Times middle, those that are at least smallest lie where
// the product of two of them neither overflows nor underflows. (Above, A and B are bounded by m.)
const (
	lowered  = 470
	middle   = 1.0 / (1 << lowered)
	smallest = 1.0 / (1 << 40)
)

const mantissa = 1<<52 - 1

// add takes in one block: its rows as given, and A and B from the pass.
func (r *rowSums) add(x, a, b []float64) {
	n := len(x)
	i := 0
	for ; i+4 <= n; i += 4 {
		a4, b4 := (*[4]float64)(a[i:]), (*[4]float64)(b[i:])
		if !(a4[0] >= smallest && a4[1] >= smallest && a4[2] >= smallest && a4[3] >= smallest &&
			b4[0] >= smallest && b4[1] >= smallest && b4[2] >= smallest && b4[3] >= smallest) {
			for l := range 4 {
				r.one(x[i+l], a4[l], b4[l])
			}
			continue
		}
		// Two quotients with one division.
		a0, a1, a2, a3 := a4[0]*middle, a4[1]*middle, a4[2]*middle, a4[3]*middle
		pa, qa := a0*a1, a2*a3
		r.ratio += (b4[0]*middle*a1+b4[1]*middle*a0)/pa + (b4[2]*middle*a3+b4[3]*middle*a2)/qa
		r.p, r.q = r.renormalise(r.p*pa), r.renormalise(r.q*qa)
		r.rows += 4
	}
	for ; i < n; i++ {
		r.one(x[i], a[i], b[i])
	}
}

func (r *rowSums) one(x, a, b float64) {
	if !(a >= smallest) {
		logA, ratio := logRow(x, r.z, r.theta)
		r.slowLog += logA
		r.slowRatio += ratio
		return
	}
	r.p = r.renormalise(r.p * (a * middle))
	r.ratio += b / a
	r.rows++
}

// renormalise moves the power of two of a positive normal number to the exponent.
func (r *rowSums) renormalise(p float64) float64 {
	bits := math.Float64bits(p)
	r.exponent += int64(bits>>52) - 1023
	return math.Float64frombits(bits&mantissa | 1023<<52)
}

// log returns sum_i log A_i when the kernels' unit is 2^exponent.
func (r *rowSums) log(exponent int) float64 {
	twos := r.exponent + int64(2*exponent-2*raise+lowered)*r.rows
	return math.Log(r.p*r.q) + float64(twos)*math.Ln2 + r.slowLog
}

// logRow returns log A and B/A of one row when A underflows, or d nearly does. With u = |x-z_l| and
// v = u/theta the terms of A are theta^2 v^2 exp(-v^2), largest at v = 1: the largest belongs to
// the largest v up to 1 or to the smallest above 1. It is taken out of the sum. Terms with u = 0
// are zero and count for nothing; if all are, log A is -Inf and B/A counts as 0.
func logRow(x float64, z []float64, theta float64) (logA, ratio float64) {
	below, above := 0.0, math.Inf(1)
	for _, zl := range z {
		u := math.Abs(x - zl)
		switch {
		case u <= theta:
			if u > below {
				below = u
			}
		case u < above:
			above = u
		case math.IsNaN(u):
			return math.NaN(), math.NaN()
		}
	}
	if below == 0 && math.IsInf(above, 1) {
		return math.Inf(-1), 0
	}
	hi := above / theta
	top, far := above, max(above, theta*math.Sqrt(hi*hi+60)) // beyond: below 61 exp(-60) of it
	if below > 0 && (math.IsInf(hi, 1) || relativeTerm(below, above, theta) > 1) {
		top, far = below, math.Inf(1)
	}
	var sum, sumD float64
	for _, zl := range z {
		u := math.Abs(x - zl)
		if u > far {
			continue
		}
		if w := relativeTerm(u, top, theta); w > 0 { // it is 0 or NaN where u, or its square, is infinite
			sum += w
			sumD += w * u * u
		}
	}
	return 2*math.Log(top) - top/theta*(top/theta) + math.Log(sum), sumD / sum
}

// relativeTerm returns the term of u divided by that of top, (u/top)^2 exp((top^2-u^2)/theta^2).
func relativeTerm(u, top, theta float64) float64 {
	e := (top/theta - u/theta) * (top/theta + u/theta)
	switch {
	case u == top: // where e may be 0 times infinity
		return 1
	case math.Abs(e) < 600:
		q := u / top
		return q * math.Exp(e) * q
	}
	return math.Exp(2*(math.Log(u)-math.Log(top)) + e)
}
