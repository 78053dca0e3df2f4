package kernels

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Mixture is a mixture of squared exponentials, sum_j w_j exp(-q/(2 s_j²)), of weights w, whose sum
// is 1, and widths s, lengthscales in units of theta.
type Mixture struct {
	Weights []float64
	Widths  []float64
}

// Profile has kappa = sum_j w_j s_j^-2 e_j and rho = sum_j w_j s_j^-4 e_j/kappa, e_j being
// exp(-q/(2 s_j²)).
func (m Mixture) Profile(q float64) (k, logKappa, rho float64) {
	top := math.Inf(-1)
	for j, w := range m.Weights {
		s2 := m.Widths[j] * m.Widths[j]
		k += w * math.Exp(-q/(2*s2))
		top = max(top, math.Log(w/s2)-q/(2*s2))
	}
	if math.IsInf(top, -1) {
		return k, top, 0
	}
	var kappa, lambda float64
	for j, w := range m.Weights {
		s2 := m.Widths[j] * m.Widths[j]
		e := math.Exp(math.Log(w/s2) - q/(2*s2) - top)
		kappa += e
		lambda += e / s2
	}
	return k, top + math.Log(kappa), lambda / kappa
}

// Profiles is Profile for many q.
func (m Mixture) Profiles(path Path, k, kappa, logKappa, rho, q []float64) {
	inChunks(k, kappa, logKappa, rho, q, func(k, kappa, logKappa, rho, q []float64) {
		var e, sum, first, second [chunk]float64
		n := len(q)
		slopes := kappa != nil || logKappa != nil || rho != nil
		for j, w := range m.Weights {
			p := 1 / (m.Widths[j] * m.Widths[j])
			path.ExpNeg(e[:n], q, p/2)
			for i, v := range e[:n] {
				sum[i] += w * v
			}
			if !slopes {
				continue
			}
			a, b := w*p, w*p*p
			for i, v := range e[:n] {
				first[i] += a * v
				second[i] += b * v
			}
		}
		copy(kappa, first[:n])
		for i := range logKappa {
			logKappa[i] = math.Log(first[i])
		}
		for i := range rho {
			rho[i] = second[i] / first[i]
		}
		if logKappa != nil || rho != nil {
			for i, v := range first[:n] {
				if v > 1e-280 {
					continue
				}
				_, l, r := m.Profile(q[i])
				if logKappa != nil {
					logKappa[i] = l
				}
				if rho != nil {
					rho[i] = r
				}
			}
		}
		copy(k, sum[:n])
	})
}

// Square is a mixture again, of the widths S^(1/2).
func (m Mixture) Square(dim int) (Radial, float64, error) {
	psi, logConst := squareMixture(m, dim)
	return psi, logConst, nil
}

// Mixture is the kernel itself.
func (m Mixture) Mixture() (weights, widths []float64) { return m.Weights, m.Widths }

func (Mixture) isMixture() {}

// String returns, say, "mixture:widths=1/4,weights=0.5/0.5".
func (m Mixture) String() string {
	return "mixture:widths=" + slashed(m.Widths) + ",weights=" + slashed(m.Weights)
}

func slashed(values []float64) string {
	var s []string
	for _, v := range values {
		s = append(s, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(s, "/")
}

// Check says what is wrong with Weights or Widths.
func (m Mixture) Check() error {
	if len(m.Weights) == 0 || len(m.Weights) != len(m.Widths) {
		return fmt.Errorf("kernels: mixture has %d weights and %d widths, want as many of each, "+
			"at least 1", len(m.Weights), len(m.Widths))
	}
	sum := 0.0
	for j, w := range m.Weights {
		if !(w > 0) {
			return fmt.Errorf("kernels: weight %d of mixture is %v, want a positive number", j+1, w)
		}
		if s := m.Widths[j]; !(s >= 1e-50 && s <= 1e50) {
			return fmt.Errorf("kernels: width %d of mixture is %v, want a number from 1e-50 to 1e50",
				j+1, s)
		}
		sum += w
	}
	if !(math.Abs(sum-1) <= 1e-9) {
		return fmt.Errorf("kernels: weights of mixture sum to %v, want 1", sum)
	}
	return nil
}
