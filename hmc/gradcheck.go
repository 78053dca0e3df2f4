package hmc

import (
	"fmt"
	"math"
)

// GradientError says where a target's gradient differs from finite differences of its log density.
type GradientError struct {
	Component  int
	Name       string // of the component, if the target has a name for each dimension
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

// CheckGradient compares t's gradient at x with finite differences of its log density. The error is
// a *GradientError for the worst component. Errors below one part in 10,000 pass. Where differences
// are unreliable, because the log density is too rough, too noisy or too large, or x is near the
// edge of the support, the check passes.
func CheckGradient(t Target, x []float64) error {
	return checkGradient(t, t, x)
}

// checkGradient checks t; named supplies the names for the error.
func checkGradient(t, named Target, x []float64) error {
	c, err := newGradientCheck(t, x)
	if err != nil {
		return err
	}
	var worst *GradientError
	ratio := 1.0
	e := make([]float64, len(x))
	for i, claim := range c.grad {
		e[i] = 1
		diff, tol := c.along(e, math.Max(1e-2, math.Abs(x[i])), claim)
		e[i] = 0
		off := math.Abs(claim-diff) / tol
		if math.IsNaN(claim) || math.IsInf(claim, 0) {
			off = math.Inf(1)
		}
		if off > ratio {
			ratio = off
			worst = &GradientError{Component: i, X: append([]float64(nil), x...),
				Gradient: claim, Difference: diff, Tolerance: tol}
		}
	}
	if worst == nil {
		return nil
	}
	if c, ok := named.(Constrainer); ok {
		if names := c.Names(); len(names) == t.Dim() {
			worst.Name = names[worst.Component]
		}
	}
	return worst
}

// CheckGradient checks the gradient of h's target before a chain starts. Its evaluations count
// among h's. In more than a hundred dimensions it tries two directions that move all components,
// and checks each component only if these disagree.
func (h *Hamiltonian) CheckGradient(x []float64) error {
	return quickCheck(watched{h}, h.target, x)
}

func quickCheck(t, named Target, x []float64) error {
	const most = 100
	if t.Dim() <= most {
		return checkGradient(t, named, x)
	}
	c, err := newGradientCheck(t, x)
	if err != nil {
		return err
	}
	u := make([]float64, len(x))
	for period := 1; period <= 2; period++ {
		claim := 0.0
		for i, v := range x {
			// Signs without a pattern: those of sines of a quadratic phase.
			u[i] = math.Copysign(math.Max(1e-2, math.Abs(v)), math.Sin(float64(period*i)*float64(i)+0.5))
			claim += u[i] * c.grad[i]
		}
		diff, tol := c.along(u, 1, claim)
		if !(math.Abs(claim-diff) <= tol) {
			return checkGradient(t, named, x)
		}
	}
	return nil
}

// gradientCheck holds the data shared by all differences at one point.
type gradientCheck struct {
	t        Target
	x, grad  []float64
	lp       float64
	noise    float64 // of the value, in addition to rounding
	at, work []float64
}

func newGradientCheck(t Target, x []float64) (*gradientCheck, error) {
	if t == nil {
		return nil, fmt.Errorf("hmc: the target is nil, want one")
	}
	d := t.Dim()
	if len(x) != d {
		return nil, fmt.Errorf("hmc: gradient check at a point of %d components "+
			"for a target of dimension %d", len(x), d)
	}
	c := &gradientCheck{t: t, x: x, grad: make([]float64, d), at: append([]float64(nil), x...),
		work: make([]float64, d)}
	lp := t.LogDensity(c.at, c.grad)
	if math.IsNaN(lp) || math.IsInf(lp, 0) {
		return nil, fmt.Errorf("hmc: gradient check: log density is %v at %s", lp, formatPoint(x))
	}
	c.lp = lp
	c.noise = c.measureNoise()
	return c, nil
}

// value returns the log density at x + h u.
func (c *gradientCheck) value(u []float64, h float64) float64 {
	for i, v := range c.x {
		c.at[i] = v + h*u[i]
	}
	return c.t.LogDensity(c.at, c.work)
}

// measureNoise estimates by how much the value scatters about a smooth function, from sixth
// differences of equally spaced values, in which nothing smooth is left (Moré and Wild 2011):
// values that end an iteration, or were rounded to single precision, are far rougher than their
// last digit. It is the largest of three estimates, since rounding can fall in step with the
// spacing.
func (c *gradientCheck) measureNoise() float64 {
	const n, order = 13, 6
	u := make([]float64, len(c.x))
	for i, v := range c.x {
		u[i] = math.Max(1e-2, math.Abs(v)) * (1 + 0.3*math.Sin(float64(i)))
	}
	noise := 0.0
	for _, step := range []float64{1e-4, 0.7e-4, 1.3e-4} {
		var f [n]float64
		for k := range f {
			f[k] = c.value(u, step*float64(k-n/2))
		}
		for m := 1; m <= order; m++ {
			for k := 0; k < n-m; k++ {
				f[k] = f[k+1] - f[k]
			}
		}
		sum := 0.0
		for _, v := range f[:n-order] {
			sum += v * v
		}
		if s := math.Sqrt(sum / (n - order) / 924); s <= math.MaxFloat64 { // not beside an edge
			noise = math.Max(noise, s) // 924 = sum of the squared binomials of 6
		}
	}
	return noise
}

// along estimates the derivative in the direction u by central differences over shrinking steps,
// extrapolated (Ridders 1982), and says how far off it may be: the error that the extrapolation
// sees, rounding and noise of the value, and a part in 10,000. A claim that two steps in a row
// confirm needs no more; and where the differences to either side disagree over short steps as over
// long ones there is a kink, and a claim between them passes.
func (c *gradientCheck) along(u []float64, scale, claim float64) (diff, tol float64) {
	const (
		steps  = 16
		orders = 5
		eps    = 2.3e-16
	)
	h := 1e-2 * scale
	fine := 1e-4 * (math.Abs(claim) + 1e-3)
	best, bestErr := math.NaN(), math.Inf(1)
	var table [steps][orders]float64
	var gaps [steps]float64 // between the differences to either side
	confirmed, first := 0, 0
	for k := 0; k < steps+8 && k-first < steps; k, h = k+1, h/2 {
		up, down := c.value(u, h), c.value(u, -h)
		if math.IsNaN(up-down) || math.IsInf(up-down, 0) {
			first = k + 1 // over the edge of the support: start from shorter steps
			continue
		}
		j := k - first
		t := &table[j]
		t[0] = (up - down) / (2 * h)
		floor := (8*eps*(math.Abs(up)+math.Abs(down)+math.Abs(c.lp)) + 6*c.noise) / h
		right, left := (up-c.lp)/h, (c.lp-down)/h
		gaps[j] = math.Abs(right - left)
		if j >= 4 && gaps[j] > 0.6*gaps[j-2] && gaps[j] > 10*(fine+floor) &&
			math.Abs(claim-t[0]) <= 0.51*gaps[j] {
			return claim, gaps[j]
		}
		if confirmed++; !(math.Abs(t[0]-claim) < fine) {
			confirmed = 0
		}
		f := 4.0
		for m := 1; m <= min(j, orders-1); m++ {
			t[m] = (f*t[m-1] - table[j-1][m-1]) / (f - 1)
			f *= 4
			e := math.Max(math.Abs(t[m]-t[m-1]), math.Abs(t[m]-table[j-1][m-1])) + floor
			if e < bestErr {
				best, bestErr = t[m], e
			}
		}
		if confirmed == 2 || bestErr < fine/100 && math.Abs(best-claim) < fine/100 {
			return claim, fine
		}
	}
	if math.IsNaN(best) {
		return claim, math.Inf(1)
	}
	return best, 10*bestErr + 1e-4*(math.Abs(best)+1e-3)
}
