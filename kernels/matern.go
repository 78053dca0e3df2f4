package kernels

import (
	"fmt"
	"math"
)

// Matern is the Matern kernel of smoothness Nu,
//
//	M(s) = 2^(1-Nu)/Gamma(Nu) s^Nu K_Nu(s),   s = sqrt(2 Nu q),
//
// K_Nu being the modified Bessel function of the second kind (Rasmussen and Williams, Gaussian
// Processes for Machine Learning, 2006, eq. 4.14). Nu is an integer or half an odd integer above 1:
// at Nu = 1/2 the kernel has no gradient at a pseudo-input, at Nu = 1 that gradient is infinite.
type Matern struct{ Nu float64 }

// The logarithms of kappa at q = 0 of the two kernels with closed forms.
const (
	log3          = 1.0986122886681098
	logFiveThirds = 0.5108256237659907
)

// Profile has kappa = Nu/(Nu-1) M_(Nu-1)(s).
func (m Matern) Profile(q float64) (k, logKappa, rho float64) {
	switch m.Nu {
	case 1.5:
		s := math.Sqrt(3 * q)
		if s > 0 {
			rho = 3 / s
		}
		return decay(1+s, s), log3 - s, rho
	case 2.5:
		s := math.Sqrt(5 * q)
		if s > 1e300 {
			return 0, -s, 0
		}
		return decay(1+s+s*s/3, s), logFiveThirds + math.Log1p(s) - s, 5 / (1 + s)
	}
	return m.order().Profile(q)
}

func (m Matern) pair(q float64) (k, kappa float64) { return m.order().pair(q) }

// order is the same kernel as a bessel.
func (m Matern) order() bessel { return bessel{mu: m.Nu, arg: 2 * m.Nu} }

// decay returns p exp(-s) for a polynomial p in s, which may overflow where the product is 0.
func decay(p, s float64) float64 {
	e := math.Exp(-s)
	if e == 0 {
		return 0
	}
	return p * e
}

// Profiles is Profile for many q.
func (m Matern) Profiles(path Path, k, kappa, logKappa, rho, q []float64) {
	m.order().Profiles(path, k, kappa, logKappa, rho, q)
}

// Square is the Matern kernel of smoothness 2 Nu + dim/2, whose argument s keeps its factor 2 Nu:
// the spectral density of the kernel, (2 Nu + |w|²)^-(Nu+dim/2), is squared.
func (m Matern) Square(dim int) (Radial, float64, error) {
	d, mu := float64(dim), 2*m.Nu+float64(dim)/2
	gamma := func(x float64) float64 { l, _ := math.Lgamma(x); return l }
	c := d/2*math.Log(2*math.Pi/m.Nu) + 2*(gamma(m.Nu+d/2)-gamma(m.Nu)) + gamma(mu) -
		gamma(2*m.Nu+d)
	return bessel{mu: mu, arg: 2 * m.Nu}, c, nil
}

// Mixture discretises the squared widths, which are Gamma distributed with shape and rate Nu.
func (m Matern) Mixture() (weights, widths []float64) {
	weights, logs := gammaGrid(m.Nu)
	for _, v := range logs {
		widths = append(widths, math.Exp(v/2))
	}
	return weights, widths
}

// String returns "matern32", "matern52" or, say, "matern:nu=2".
func (m Matern) String() string {
	switch m.Nu {
	case 1.5:
		return "matern32"
	case 2.5:
		return "matern52"
	}
	return fmt.Sprintf("matern:nu=%v", m.Nu)
}

// maxNu bounds the steps of the recurrence.
const maxNu = 100

// Check says what is wrong with Nu.
func (m Matern) Check() error {
	if m.Nu <= 1 {
		return fmt.Errorf("kernels: nu of Matern is %v, want more than 1: a rougher kernel has no "+
			"finite gradient at a pseudo-input", m.Nu)
	}
	if !(m.Nu <= maxNu) || 2*m.Nu != math.Trunc(2*m.Nu) {
		return fmt.Errorf("kernels: nu of Matern is %v, want an integer or half of one, at most %d",
			m.Nu, maxNu)
	}
	return nil
}
