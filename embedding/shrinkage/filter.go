package shrinkage

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Filter is a spectral filter: the weights are those of the empirical embedding, with the part
// along each eigenvector of the Gram matrix multiplied by a factor from 0 to 1 that depends on its
// eigenvalue.
type Filter struct {
	Name   string
	Lambda float64                 // the regularisation as Tikhonov counts it, 0 for none
	At     func(d float64) float64 // the factor at eigenvalue d, 0 at 0
}

// Tikhonov is d/(d+lambda), the filter of ShrinkSpectral.
func (p *Problem) Tikhonov(lambda float64) Filter {
	return Filter{"Tikhonov", lambda, func(d float64) float64 {
		if d == 0 || math.IsInf(lambda, 1) {
			return 0
		}
		return d / (d + lambda)
	}}
}

// IteratedTikhonov is 1 - (lambda/(d+lambda))^times: Tikhonov on what the times before have left.
func (p *Problem) IteratedTikhonov(lambda float64, times int) Filter {
	return Filter{fmt.Sprintf("iterated Tikhonov (%d)", times), lambda, func(d float64) float64 {
		if d == 0 {
			return 0
		}
		// By the logarithm of lambda/(d+lambda), which may be near 0.
		return -math.Expm1(-float64(times) * math.Log1p(d/lambda))
	}}
}

// Landweber is 1 - (1-d/top)^steps, top being the largest eigenvalue: as many steps of gradient
// descent, of length 1/top, towards the empirical embedding. Its Lambda is top/steps.
func (p *Problem) Landweber(steps int) Filter {
	top := 1.0
	if p.rank > 0 {
		top = p.d[0]
	}
	return Filter{"Landweber", top / float64(steps), func(d float64) float64 {
		return -math.Expm1(float64(steps) * math.Log1p(-min(d/top, 1)))
	}}
}

// Truncated keeps the largest eigenvalues, count of them, and none of the others. Its Lambda is the
// first of these.
func (p *Problem) Truncated(count int) Filter {
	if count >= p.rank {
		return Filter{"truncated", 0, func(d float64) float64 { return 1 }}
	}
	first := p.d[count]
	return Filter{"truncated", first, func(d float64) float64 {
		if d > first {
			return 1
		}
		return 0
	}}
}

// Shrink is the estimate of a filter. Its score leaves the row out of the target alone: what is
// filtered for row i is the mean of the other rows, and the eigenvectors stay those of all. They
// still know the row, as in TargetOnly, which also shrinks their eigenvalues; the two agree to
// O(1/n).
func (p *Problem) Shrink(f Filter) Estimate {
	e := Estimate{f.Name, f.Lambda, p.FilterScore(f), make([]float64, p.n)}
	f.weights(p, e.Weights)
	return e
}

// Choose is the estimate of the filter with the least score.
func (p *Problem) Choose(filters []Filter) (Estimate, error) {
	if len(filters) == 0 {
		return Estimate{}, fmt.Errorf("shrinkage: there are 0 filters, want at least 1")
	}
	scores := make([]float64, len(filters))
	for i, f := range filters {
		scores[i] = p.FilterScore(f)
	}
	return p.Shrink(filters[floats.MinIdx(scores)]), nil
}

// FilterScore is the mean over i of |estimate without i - k(., x_i)|². The coefficients in it are
// f(K)(1-e_i)/(n-1) - e_i, so that it is
//
//	1/n sum_k d_k (o_k² ((n-2) f_k²/(n-1)² - 2 f_k/(n-1)) + (1 + f_k/(n-1))²).
func (p *Problem) FilterScore(f Filter) float64 {
	n1 := float64(p.n - 1)
	sum := 0.0
	for k, d := range p.d {
		g := f.At(d) / n1
		sum += d * (p.o[k]*p.o[k]*((n1-1)*g*g-2*g) + (1+g)*(1+g))
	}
	return sum / float64(p.n)
}

// weights writes f(K) 1/n. Along eigenvectors of eigenvalue 0 the empirical embedding is zero, and
// all filters but lambda = 0 set their weights to zero, which changes no function.
func (f Filter) weights(p *Problem, dst []float64) {
	if len(dst) != p.n {
		panic("shrinkage: length of dst is not the number of rows")
	}
	if f.Lambda == 0 {
		copy(dst, p.equal(1))
		return
	}
	c := make([]float64, p.rank)
	for k, d := range p.d {
		c[k] = f.At(d) * p.o[k] / float64(p.n)
	}
	p.combine(dst, c)
}
