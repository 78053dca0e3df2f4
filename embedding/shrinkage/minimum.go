package shrinkage

import "math"

// minimum finds the minimum of a function between the outer two of three points, from its value and
// slope. At the middle point its value is lower than at the others. It looks for a zero of the
// slope, because a minimum found from values has only half of their digits.
func minimum(t []float64, middle float64, f func(t float64) (value, slope float64)) (at,
	value float64) {
	var slopes [3]float64
	for i := range slopes {
		_, slopes[i] = f(t[i])
	}
	for i := range 2 {
		if slopes[i] < 0 && slopes[i+1] >= 0 {
			return slopeZero(t[i], t[i+1], slopes[i], slopes[i+1], f)
		}
	}
	return t[1], middle
}

// slopeZero finds a zero of an increasing slope between a and b by the method of Illinois: false
// position, in which the slope at an end that has stayed counts half.
func slopeZero(a, b, sa, sb float64, f func(t float64) (value, slope float64)) (at, value float64) {
	at = b
	side := 0
	for range 200 {
		at = b - sb*(b-a)/(sb-sa)
		if !(at > a && at < b) {
			at = a + (b-a)/2
		}
		var s float64
		value, s = f(at)
		if s == 0 || b-a <= 1e-15*math.Max(1, math.Abs(at)) {
			break
		}
		if s < 0 {
			if math.Abs(at-a) <= 1e-14*math.Max(1, math.Abs(at)) && side == -1 {
				break
			}
			a, sa = at, s
			if side == -1 {
				sb /= 2
			}
			side = -1
		} else {
			if math.Abs(at-b) <= 1e-14*math.Max(1, math.Abs(at)) && side == 1 {
				break
			}
			b, sb = at, s
			if side == 1 {
				sa /= 2
			}
			side = 1
		}
	}
	return at, value
}
