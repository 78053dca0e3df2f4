package fused

import "math"

// magic is 1.5 * 2^(52-9): a number near it counts in steps of 1/512, so that the low bits of
// magic - y are the nearest multiple of -1/512 to -y.
const magic = 0x1.8p43

// The coefficients of (2^-r - 1)/r on |r| <= 1/1024: interpolation at Chebyshev's nodes, relative
// error 2.5e-16.
const (
	q0 = -0x1.62e42fefa39eep-1
	q1 = 0x1.ebfbdff82c58ep-3
	q2 = -0x1.c6b08e1f0e0b5p-5
	q3 = 0x1.3b2ab74c672c4p-7
)

// exp2Neg returns s and w with 2^(raise-y) = s + w, if that is a normal number: s is 2 to a
// multiple of 1/512, and w small. A NaN stays.
func exp2Neg(y, raise float64) (s, w float64) {
	t := (magic + raise) - y
	r := y + (t - (magic + raise))
	n := math.Float64bits(t)
	s = math.Float64frombits(powers[n%512] + n<<43)
	return s, s * (r * (q0 + r*(q1+r*(q2+r*q3))))
}

// passPortable adds one block of rows to the sums of j.
func passPortable(j *job, rows int) {
	x, a, b := j.x[:rows], j.a[:rows], j.b[:rows]
	c, dmax := j.c, j.dmax
	for l, zl := range j.z {
		zl *= j.scale
		shift := j.shift[l] * unit
		var sumC, sumF, sumKD, sumFD float64
		for i, xi := range x {
			d := (xi - zl) * (xi - zl)
			if d > dmax {
				d = dmax
			}
			s, w := exp2Neg(c*d, raise)
			f := (s - shift) + w // accurate also where k and shift are near 1
			k := s + w
			kd := k * d
			sumC += f
			sumF += f * f
			sumKD += kd
			sumFD += f * kd
			a[i] += k * kd
			b[i] += kd * kd
		}
		t := (*[4]float64)(j.sums[4*l:])
		t[0] += sumC
		t[1] += sumF
		t[2] += sumKD
		t[3] += sumFD
	}
}
