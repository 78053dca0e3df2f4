package bke

import (
	"fmt"
	"math"
)

// Nu is the measure in the prior covariance of the mean embedding,
//
//	r(x, y) = integral of k(x, u) k(u, y) nu(du).
//
// With d the squared distance of x and y in units of theta, and c_a = (x_a+y_a)/2,
//
//	Unit      exp(-d/4)
//	Lebesgue  exp(-d/4) prod_a theta_a sqrt(pi)
//	Gaussian  exp(-d/4) prod_a (1+2 eta²/theta_a²)^(-1/2) exp(-c_a²/(theta_a²+2 eta²))
type Nu int

const (
	// Unit is Lebesgue measure scaled so that r(x, x) = 1: the convention of the Stan program of
	// Flaxman et al. (2016), and the default.
	Unit Nu = iota
	// Lebesgue is Lebesgue measure itself.
	Lebesgue
	// Gaussian is N(0, eta² I), which has mass one.
	Gaussian
)

// String returns the name that ParseNu reads.
func (nu Nu) String() string {
	switch nu {
	case Unit:
		return "unit"
	case Lebesgue:
		return "lebesgue"
	case Gaussian:
		return "gaussian"
	}
	return fmt.Sprintf("Nu(%d)", int(nu))
}

// ParseNu reads "unit", "lebesgue" or "gaussian".
func ParseNu(name string) (Nu, error) {
	for nu := Unit; nu <= Gaussian; nu++ {
		if name == nu.String() {
			return nu, nil
		}
	}
	return 0, fmt.Errorf("bke: nu is %q, want unit, lebesgue or gaussian", name)
}

// R writes r(a_i, b_j) into dst[i*nb+j], where a and b hold points of dim coordinates, row by row,
// and nb is the number of points in b. The length of p.Theta is 1 or dim.
func (nu Nu) R(dst, a, b []float64, dim int, p Params) {
	if dim < 1 || len(a)%dim != 0 || len(b)%dim != 0 {
		panic("bke: Nu.R: points are not of dim coordinates")
	}
	if len(p.Theta) != 1 && len(p.Theta) != dim {
		panic("bke: Nu.R: length of Theta is neither 1 nor dim")
	}
	na, nb := len(a)/dim, len(b)/dim
	if len(dst) != na*nb {
		panic("bke: Nu.R: length of dst is not the number of pairs")
	}
	logAmp := nu.logAmplitude(p, dim)
	for i := range na {
		ai := a[i*dim : (i+1)*dim]
		for j := range nb {
			near, far := nu.exponents(ai, b[j*dim:(j+1)*dim], p)
			dst[i*nb+j] = math.Exp(logAmp - near - far)
		}
	}
}

// logAmplitude returns the logarithm of the factor of r that depends on neither point.
func (nu Nu) logAmplitude(p Params, dim int) float64 {
	if nu == Unit {
		return 0
	}
	s := 0.0
	for a := range dim {
		t := p.theta(a)
		if nu == Lebesgue {
			s += math.Log(t) + math.Log(math.Pi)/2
		} else {
			u := p.Eta / t
			s -= math.Log1p(2*u*u) / 2
		}
	}
	return s
}

// exponents returns d/4 and, for Gaussian, sum_a c_a²/(theta_a²+2 eta²).
func (nu Nu) exponents(x, y []float64, p Params) (near, far float64) {
	for a, xa := range x {
		t := p.theta(a)
		u := (xa - y[a]) / t
		near += u * u / 4
		if nu == Gaussian {
			c := (xa/2 + y[a]/2) / math.Hypot(t, math.Sqrt2*p.Eta)
			far += c * c
		}
	}
	return near, far
}
