package density

import "math"

// LogisticBetween is the log of the probability that a standard logistic value lies between a and b,
// of which a may be -Inf and b +Inf, with its derivatives in both. With F the distribution function it
// is F(b) - F(a) = F(b) (1 - F(a)) (1 - exp(a-b)), in which nothing cancels.
func LogisticBetween(a, b float64) (l, da, db float64) {
	switch {
	case !(a < b):
		return math.Inf(-1), 0, 0
	case math.IsInf(a, -1) && math.IsInf(b, 1):
		return 0, 0, 0
	case math.IsInf(a, -1):
		return -Softplus(-b), 0, Expit(-b)
	case math.IsInf(b, 1):
		return -Softplus(a), -Expit(a), 0
	}
	w := 1 / math.Expm1(b-a) // exp(a-b)/(1 - exp(a-b))
	return Log1mExp(a-b) - Softplus(-b) - Softplus(a), -w - Expit(a), w + Expit(-b)
}

// NormalBetween is LogisticBetween for a standard normal value. The difference is taken in the tail
// where both are.
func NormalBetween(a, b float64) (l, da, db float64) {
	switch {
	case !(a < b):
		return math.Inf(-1), 0, 0
	case a < 0 && -a > b || math.IsInf(a, -1):
		l, da, db = NormalBetween(-b, -a)
		return l, -db, -da
	}
	u, du := normalAbove(a)
	if math.IsInf(b, 1) {
		return u, du, 0
	}
	v, dv := normalAbove(b)
	r := math.Exp(v - u)
	return u + Log1mExp(v-u), du / (1 - r), -r * dv / (1 - r)
}
