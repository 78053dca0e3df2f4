package kernels

import "fmt"

// Nu is the measure in the prior covariance of the mean embedding,
//
//	r(x, y) = integral of k(x, u) k(u, y) nu(du).
//
// For the squared exponential, with d the squared distance of x and y in units of theta and
// c_a = (x_a+y_a)/2, it is
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
	return 0, fmt.Errorf("kernels: nu is %q, want unit, lebesgue or gaussian", name)
}
