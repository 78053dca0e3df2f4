package kernels

import "errors"

// Stationary is a radial kernel with its lengthscales.
type Stationary struct {
	Radial Radial
	Theta  []float64 // one lengthscale, or one for each column
}

// SquaredExponential is exp(-r²/2), also called Gaussian or RBF, with one lengthscale or one for each
// column.
func SquaredExponential(theta ...float64) Stationary { return Stationary{SE{}, theta} }

// Matern32 is (1 + sqrt3 r) exp(-sqrt3 r).
func Matern32(theta ...float64) Stationary { return Stationary{Matern{1.5}, theta} }

// Matern52 is (1 + sqrt5 r + 5r²/3) exp(-sqrt5 r).
func Matern52(theta ...float64) Stationary { return Stationary{Matern{2.5}, theta} }

// At returns k(x, y).
func (k Stationary) At(x, y []float64) float64 {
	v, _, _ := k.Radial.Profile(squaredRadius(x, y, k.Theta))
	return v
}

// Check says what is wrong with the radial kernel or Theta.
func (k Stationary) Check(dim int) error {
	if k.Radial == nil {
		return errors.New("kernels: Radial of Stationary is nil, want a radial kernel")
	}
	if err := k.Radial.Check(); err != nil {
		return err
	}
	return checkTheta(k.Radial.String(), k.Theta, dim)
}

// AsStationary returns the radial kernel and the lengthscales of k, if k is a Stationary.
func AsStationary(k Kernel) (s Stationary, ok bool) {
	s, ok = k.(Stationary)
	return s, ok && s.Radial != nil
}

// Mean is the mean of its kernels.
type Mean []Kernel

// At returns k(x, y).
func (k Mean) At(x, y []float64) float64 { return Sum(k).At(x, y) / float64(len(k)) }

// Check says what is wrong with the first kernel that has a fault.
func (k Mean) Check(dim int) error { return checkParts("Mean", k, dim) }
