package magnitude

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// exceeds estimates P(X > Y) + P(X = Y)/2 from sorted rows.
func exceeds(x, y []float64, level float64) Interval {
	m, n := float64(len(x)), float64(len(y))
	px, vx := placements(x, y)
	_, vy := placements(y, x)
	p := px
	if x[0] == x[len(x)-1] && y[0] == y[len(y)-1] && x[0] == y[0] {
		return unknown(0.5)
	}
	a, b := vx/m, vy/n
	if !(p > 0 && p < 1 && a+b > 0) {
		lo, hi := scoreLimits(p, m, n, level)
		return Interval{p, lo, hi}
	}
	df := (a + b) * (a + b) / (a*a/(m-1) + b*b/(n-1))
	t := distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(0.5 + level/2)
	logit, half := math.Log(p/(1-p)), t*math.Sqrt(a+b)/(p*(1-p))
	return Interval{p, logistic(logit - half), logistic(logit + half)}
}

func logistic(v float64) float64 { return 1 / (1 + math.Exp(-v)) }

// placements are the mean and the variance, over x, of the share of y below, ties counted half.
func placements(x, y []float64) (mean, variance float64) {
	n := float64(len(y))
	sum, squares := 0.0, 0.0
	below, upto := 0, 0
	for _, v := range x {
		for below < len(y) && y[below] < v {
			below++
		}
		upto = max(upto, below)
		for upto < len(y) && y[upto] <= v {
			upto++
		}
		s := float64(below+upto) / 2 / n
		sum += s
		squares += s * s
	}
	k := float64(len(x))
	mean = sum / k
	return mean, max(squares-k*mean*mean, 0) / (k - 1)
}

// scoreLimits are those of Newcombe (2006), method 5: the values that are not rejected with the
// variance that Hanley and McNeil's exponential model gives them.
func scoreLimits(p, m, n, level float64) (lo, hi float64) {
	z := distuv.UnitNormal.Quantile(0.5 + level/2)
	inside := func(q float64) bool {
		star := (m+n)/2 - 1
		v := q * (1 - q) * (1 + star*((1-q)/(2-q)+q/(1+q))) / (m * n)
		return (p-q)*(p-q) <= z*z*v
	}
	const steps = 1 << 20
	lo, hi = p, p
	if k := sort.Search(steps, func(k int) bool { return inside(p * float64(k+1) / steps) }); k < steps {
		lo = p * float64(k) / steps
	}
	if k := sort.Search(steps, func(k int) bool { return inside(1 - (1-p)*float64(k+1)/steps) }); k < steps {
		hi = 1 - (1-p)*float64(k)/steps
	}
	return lo, hi
}

// exceedsInPairs estimates P(D > 0) + P(D = 0)/2.
func exceedsInPairs(d []float64, level float64) Interval {
	n := float64(len(d))
	sum, squares := 0.0, 0.0
	for _, v := range d {
		s := 0.5
		switch {
		case v > 0:
			s = 1
		case v < 0:
			s = 0
		}
		sum += s
		squares += s * s
	}
	p := sum / n
	z := distuv.UnitNormal.Quantile(0.5 + level/2)
	// The score interval; ties leave less variance than p (1-p), by the factor f.
	f := 1.0
	if p > 0 && p < 1 {
		f = (squares/n - p*p) / (p * (1 - p))
	}
	k := z * z * f / n
	mid, half := (p+k/2)/(1+k), math.Sqrt(k*p*(1-p)+k*k/4)/(1+k)
	lo, hi := max(mid-half, 0), min(mid+half, 1)
	switch p { // but for rounding
	case 0:
		lo = 0
	case 1:
		hi = 1
	}
	return Interval{p, lo, hi}
}
