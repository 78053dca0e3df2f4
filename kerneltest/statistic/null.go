package statistic

import "fmt"

// Null names a distribution of a statistic under the null hypothesis.
type Null int

// The null distributions. Permutation is exact for any sample size; it and Auto are for the tests of
// package kerneltest, and no Tail has them. The others are approximations, from the most to the least
// accurate.
const (
	// Auto is Permutation.
	Auto Null = iota
	// Permutation is the statistic over random permutations of the labels.
	Permutation
	// Spectral is the limit, a weighted sum of chi-squares whose weights are the eigenvalues of the
	// centred Gram matrices; its tail is computed exactly (Gretton et al., 2009; Zhang et al.,
	// 2011).
	Spectral
	// Pearson is a shifted gamma with the first three cumulants of Spectral.
	Pearson
	// Gamma has the two moments of Gretton et al.: for MMD those of 2009 (equal sizes only), for
	// HSIC those of 2008.
	Gamma
	// GammaKCI, for HSIC, has the two moments of Spectral (Zhang et al., 2011).
	GammaKCI
	// GammaDHSIC, for HSIC, has the two moments of Pfister et al. (2018) for two variables.
	GammaDHSIC
)

var nullNames = [...]string{
	"auto", "permutation", "spectral", "pearson", "gamma", "gamma-kci", "gamma-dhsic",
}

// String returns the name that ParseNull reads.
func (n Null) String() string {
	if n < 0 || int(n) >= len(nullNames) {
		return fmt.Sprintf("Null(%d)", int(n))
	}
	return nullNames[n]
}

// ParseNull reads "auto", "permutation", "spectral", "pearson", "gamma", "gamma-kci" or
// "gamma-dhsic".
func ParseNull(name string) (Null, error) {
	for i, s := range nullNames {
		if s == name {
			return Null(i), nil
		}
	}
	return 0, fmt.Errorf("statistic: null is %q, want auto, permutation, spectral, pearson, "+
		"gamma, gamma-kci or gamma-dhsic", name)
}

// Tail is a p-value of a null distribution that is not found by permutation.
type Tail struct {
	Null      Null    // the distribution that was used
	Statistic float64 // the statistic in the units of that distribution
	Mean      float64 // of the distribution
	Variance  float64 // of the distribution
	P         float64 // probability of a value above Statistic
	// Bound estimates the numerical error of P as a tail of this distribution. It does not say how
	// well the distribution fits.
	Bound float64
}
