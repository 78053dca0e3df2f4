package kernels

import "errors"

// Stationary is a radial kernel with its lengthscales.
type Stationary struct {
	Radial Radial
	Theta  []float64 // one lengthscale, or one for each column
}

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

// AsStationary returns the radial kernel and the lengthscales of k, if k is a Stationary, a
// SquaredExponential, a Matern32 or a Matern52.
func AsStationary(k Kernel) (s Stationary, ok bool) {
	switch k := k.(type) {
	case Stationary:
		return k, k.Radial != nil
	case SquaredExponential:
		return Stationary{SE{}, k.Theta}, true
	case Matern32:
		return Stationary{Matern{1.5}, k.Theta}, true
	case Matern52:
		return Stationary{Matern{2.5}, k.Theta}, true
	}
	return Stationary{}, false
}

// Mean is the mean of its kernels.
type Mean []Kernel

// At returns k(x, y).
func (k Mean) At(x, y []float64) float64 { return Sum(k).At(x, y) / float64(len(k)) }

// Check says what is wrong with the first kernel that has a fault.
func (k Mean) Check(dim int) error { return checkParts("Mean", k, dim) }
