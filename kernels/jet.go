package kernels

import (
	"fmt"
	"math"
)

// Differentiable is a kernel that knows its derivatives: all kernels of this package but Laplacian
// do, and sums, means and products of those that do. AsDifferentiable checks the parts.
type Differentiable interface {
	Kernel
	// AddGradient adds w times the derivatives of k(x, y) in x to dst.
	AddGradient(dst []float64, w float64, x, y []float64)
	// Jet writes the derivatives where y = x.
	Jet(j *Jet, x []float64)
}

// AsDifferentiable returns k with its derivatives, or an error that names the part without any.
func AsDifferentiable(k Kernel) (Differentiable, error) {
	var parts []Kernel
	switch k := k.(type) {
	case Sum:
		parts = k
	case Mean:
		parts = k
	case Product:
		parts = k
	}
	for _, part := range parts {
		if _, err := AsDifferentiable(part); err != nil {
			return nil, err
		}
	}
	if d, ok := k.(Differentiable); ok {
		return d, nil
	}
	return nil, fmt.Errorf("kernels: kernel is %T, want one with derivatives", k)
}

// Jet is the derivatives of a kernel k(x, y) where y = x, d the number of columns. A prime is a
// derivative in y.
type Jet struct {
	Value  float64
	First  []float64 // d_i k
	Second []float64 // d_m d_i k at m*d+i
	Mixed  []float64 // d_i d'_j k at i*d+j, the metric of the feature map
	Third  []float64 // d_m d_i d'_j k at (m*d+i)*d+j
	// Of the parts of a sum or a product: one jet for the part, one for what came before.
	part, left *Jet
}

// reset makes room for d columns and sets all to zero.
func (j *Jet) reset(d int) {
	j.Value = 0
	j.First = zeros(j.First, d)
	j.Second = zeros(j.Second, d*d)
	j.Mixed = zeros(j.Mixed, d*d)
	j.Third = zeros(j.Third, d*d*d)
}

func zeros(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	clear(s[:n])
	return s[:n]
}

// scratch returns the jets of a part and of what came before.
func (j *Jet) scratch() (part, left *Jet) {
	if j.part == nil {
		j.part, j.left = new(Jet), new(Jet)
	}
	return j.part, j.left
}

// add adds c times another jet.
func (j *Jet) add(c float64, o *Jet) {
	j.Value += c * o.Value
	addScaled(j.First, c, o.First)
	addScaled(j.Second, c, o.Second)
	addScaled(j.Mixed, c, o.Mixed)
	addScaled(j.Third, c, o.Third)
}

// multiply makes j the jet of the product of two kernels, by Leibniz' rule. At y = x the derivative
// in y is that in x: d'_j k = d_j k.
func (j *Jet) multiply(a, b *Jet) {
	d := len(a.First)
	j.reset(d)
	j.Value = a.Value * b.Value
	for m := range d {
		j.First[m] = a.First[m]*b.Value + a.Value*b.First[m]
		for i := range d {
			mi := m*d + i
			cross := a.First[m]*b.First[i] + a.First[i]*b.First[m]
			j.Second[mi] = a.Second[mi]*b.Value + cross + a.Value*b.Second[mi]
			j.Mixed[mi] = a.Mixed[mi]*b.Value + cross + a.Value*b.Mixed[mi]
			for l := range d {
				ml, il := m*d+l, i*d+l
				j.Third[mi*d+l] = a.Third[mi*d+l]*b.Value + a.Second[mi]*b.First[l] +
					a.Mixed[ml]*b.First[i] + a.First[i]*b.Mixed[ml] +
					a.Mixed[il]*b.First[m] + a.First[m]*b.Mixed[il] +
					a.First[l]*b.Second[mi] + a.Value*b.Third[mi*d+l]
			}
		}
	}
}

// AddGradient adds w times the derivatives of k(x, y) in x to dst.
func (k Stationary) AddGradient(dst []float64, w float64, x, y []float64) {
	q := squaredRadius(x, y, k.Theta)
	if q == 0 { // kappa may be infinite, the gradient is not
		return
	}
	_, kappa := slopeOf(k.Radial, q)
	for a, v := range x {
		t := k.Theta[min(a, len(k.Theta)-1)]
		dst[a] -= w * kappa * ((v - y[a]) / t / t)
	}
}

// Jet writes the derivatives where y = x: k is an even function of x - y, so those of odd order are
// zero.
func (k Stationary) Jet(j *Jet, x []float64) {
	d := len(x)
	j.reset(d)
	j.Value = 1
	_, log, _ := k.Radial.Profile(0)
	kappa := math.Exp(log)
	for a := range d {
		t := k.Theta[min(a, len(k.Theta)-1)]
		j.Second[a*d+a] = -kappa / t / t
		j.Mixed[a*d+a] = kappa / t / t
	}
}

// AddGradient adds w times the derivatives of k(x, y) in x to dst. It panics if a part has none.
func (k Sum) AddGradient(dst []float64, w float64, x, y []float64) {
	for _, part := range k {
		part.(Differentiable).AddGradient(dst, w, x, y)
	}
}

// Jet writes the derivatives where y = x. It panics if a part has none.
func (k Sum) Jet(j *Jet, x []float64) { sumJet(j, k, 1, x) }

// AddGradient adds w times the derivatives of k(x, y) in x to dst. It panics if a part has none.
func (k Mean) AddGradient(dst []float64, w float64, x, y []float64) {
	Sum(k).AddGradient(dst, w/float64(len(k)), x, y)
}

// Jet writes the derivatives where y = x. It panics if a part has none.
func (k Mean) Jet(j *Jet, x []float64) { sumJet(j, k, 1/float64(len(k)), x) }

func sumJet(j *Jet, parts []Kernel, c float64, x []float64) {
	j.reset(len(x))
	part, _ := j.scratch()
	for _, k := range parts {
		k.(Differentiable).Jet(part, x)
		j.add(c, part)
	}
}

// AddGradient adds w times the derivatives of k(x, y) in x to dst. It panics if a part has none.
func (k Product) AddGradient(dst []float64, w float64, x, y []float64) {
	for i, part := range k {
		others := w
		for m, o := range k {
			if m != i {
				others *= o.At(x, y)
			}
		}
		part.(Differentiable).AddGradient(dst, others, x, y)
	}
}

// Jet writes the derivatives where y = x. It panics if a part has none.
func (k Product) Jet(j *Jet, x []float64) {
	part, left := j.scratch()
	k[0].(Differentiable).Jet(left, x)
	for _, o := range k[1:] {
		o.(Differentiable).Jet(part, x)
		j.multiply(left, part)
		left.reset(len(x))
		left.add(1, j)
	}
	j.reset(len(x))
	j.add(1, left)
}
