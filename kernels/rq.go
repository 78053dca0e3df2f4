package kernels

import (
	"fmt"
	"math"
	"strconv"
)

// RQ is the rational quadratic kernel, (1 + q/(2 Alpha))^-Alpha.
type RQ struct{ Alpha float64 }

// Profile has kappa = (1+t)^(-Alpha-1) and rho = (1+1/Alpha)/(1+t), t = q/(2 Alpha).
func (r RQ) Profile(q float64) (k, logKappa, rho float64) {
	t := q / (2 * r.Alpha)
	l := math.Log1p(t)
	return math.Exp(-r.Alpha * l), -(r.Alpha + 1) * l, (1 + 1/r.Alpha) / (1 + t)
}

// Profiles is Profile for many q.
func (r RQ) Profiles(path Path, k, kappa, logKappa, rho, q []float64) {
	a := 1 / (2 * r.Alpha)
	for i, v := range q[:len(rho)] {
		rho[i] = (1 + 1/r.Alpha) / (1 + a*v)
	}
	for i, v := range q[:len(kappa)] {
		kappa[i] = 1 + a*v
	}
	if r.Alpha == .5 && logKappa == nil { // the inverse multiquadric needs no logarithm
		for i, v := range q {
			k[i] = 1 / math.Sqrt(1+a*v)
		}
	} else {
		for i, v := range q {
			k[i] = log1p(a * v)
		}
		for i, l := range k[:len(logKappa)] {
			logKappa[i] = -(r.Alpha + 1) * l
		}
		path.ExpNeg(k, k, r.Alpha)
	}
	for i, u := range kappa {
		kappa[i] = k[i] / u
	}
}

// log1p returns log(1+t) for t >= 0. What the sum loses of t is added to first order, which is all
// that counts.
func log1p(t float64) float64 {
	u := 1 + t
	if t > 0x1p53 {
		return math.Log(u)
	}
	return math.Log(u) + (t-(u-1))/u
}

// Square needs 4 Alpha > dim: the tails of the kernel are not square integrable otherwise.
func (r RQ) Square(dim int) (Radial, float64, error) {
	d := float64(dim)
	if !(4*r.Alpha > d) {
		return nil, 0, fmt.Errorf("kernels: 4 alpha of %v is %v in %d columns, want more than %d: "+
			"its square has no integral (nu may be gaussian)", r, 4*r.Alpha, dim, dim)
	}
	b := 2*r.Alpha - d/2
	top, _ := math.Lgamma(b)
	bottom, _ := math.Lgamma(2 * r.Alpha)
	return squareRQ(r.Alpha, b), d/2*math.Log(2*math.Pi*r.Alpha) + top - bottom, nil
}

// Mixture discretises the precisions, which are Gamma distributed with shape and rate Alpha.
func (r RQ) Mixture() (weights, widths []float64) {
	weights, logs := gammaGrid(r.Alpha)
	for _, v := range logs {
		widths = append(widths, math.Exp(-v/2))
	}
	return weights, widths
}

// String returns, say, "rq:alpha=1.5".
func (r RQ) String() string { return "rq:alpha=" + strconv.FormatFloat(r.Alpha, 'g', -1, 64) }

// Check says what is wrong with Alpha.
func (r RQ) Check() error {
	if !(r.Alpha >= 1e-3 && r.Alpha <= 1e3) {
		return fmt.Errorf("kernels: alpha of rq is %v, want a number from 0.001 to 1000", r.Alpha)
	}
	return nil
}
