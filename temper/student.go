package temper

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// StudentT is a reference: the multivariate Student-t or normal density. It owns a workspace, so
// each replicate needs its own.
type StudentT struct {
	nu      float64 // +Inf for the normal
	mean    []float64
	chol    []float64 // lower Cholesky factor of the scale matrix, by rows
	logNorm float64
	u       []float64
}

// NewStudentT returns the density with nu degrees of freedom and the given location and scale
// matrix, which is (nu-2)/nu times the covariance; nu = 0 means the normal density, whose scale
// matrix is the covariance.
func NewStudentT(nu int, mean []float64, scale mat.Symmetric) (*StudentT, error) {
	d := len(mean)
	if nu < 0 || d == 0 || scale.SymmetricDim() != d {
		return nil, fmt.Errorf("temper: Student-t density with %d degrees of freedom, %d means "+
			"and a scale matrix of order %d: want none negative, at least one, as many",
			nu, d, scale.SymmetricDim())
	}
	var chol mat.Cholesky
	if !chol.Factorize(scale) || math.IsInf(chol.LogDet(), 0) || math.IsNaN(chol.LogDet()) {
		return nil, fmt.Errorf("temper: the scale matrix of a Student-t density is not positive " +
			"definite")
	}
	t := &StudentT{nu: float64(nu), mean: append([]float64(nil), mean...),
		chol: make([]float64, d*d), u: make([]float64, d)}
	var l mat.TriDense
	chol.LTo(&l)
	for i := range d {
		for j := range i + 1 {
			t.chol[i*d+j] = l.At(i, j)
		}
		if math.IsNaN(mean[i]) || math.IsInf(mean[i], 0) {
			return nil, fmt.Errorf("temper: mean %d of a Student-t density is %v", i, mean[i])
		}
	}
	n := float64(d)
	t.logNorm = -0.5 * (chol.LogDet() + n*math.Log(2*math.Pi))
	if nu == 0 {
		t.nu = math.Inf(1)
		return t, nil
	}
	a, _ := math.Lgamma((t.nu + n) / 2)
	b, _ := math.Lgamma(t.nu / 2)
	t.logNorm = a - b - 0.5*(chol.LogDet()+n*math.Log(math.Pi*t.nu))
	return t, nil
}

// Dim returns the dimension.
func (t *StudentT) Dim() int { return len(t.mean) }

// LogDensity returns the log density, normalised.
func (t *StudentT) LogDensity(x, grad []float64) float64 {
	d := len(x)
	q := 0.0
	for i := range d { // L u = x - mean
		s := x[i] - t.mean[i]
		for j, l := range t.chol[i*d : i*d+i] {
			s -= l * t.u[j]
		}
		t.u[i] = s / t.chol[i*d+i]
		q += t.u[i] * t.u[i]
	}
	slope := 1.0
	lp := t.logNorm - q/2
	if !math.IsInf(t.nu, 1) {
		slope = (t.nu + float64(d)) / (t.nu + q)
		lp = t.logNorm - (t.nu+float64(d))/2*math.Log1p(q/t.nu)
	}
	for i := d - 1; i >= 0; i-- { // L' grad = -slope u
		t.u[i] /= t.chol[i*d+i]
		for j, l := range t.chol[i*d : i*d+i] {
			t.u[j] -= l * t.u[i]
		}
		grad[i] = -slope * t.u[i]
	}
	return lp
}

// Draw writes a draw into x: a normal one over the root of an independent chi-square.
func (t *StudentT) Draw(x []float64, r *rand.Rand) {
	d := len(x)
	scale := 1.0
	if !math.IsInf(t.nu, 1) {
		chi2 := 0.0
		for range int(t.nu) {
			z := r.NormFloat64()
			chi2 += z * z
		}
		scale = math.Sqrt(t.nu / chi2)
	}
	for i := range t.u {
		t.u[i] = scale * r.NormFloat64()
	}
	for i := range x {
		x[i] = t.mean[i]
		for j, l := range t.chol[i*d : i*d+i+1] {
			x[i] += l * t.u[j]
		}
	}
}
