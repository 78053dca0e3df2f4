package kernels

import (
	"fmt"
	"math"
)

// Kernel is a positive definite function on R^D.
type Kernel interface {
	// At returns k(x, y). It panics if the lengths of x and y do not fit the kernel.
	At(x, y []float64) float64
	// Check says what is wrong with the kernel's parameters for rows of dim columns, nil if
	// nothing is.
	Check(dim int) error
}

// Laplacian is exp(-r), r being the Euclidean distance also where D > 1.
type Laplacian struct {
	Theta []float64 // one lengthscale, or one for each column
}

// At returns k(x, y).
func (k Laplacian) At(x, y []float64) float64 {
	return math.Exp(-math.Sqrt(squaredRadius(x, y, k.Theta)))
}

// Check says what is wrong with Theta.
func (k Laplacian) Check(dim int) error { return checkTheta("Laplacian", k.Theta, dim) }

// Sum is the sum of its kernels.
type Sum []Kernel

// At returns k(x, y).
func (k Sum) At(x, y []float64) float64 {
	s := 0.0
	for _, part := range k {
		s += part.At(x, y)
	}
	return s
}

// Check says what is wrong with the first kernel that has a fault.
func (k Sum) Check(dim int) error { return checkParts("Sum", k, dim) }

// Product is the product of its kernels.
type Product []Kernel

// At returns k(x, y).
func (k Product) At(x, y []float64) float64 {
	p := 1.0
	for _, part := range k {
		p *= part.At(x, y)
	}
	return p
}

// Check says what is wrong with the first kernel that has a fault.
func (k Product) Check(dim int) error { return checkParts("Product", k, dim) }

// squaredRadius returns r². Each difference is divided by theta before it is squared: the square of
// a difference may be out of range where that of the ratio is not.
func squaredRadius(x, y, theta []float64) float64 {
	if len(x) != len(y) {
		panic("kernels: rows have different lengths")
	}
	s := 0.0
	switch len(theta) {
	case 1:
		t := theta[0]
		for a, v := range x {
			u := (v - y[a]) / t
			s += u * u
		}
	case len(x):
		for a, v := range x {
			u := (v - y[a]) / theta[a]
			s += u * u
		}
	default:
		panic("kernels: the length of Theta is neither 1 nor that of the rows")
	}
	return s
}

// radius returns r, also where its square is out of range.
func radius(x, y, theta []float64) float64 {
	s := squaredRadius(x, y, theta)
	if s >= 1e-280 && s <= math.MaxFloat64 {
		return math.Sqrt(s)
	}
	r := 0.0
	for a, v := range x {
		r = math.Hypot(r, (v-y[a])/theta[min(a, len(theta)-1)])
	}
	return r
}

func checkTheta(kernel string, theta []float64, dim int) error {
	if len(theta) != 1 && len(theta) != dim {
		return fmt.Errorf("kernels: %s has %d lengthscales for %d columns, want 1 or %d",
			kernel, len(theta), dim, dim)
	}
	for a, t := range theta {
		if !(t > 0) || math.IsInf(t, 1) {
			return fmt.Errorf("kernels: lengthscale %d of %s is %v, want a positive number",
				a+1, kernel, t)
		}
	}
	return nil
}

func checkParts(kernel string, parts []Kernel, dim int) error {
	if len(parts) == 0 {
		return fmt.Errorf("kernels: %s of no kernels, want at least one", kernel)
	}
	for i, part := range parts {
		if part == nil {
			return fmt.Errorf("kernels: part %d of %s is nil, want a kernel", i+1, kernel)
		}
		if err := part.Check(dim); err != nil {
			return err
		}
	}
	return nil
}
