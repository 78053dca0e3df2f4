package hmc

import (
	"fmt"
	"math"
)

// GradientError says where a target's gradient differs from differences of its log density.
type GradientError struct {
	Component  int
	Name       string // of the component, if the target names as many as it has dimensions
	X          []float64
	Gradient   float64 // what the target says
	Difference float64 // what differences of the log density say
	Tolerance  float64
}

// Error returns one line.
func (e *GradientError) Error() string {
	name := fmt.Sprintf("component %d", e.Component)
	if e.Name != "" {
		name += " (" + e.Name + ")"
	}
	return fmt.Sprintf("hmc: gradient is wrong in %s at %s: the target says %.9g, "+
		"differences of its log density say %.9g (within %.1g)",
		name, formatPoint(e.X), e.Gradient, e.Difference, e.Tolerance)
}

// CheckGradient compares t's gradient at x with differences of its value; the error is a
// *GradientError naming the worst component. Where the value is too rough or too large for
// differences to say anything, as beside the edge of the support, nothing is claimed.
func CheckGradient(t Target, x []float64) error {
	d := t.Dim()
	if len(x) != d {
		return fmt.Errorf("hmc: gradient check at a point of %d components "+
			"for a target of dimension %d", len(x), d)
	}
	grad, work, at := make([]float64, d), make([]float64, d), append([]float64(nil), x...)
	lp := t.LogDensity(at, grad)
	if math.IsNaN(lp) || math.IsInf(lp, 0) {
		return fmt.Errorf("hmc: gradient check: log density is %v at %s", lp, formatPoint(x))
	}
	var worst *GradientError
	ratio := 1.0
	for i := range d {
		diff, tol := difference(t, at, work, i, lp, grad[i])
		at[i] = x[i]
		off := math.Abs(grad[i] - diff)
		if math.IsNaN(grad[i]) || math.IsInf(grad[i], 0) {
			off = math.Inf(1)
		}
		if off/tol > ratio {
			ratio = off / tol
			worst = &GradientError{Component: i, X: append([]float64(nil), x...),
				Gradient: grad[i], Difference: diff, Tolerance: tol}
		}
	}
	if worst == nil {
		return nil
	}
	if c, ok := t.(Constrainer); ok {
		if names := c.Names(); len(names) == d {
			worst.Name = names[worst.Component]
		}
	}
	return worst
}

// difference estimates the i-th partial derivative by central differences over shrinking steps,
// extrapolated (Ridders 1982), and says how far off it may be: the error that the extrapolation
// sees, rounding of the value, and a part in a million of the gradient.
func difference(t Target, at, work []float64, i int, lp, claim float64) (diff, tol float64) {
	const (
		shrink = 2.0
		steps  = 8
		eps    = 2.3e-16
	)
	x := at[i]
	h := 1e-2 * math.Max(1e-2, math.Abs(x))
	var table [steps][steps]float64
	best, bestErr := math.NaN(), math.Inf(1)
	first := 0
	for k := 0; k < steps+8 && k-first < steps; k, h = k+1, h/shrink {
		up, down := x+h, x-h
		at[i] = up
		fu := t.LogDensity(at, work)
		at[i] = down
		fd := t.LogDensity(at, work)
		if math.IsNaN(fu-fd) || math.IsInf(fu-fd, 0) {
			first = k + 1 // over the edge of the support: start from shorter steps
			continue
		}
		j := k - first
		table[j][0] = (fu - fd) / (up - down)
		round := 8 * eps * (math.Abs(fu) + math.Abs(fd) + math.Abs(lp)) / h
		f := shrink * shrink
		for m := 1; m <= j; m++ {
			table[j][m] = (f*table[j][m-1] - table[j-1][m-1]) / (f - 1)
			f *= shrink * shrink
			e := math.Max(math.Abs(table[j][m]-table[j][m-1]),
				math.Abs(table[j][m]-table[j-1][m-1])) + round
			if e < bestErr {
				best, bestErr = table[j][m], e
			}
		}
		// Good enough to confirm the claim: no need for shorter steps.
		small := 1e-7 * (math.Abs(claim) + 1e-3)
		if bestErr < small && math.Abs(best-claim) < small {
			break
		}
	}
	if math.IsNaN(best) {
		return claim, math.Inf(1)
	}
	return best, 10*bestErr + 1e-6*(math.Abs(best)+1e-3)
}
