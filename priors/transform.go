package priors

import (
	"fmt"
	"math"

	"bayeskernel/internal/density"
)

// Transform is a smooth one-to-one map from R^f onto the support of k values, for example the log
// for a positive value or stick breaking for a simplex. It holds no workspace and may be shared.
//
// With v = v(x) the map, J its Jacobian and f a log density in v, the log density in x is
// f(v(x)) + log |det J|, and its gradient is J' grad f + grad log |det J|: Constrain returns the
// second term of the former and PullBack forms the latter.
//
// All of it stays finite for |x| up to 700. A value may nevertheless be rounded to the end of its
// support: on (0, 1) this happens from x = 37 on.
type Transform interface {
	// Free returns the number f of unconstrained coordinates behind k values.
	Free(k int) int
	// Bounds returns an interval that contains every value.
	Bounds() (lo, hi float64)
	// Constrain writes the values at x into v and returns log |det J|. For a simplex J is that of
	// all values but the last.
	Constrain(v, x []float64) float64
	// PullBack writes J' gv + grad log |det J| into gx, at x and its values v.
	PullBack(gx, x, v, gv []float64)
	// Unconstrain writes the x behind the values v, or returns an error if there is none.
	Unconstrain(x, v []float64) error
}

// Interval maps R onto (Lo, Hi), value by value. Either end may be infinite: with both the map is
// the identity, with one it is the exponential, with none the logistic function:
//
//	v = x                         log |dv/dx| = 0
//	v = Lo + exp(x)               log |dv/dx| = x
//	v = Hi - exp(x)               log |dv/dx| = x
//	v = Lo + (Hi-Lo)/(1+exp(-x))  log |dv/dx| = log(Hi-Lo) - |x| - 2 log(1+exp(-|x|))
//
// The last line is log(Hi-Lo) + log s + log(1-s) for s = 1/(1+exp(-x)), which is even in x; since
// s' = s (1-s), its derivative is 1 - 2 s.
type Interval struct{ Lo, Hi float64 }

// Real returns the interval of all real numbers.
func Real() Interval { return Interval{math.Inf(-1), math.Inf(1)} }

// Positive returns the interval from 0 to infinity.
func Positive() Interval { return Interval{0, math.Inf(1)} }

// Free returns k.
func (Interval) Free(k int) int { return k }

// Bounds returns Lo and Hi.
func (t Interval) Bounds() (lo, hi float64) { return t.Lo, t.Hi }

// Constrain implements Transform.
func (t Interval) Constrain(v, x []float64) float64 {
	below, above := !math.IsInf(t.Lo, -1), !math.IsInf(t.Hi, 1)
	logJ := 0.0
	switch {
	case below && above:
		width := t.Hi - t.Lo
		logJ = float64(len(x)) * math.Log(width)
		for i, u := range x {
			e := math.Exp(-math.Abs(u))
			// From the nearer end, so that no digits are lost beside either.
			if u < 0 {
				v[i] = t.Lo + width*(e/(1+e))
			} else {
				v[i] = t.Hi - width*(e/(1+e))
			}
			logJ -= math.Abs(u) + 2*math.Log1p(e)
		}
	case below:
		for i, u := range x {
			v[i] = t.Lo + math.Exp(u)
			logJ += u
		}
	case above:
		for i, u := range x {
			v[i] = t.Hi - math.Exp(u)
			logJ += u
		}
	default:
		copy(v, x)
	}
	return logJ
}

// PullBack implements Transform.
func (t Interval) PullBack(gx, x, v, gv []float64) {
	below, above := !math.IsInf(t.Lo, -1), !math.IsInf(t.Hi, 1)
	switch {
	case below && above:
		width := t.Hi - t.Lo
		for i, u := range x {
			e := math.Exp(-math.Abs(u))
			// dv/dx = width s (1-s) = width e/(1+e)^2 and 1 - 2 s = -sign(x) (1-e)/(1+e).
			gx[i] = gv[i]*(width*(e/(1+e)/(1+e))) - math.Copysign((1-e)/(1+e), u)
		}
	case below && t.Lo == 0: // v is the exponential already
		for i := range x {
			gx[i] = gv[i]*v[i] + 1
		}
	case below:
		for i, u := range x {
			gx[i] = gv[i]*math.Exp(u) + 1
		}
	case above:
		for i, u := range x {
			gx[i] = 1 - gv[i]*math.Exp(u)
		}
	default:
		copy(gx, gv)
	}
}

// Unconstrain implements Transform.
func (t Interval) Unconstrain(x, v []float64) error {
	below, above := !math.IsInf(t.Lo, -1), !math.IsInf(t.Hi, 1)
	for i, w := range v {
		if !(w > t.Lo && w < t.Hi) {
			return fmt.Errorf("priors: value %d is %v, want it inside (%v, %v)", i+1, w, t.Lo, t.Hi)
		}
		switch {
		case below && above:
			x[i] = density.LogOf(w-t.Lo) - density.LogOf(t.Hi-w)
		case below:
			x[i] = density.LogOf(w - t.Lo)
		case above:
			x[i] = density.LogOf(t.Hi - w)
		default:
			x[i] = w
		}
	}
	return nil
}
