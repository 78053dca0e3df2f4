package diagnostics

import (
	"math"
	"slices"
)

// sample holds the draws of one parameter, chain after chain, divided by a power of two that
// brings the largest magnitude into [1/2, 1). Division by a power of two is exact, so nothing
// changes but that squares and fourth powers can neither overflow nor vanish.
type sample struct {
	chains, draws int // draws: per chain
	x             []float64
	exp           int     // the user's value is x times 2^exp
	rounding      float64 // values within this range are equal up to rounding

	order  []int     // the indices of x in ascending order of the values, once needed
	sorted []float64 // the values in that order
	scores []float64 // the normal scores of the ranks 1, 2, ..., once needed
	middle []float64 // the draws less their mean, once needed
	lags   lags
}

// newSample copies the draws. Its errors are Empty, Ragged and NonFinite.
func newSample(chains [][]float64) (*sample, *Error) {
	if err := checkShape(chains); err != nil {
		return nil, err
	}
	s := &sample{chains: len(chains), draws: len(chains[0])}
	s.x = slices.Concat(chains...)
	largest := 0.0
	for _, v := range s.x {
		largest = max(largest, math.Abs(v))
	}
	_, s.exp = math.Frexp(largest)
	for i, v := range s.x {
		s.x[i] = math.Ldexp(v, -s.exp)
	}
	s.rounding = epsilon * math.Ldexp(largest, -s.exp)
	return s, nil
}

// unscale turns a number on the scale of s.x into one on the user's.
func (s *sample) unscale(v float64) float64 { return math.Ldexp(v, s.exp) }

// check finds the remaining reasons, TooShort and Constant.
func (s *sample) check(draws int) *Error {
	if s.draws < draws {
		return &Error{Reason: TooShort, Draws: s.draws, Want: minESS}
	}
	if constant(s.x, s.rounding) {
		return &Error{Reason: Constant, Value: math.Ldexp(s.x[0], s.exp)}
	}
	return nil
}

// load returns the sample, or nil where every diagnostic is undefined.
func load(chains [][]float64) *sample {
	s, err := newSample(chains)
	if err != nil || s.check(minDraws) != nil {
		return nil
	}
	return s
}

// constant reports whether all values lie within tol.
func constant(a []float64, tol float64) bool {
	lo, hi := a[0], a[0]
	for _, v := range a {
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
	}
	return hi-lo <= tol
}

// half is the number of draws in each half of a chain.
func (s *sample) half() int { return s.draws / 2 }

// split turns values laid out like s.x into those of twice as many chains, the halves of the
// original ones. Where the number of draws is odd the middle one is left out; where it is even the
// layout is the same already and nothing is copied.
func (s *sample) split(a []float64) []float64 {
	if s.draws%2 == 0 {
		return a
	}
	h := s.half()
	out := make([]float64, 0, 2*h*s.chains)
	for c := range slices.Chunk(a, s.draws) {
		out = append(out, c[:h]...)
		out = append(out, c[h+1:]...)
	}
	return out
}

// mean is the mean of all draws, on the scale of s.x.
func (s *sample) mean() float64 { return mean(s.x) }

// centred returns the draws less their mean. They are first taken relative to one of the draws,
// which is exact where the offset is large compared with the spread. So the accuracy of the result
// depends on the spread and not on the offset.
func (s *sample) centred() []float64 {
	if s.middle != nil {
		return s.middle
	}
	c := make([]float64, len(s.x))
	for i, v := range s.x {
		c[i] = v - s.x[0]
	}
	m := mean(c)
	for i := range c {
		c[i] -= m
	}
	s.middle = c
	return c
}

// quantile interpolates between order statistics: definition 7 of Hyndman and Fan (1996), on the
// scale of s.x.
func (s *sample) quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	s.sort()
	x := s.sorted
	at := 1 + float64(len(x)-1)*p // counted from one
	lo := math.Floor(at)
	q, next := x[int(lo)-1], x[min(int(lo), len(x)-1)]
	if w := at - lo; w > 0 && next != q {
		q = (1-w)*q + w*next
	}
	return q
}

// mean returns the mean of a. Equal values give exactly their value.
func mean(a []float64) float64 {
	sum := 0.0
	for _, v := range a {
		sum += v - a[0]
	}
	return a[0] + sum/float64(len(a))
}

// meanVar returns the mean of a and its variance, with divisor len(a)-1.
func meanVar(a []float64) (m, v float64) {
	m = mean(a)
	var sum, ss float64
	for _, x := range a {
		d := x - m
		sum += d
		ss += d * d
	}
	n := float64(len(a))
	// The second term removes what rounding of the mean has added.
	return m, max(0, ss-sum*sum/n) / (n - 1)
}

// variance is the second result of meanVar.
func variance(a []float64) float64 {
	_, v := meanVar(a)
	return v
}
