package embedding

import (
	"fmt"
	"math"
)

// Noise is the covariance of the errors of the empirical embedding.
type Noise int

const (
	// CLT is what the central limit theorem says it is, and half a row more. With C the sample's
	// covariance of k(X, t) over the points t asked for, and rho the prior correlation of mu,
	//
	//	N = s C/n + kappa rho/n²,   s = tau2/v,   kappa = 1/2,
	//
	// where v = mean_l Var k(X, z_l) over the data of the fit: tau2 keeps its meaning as the level
	// and the data give the shape. Far from every row C is zero, as if the embedding were known
	// there; kappa is what n rows cannot rule out.
	CLT Noise = iota
	// IID is (tau2/n) I at the sample's own rows, as in eq. (7) of the paper. Errors at
	// neighbouring points are in truth nearly the same error, so its bands are too narrow among the
	// data, the more so the larger the sample.
	IID
)

// String returns the name that ParseNoise reads.
func (e Noise) String() string {
	switch e {
	case CLT:
		return "clt"
	case IID:
		return "iid"
	}
	return fmt.Sprintf("Noise(%d)", int(e))
}

// ParseNoise reads "clt" or "iid".
func ParseNoise(name string) (Noise, error) {
	for e := CLT; e <= IID; e++ {
		if name == e.String() {
			return e, nil
		}
	}
	return 0, fmt.Errorf("embedding: noise is %q, want clt or iid", name)
}

// kappa is the share of a row that has not been seen. A share of 0 in n draws leaves a probability
// whose standard deviation is near sqrt(kappa)/n; Wilson's interval of level 80% has kappa = 0.41.
const kappa = 0.5

// Options says which embedding is meant, and how it is observed. The zero value is the default.
type Options struct {
	Noise Noise
	// Rung is a factor c: the embedding is that of the kernel at c theta, where theta is the
	// hyperparameter. It gives a ladder of kernels from one posterior of theta. The level s is still
	// that of the hyperparameters as given. Zero means 1.
	Rung float64
	// AtTest fixes the level of the noise at that of the central limit theorem: s = 1, or tau2 = v,
	// at the theta in use. It is meant for the kernel of a test, where theta was not drawn together
	// with a tau2.
	AtTest bool
}

// resolved checks the options and fills in defaults.
func (o Options) resolved() (Options, error) {
	if o.Noise != CLT && o.Noise != IID {
		return o, fmt.Errorf("embedding: noise is %v, want clt or iid", o.Noise)
	}
	if !(o.Rung >= 0) || math.IsInf(o.Rung, 1) {
		return o, fmt.Errorf("embedding: Rung is %v, want a positive, finite number", o.Rung)
	}
	if o.Rung == 0 {
		o.Rung = 1
	}
	return o, nil
}
