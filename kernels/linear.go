package kernels

import (
	"fmt"
	"math"
)

// Linear is x'y. Its mean embedding is the mean of a distribution, and no more.
type Linear struct{}

// At returns k(x, y).
func (Linear) At(x, y []float64) float64 { return dot(x, y) }

// Check returns nil.
func (Linear) Check(int) error { return nil }

// AddGradient adds w times the derivatives of k(x, y) in x to dst.
func (Linear) AddGradient(dst []float64, w float64, x, y []float64) { addScaled(dst, w, y) }

// Jet writes the derivatives where y = x.
func (Linear) Jet(j *Jet, x []float64) {
	j.reset(len(x))
	j.Value = dot(x, x)
	copy(j.First, x)
	for i := range x {
		j.Mixed[i*len(x)+i] = 1
	}
}

// Polynomial is (x'y + Offset)^Degree. With a positive offset its mean embedding is that of all
// moments up to Degree; with none, of those of exactly that order.
type Polynomial struct {
	Degree int
	Offset float64
}

// At returns k(x, y).
func (k Polynomial) At(x, y []float64) float64 { return intPower(dot(x, y)+k.Offset, k.Degree) }

// Check says what is wrong with Degree or Offset.
func (k Polynomial) Check(int) error {
	if k.Degree < 1 {
		return fmt.Errorf("kernels: degree of Polynomial is %d, want at least 1", k.Degree)
	}
	if !(k.Offset >= 0) || math.IsInf(k.Offset, 1) {
		return fmt.Errorf("kernels: offset of Polynomial is %v, want a number not below 0", k.Offset)
	}
	return nil
}

// AddGradient adds w times the derivatives of k(x, y) in x to dst.
func (k Polynomial) AddGradient(dst []float64, w float64, x, y []float64) {
	p := k.Degree
	addScaled(dst, w*float64(p)*intPower(dot(x, y)+k.Offset, p-1), y)
}

// Jet writes the derivatives where y = x.
func (k Polynomial) Jet(j *Jet, x []float64) {
	d, p, u := len(x), k.Degree, dot(x, x)+k.Offset
	j.reset(d)
	j.Value = intPower(u, p)
	f1 := float64(p) * intPower(u, p-1)
	f2 := float64(p*(p-1)) * intPower(u, p-2)
	f3 := float64(p*(p-1)*(p-2)) * intPower(u, p-3)
	addScaled(j.First, f1, x)
	for m := range d {
		for i := range d {
			j.Second[m*d+i] = f2 * x[m] * x[i]
			j.Mixed[m*d+i] = f2 * x[m] * x[i]
			for l := range d {
				j.Third[(m*d+i)*d+l] = f3 * x[m] * x[i] * x[l]
			}
			j.Third[(m*d+i)*d+i] += f2 * x[m]
			j.Third[(m*d+i)*d+m] += f2 * x[i]
		}
		j.Mixed[m*d+m] += f1
	}
}

// intPower is u to the power p; 0 for negative p, which only has a factor 0 beside it.
func intPower(u float64, p int) float64 {
	if p < 0 {
		return 0
	}
	v := 1.0
	for ; p > 0; p >>= 1 {
		if p&1 == 1 {
			v *= u
		}
		u *= u
	}
	return v
}

func dot(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("kernels: rows have different lengths")
	}
	s := 0.0
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

func addScaled(dst []float64, w float64, y []float64) {
	for i, v := range y {
		dst[i] += w * v
	}
}
