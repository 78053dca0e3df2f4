package kernels

import (
	"errors"
	"math"

	"bayeskernel/internal/fused"
)

// Radial is phi(q), a kernel without its lengthscales: k(x, y) = phi(q), where q is the squared
// distance of x and y in units of theta and phi(0) = 1.
type Radial interface {
	// Profile returns k = phi(q), the logarithm of kappa = -2 phi'(q), and rho = -2 dlog kappa/dq.
	// At q = +Inf, k is 0 and logKappa -Inf. Where rho has no limit at q = 0, Profile(0) returns 0
	// for it, the limit of rho q.
	Profile(q float64) (k, logKappa, rho float64)
	// Square returns psi and logConst with
	//
	//	integral over R^dim of k(x,u) k(u,y) du = exp(logConst) prod_a theta_a psi(q),
	//
	// the product over all dim coordinates, or an error where that integral is infinite. What
	// psi.Square returns is an error: nothing needs it. A kernel without a closed form can return
	// that of a Mixture of few widths; with w widths each value costs about w²/2
	// exponentials.
	Square(dim int) (psi Radial, logConst float64, err error)
	// Mixture returns a mixture sum_j w_j exp(-q/(2 s_j²)) of squared exponentials, of weights w
	// and widths s, that stands in for k in the prior covariance under Gaussian.
	Mixture() (weights, widths []float64)
	// String returns what ParseRadial reads.
	String() string
	// Check says what is wrong with the shape parameters, nil if nothing is.
	Check() error
}

// Path is a numerical path: a way to compute, which is part of what makes a run reproducible. The
// paths agree to 1e-12, not to the last bit. The zero value is plain Go.
type Path = fused.Kind

// Batch is implemented by radial kernels that evaluate many q at once faster than one by one.
// Callers go through the function Profiles.
type Batch interface {
	// Profiles writes k, kappa, logKappa and rho at the elements of q, all of the length of q. Any
	// output but k may be nil; k may be q.
	Profiles(path Path, k, kappa, logKappa, rho, q []float64)
}

// Profiles writes phi(q_i) into k and kappa, log kappa and rho into the others, any of which may be
// nil. A nil slice is not computed. k may be q. It does not allocate.
func Profiles(r Radial, path Path, k, kappa, logKappa, rho, q []float64) {
	if len(k) != len(q) {
		panic("kernels: Profiles: lengths of k and q differ")
	}
	for _, out := range [3][]float64{kappa, logKappa, rho} {
		if out != nil && len(out) != len(q) {
			panic("kernels: Profiles: lengths of an output and q differ")
		}
	}
	if len(q) == 0 {
		return
	}
	if b, ok := r.(Batch); ok {
		b.Profiles(path, k, kappa, logKappa, rho, q)
		return
	}
	for i, v := range q {
		a, l, c := r.Profile(v)
		k[i] = a
		if kappa != nil {
			kappa[i] = math.Exp(l)
		}
		if logKappa != nil {
			logKappa[i] = l
		}
		if rho != nil {
			rho[i] = c
		}
	}
}

// slopeOf returns k = phi(q) and kappa = -2 phi'(q), for callers that have one q at a time.
func slopeOf(r Radial, q float64) (k, kappa float64) {
	if p, ok := r.(paired); ok {
		return p.pair(q)
	}
	k, logKappa, _ := r.Profile(q)
	return k, math.Exp(logKappa)
}

// paired is implemented by radial kernels that have k and kappa at less cost than their Profile.
type paired interface {
	pair(q float64) (k, kappa float64)
}

// values writes phi(q_i) into dst, which may be q. It does not allocate.
func values(r Radial, path Path, dst, q []float64) { Profiles(r, path, dst, nil, nil, nil, q) }

// chunk is the number of elements that batch profiles work on at a time, in a buffer on the stack.
const chunk = 128

// part returns elements i to j-1 of s, nil if s is nil.
func part(s []float64, i, j int) []float64 {
	if s == nil {
		return nil
	}
	return s[i:j]
}

// inChunks calls f for pieces of at most chunk elements.
func inChunks(k, kappa, logKappa, rho, q []float64,
	f func(k, kappa, logKappa, rho, q []float64)) {
	for i := 0; i < len(q); i += chunk {
		j := min(i+chunk, len(q))
		f(k[i:j], part(kappa, i, j), part(logKappa, i, j), part(rho, i, j), q[i:j])
	}
}

// fill sets all elements of s to v.
func fill(s []float64, v float64) {
	for i := range s {
		s[i] = v
	}
}

// notSquared is what psi, the Square of a kernel, does not have to be able to do.
type notSquared struct{}

func (notSquared) Square(int) (Radial, float64, error) {
	return nil, 0, errors.New("kernels: kernel is the square of a kernel, want a kernel itself")
}

func (notSquared) Mixture() (weights, widths []float64) { return nil, nil }

func (notSquared) Check() error { return nil }
