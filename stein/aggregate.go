package stein

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Result is that of a test.
type Result struct {
	Statistic []float64 // U, one for each matrix
	P         []float64 // one for each matrix, before any allowance for their number
	Threshold float64   // below which, or at which, any of P rejects
	Reject    bool
}

// Aggregate tests whether independent rows are from a given density, at the level alpha, with several Stein matrices
// of the same rows (of several lengthscales, say): a wild bootstrap of U. The threshold for the p-values, one for
// all matrices, is found by simulation (Schrab, Guedj and Gretton, KSD Aggregated Goodness-of-fit Test, 2022). It is wrong
// where parameters were fitted to the rows: it then hardly ever rejects.
func Aggregate(matrices []*mat.SymDense, alpha float64, seed uint64) (*Result, error) {
	if err := checkMatrices(matrices, alpha); err != nil {
		return nil, err
	}
	const replicates = 499
	n := matrices[0].SymmetricDim()
	r := rand.New(rand.NewPCG(seed, 0x5745494e))
	draw := func() [][]float64 {
		out := make([][]float64, replicates)
		for i := range out {
			out[i] = make([]float64, n)
			for j := range out[i] {
				out[i][j] = float64(2*(r.Uint64()>>63)) - 1
			}
		}
		return out
	}
	return aggregate(matrices, alpha, draw(), draw()), nil
}

func checkMatrices(matrices []*mat.SymDense, alpha float64) error {
	if len(matrices) == 0 {
		return fmt.Errorf("stein: no matrices")
	}
	n := matrices[0].SymmetricDim()
	for _, m := range matrices {
		if m.SymmetricDim() != n {
			return fmt.Errorf("stein: matrices of %d and %d rows; they must be of the same rows", n, m.SymmetricDim())
		}
	}
	if n < 2 {
		return fmt.Errorf("stein: there is %d row; a test needs at least 2", n)
	}
	if !(alpha > 0 && alpha < 1) {
		return fmt.Errorf("stein: the level is %v; it must be between 0 and 1", alpha)
	}
	return nil
}

// aggregate is the test with given signs, those for quantiles and those for the threshold.
func aggregate(matrices []*mat.SymDense, alpha float64, first, second [][]float64) *Result {
	var observed []float64
	null, level := make([][]float64, len(matrices)), make([][]float64, len(matrices))
	ones := make([]float64, matrices[0].SymmetricDim())
	for i := range ones {
		ones[i] = 1
	}
	for i, k := range matrices {
		observed = append(observed, wildU(k, ones))
		for _, s := range first {
			null[i] = append(null[i], wildU(k, s))
		}
		for _, s := range second {
			level[i] = append(level[i], wildU(k, s))
		}
	}
	return combine(observed, null, level, alpha)
}

// combine makes one test of several statistics: null[i] are draws of statistic i under the null hypothesis,
// as are level[i], draw by draw the same for all i.
func combine(observed []float64, null, level [][]float64, alpha float64) *Result {
	out := &Result{Statistic: observed}
	sorted := make([][]float64, len(observed))
	for i, v := range observed {
		sorted[i] = append(slices.Clone(null[i]), v)
		slices.Sort(sorted[i])
		below, _ := slices.BinarySearch(sorted[i], v)
		out.P = append(out.P, float64(len(sorted[i])-below)/float64(len(sorted[i])))
	}
	w := 1 / float64(len(observed))
	low, high := 0.0, 1/w
	for range 50 {
		u := (low + high) / 2
		over := 0
		for b := range level[0] {
			for i := range level {
				if level[i][b] > quantile(sorted[i], u*w) {
					over++
					break
				}
			}
		}
		if float64(over)/float64(len(level[0])) <= alpha {
			low = u
		} else {
			high = u
		}
	}
	out.Threshold = low * w
	for i, v := range observed {
		out.Reject = out.Reject || v > quantile(sorted[i], out.Threshold)
	}
	return out
}

// quantile is the value that a share of at most u exceed.
func quantile(sorted []float64, u float64) float64 {
	n := len(sorted)
	return sorted[min(n-1, max(0, int(math.Ceil(float64(n)*(1-u)))-1))]
}
