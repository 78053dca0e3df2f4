package kernels

import (
	"fmt"
	"math"

	"bayeskernel/internal/dd"
)

// SE is the squared exponential, exp(-q/2).
type SE struct{}

// Profile has kappa = k and rho = 1.
func (SE) Profile(q float64) (k, logKappa, rho float64) { return exponential{p: 1}.Profile(q) }

// Profiles is Profile for many q.
func (SE) Profiles(path Path, k, kappa, logKappa, rho, q []float64) {
	exponential{p: 1}.Profiles(path, k, kappa, logKappa, rho, q)
}

func (SE) pair(q float64) (k, kappa float64) { return exponential{p: 1}.pair(q) }

// Square is pi^(dim/2) prod_a theta_a exp(-q/4).
func (SE) Square(dim int) (Radial, float64, error) {
	return exponential{p: 0.5}, float64(dim) * math.Log(math.Pi) / 2, nil
}

// Mixture is the kernel itself.
func (SE) Mixture() (weights, widths []float64) { return []float64{1}, []float64{1} }

func (SE) isMixture() {}

// String returns "se".
func (SE) String() string { return "se" }

// Check returns nil.
func (SE) Check() error { return nil }

// exponential is exp(-p q/2).
type exponential struct {
	notSquared
	p float64
}

func (e exponential) Profile(q float64) (k, logKappa, rho float64) {
	h := e.p * q / 2
	return math.Exp(-h), math.Log(e.p) - h, e.p
}

func (e exponential) Profiles(path Path, k, kappa, logKappa, rho, q []float64) {
	if logKappa != nil {
		a := math.Log(e.p)
		for i, v := range q {
			logKappa[i] = a - e.p*v/2
		}
	}
	fill(rho, e.p)
	path.ExpNeg(k, q, e.p/2)
	for i := range kappa {
		kappa[i] = e.p * k[i]
	}
}

func (e exponential) pair(q float64) (k, kappa float64) {
	k = math.Exp(-e.p * q / 2)
	return k, e.p * k
}

func (e exponential) pairExtended(q dd.Number) (k, kappa dd.Number) {
	k = q.Scale(-e.p / 2).Exp()
	return k, k.Scale(e.p)
}

func (e exponential) String() string { return fmt.Sprintf("exp(-%v q)", e.p/2) }

func (exponential) exact() bool { return true }
