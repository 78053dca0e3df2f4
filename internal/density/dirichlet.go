package density

import (
	"math"
	"math/rand/v2"
	"slices"
)

// The Dirichlet distribution of vectors v of k positive numbers with sum 1 has the log density
//
//	log Gamma(sum of alpha) - sum of log Gamma(alpha_i) + sum of (alpha_i - 1) log v_i.
//
// In the functions below alpha has k values, or one for all.

// DirichletNorm is the part without v, -Inf unless all of alpha are positive.
func DirichletNorm(alpha []float64, k int) float64 {
	sum, logs := 0.0, 0.0
	for i := range k {
		a := alpha[place(alpha, i)]
		if !(a > 0) {
			return math.Inf(-1)
		}
		lg, _ := math.Lgamma(a)
		sum += a
		logs += lg
	}
	lg, _ := math.Lgamma(sum)
	return lg - logs
}

// DirichletNormGrad adds weight times the derivatives of DirichletNorm, digamma(sum of alpha) -
// digamma(alpha_i), to dst.
func DirichletNormGrad(dst, alpha []float64, k int, weight float64) {
	sum := 0.0
	for i := range k {
		sum += alpha[place(alpha, i)]
	}
	both := Digamma(sum)
	for i := range k {
		at := place(alpha, i)
		dst[at] += weight * (both - Digamma(alpha[at]))
	}
}

// DirichletKernel is the part with v, and adds its derivatives to dv and dAlpha. Either may be nil.
// An infinite density counts as outside the support: there it is -Inf, and the derivatives have no
// meaning.
func DirichletKernel(v, alpha, dv, dAlpha []float64) float64 {
	lp := 0.0
	for i, w := range v {
		at := place(alpha, i)
		e := alpha[at] - 1
		if w == 0 && e < 0 {
			return math.Inf(-1)
		}
		l := LogOf(w)
		p, dp := power(e, l, w)
		lp += p
		if dv != nil {
			dv[i] += dp
		}
		if dAlpha != nil {
			dAlpha[at] += l
		}
	}
	return lp
}

// DirichletRand draws into v: gammas divided by their sum, in logs for the sake of small alpha.
func DirichletRand(r *rand.Rand, v, alpha []float64) {
	for i := range v {
		v[i] = LogGamma(r, alpha[place(alpha, i)])
	}
	top, sum := slices.Max(v), 0.0
	for i := range v {
		v[i] = math.Exp(v[i] - top)
		sum += v[i]
	}
	for i := range v {
		v[i] /= sum
	}
}

// place is that of value i of alpha.
func place(alpha []float64, i int) int {
	if len(alpha) == 1 {
		return 0
	}
	return i
}
