package kerneltest

import "math"

// fuse is the statistic of MMD-FUSE (Biggs, Schrab and Gretton, 2023),
//
//	log mean_k exp(lambda MMD²_k / sqrt(N_k)),   N_k = sum_{i != j} k(z_i, z_j)² / (n(n-1)),
//
// with z the pooled rows, MMD² unbiased, n the size of the smaller sample and lambda =
// sqrt(n(n-1)). N_k does not change when labels are permuted; its root is the scale of MMD²_k under
// the null hypothesis. norm[k] is sqrt(N_k)/lambda. Where it is 0 the kernel is 0 between all rows,
// its statistic is 0, and so is its exponent.
//
// The authors' program multiplies the exponents by another sqrt(n(n-1)), which makes the soft
// maximum nearly the maximum: that is Options.Sharpness = sqrt(n(n-1)).
//
// For HSIC there is no published one. By analogy N_k is the product of the sums of squares of the
// two centred Gram matrices over (n(n-1))², with n the number of rows. It is the same for all
// permutations. The exponents then have the same variance under the null hypothesis, about 2.
func fuse(t *table) ([]float64, float64) {
	out := make([]float64, len(t.values[0]))
	exponents := make([]float64, len(t.values))
	for b := range out {
		top := math.Inf(-1)
		for k, values := range t.values {
			exponents[k] = 0
			if t.norm[k] > 0 {
				exponents[k] = values[b] / t.norm[k]
			}
			top = max(top, exponents[k])
		}
		s := 0.0
		for _, e := range exponents {
			s += math.Exp(e - top)
		}
		out[b] = top + math.Log(s/float64(len(exponents)))
	}
	// The soft maximum moves by no more than the exponents do.
	size := 0.0
	for k, norm := range t.norm {
		if norm > 0 {
			size = max(size, t.slack[k]/norm)
		}
	}
	return out, size
}
