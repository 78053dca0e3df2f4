package kerneltest

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/rows"
	"bayeskernel/kernels"
)

// nearlyAlike is the variation of a kernel over the rows, in units of its size, below which a test
// with it has few digits to go by.
const nearlyAlike = 1e-9

// noteAlike warns of a kernel that hardly tells different rows apart. Variation is that over the
// rows, the trace of the centred Gram matrix over that of the matrix itself.
func (r *Result) noteAlike(name string, data []float64, dim int, variation float64) {
	if !(variation < nearlyAlike) || slices.Equal(data[dim:], data[:len(data)-dim]) {
		return
	}
	r.note("The rows of %s differ, but the kernel varies by only %.0e of its size: rounding hides "+
		"the differences. Use a shorter lengthscale.", name, max(0, variation))
}

// noteRank reports an approximation of low rank. Which names the matrix.
func (r *Result) noteRank(a approximation, which string) {
	if a.traceError == 0 {
		return
	}
	r.TraceError = max(r.TraceError, a.traceError)
	format := "%s is replaced by an approximation of rank %d, which leaves out %.2g%% of its trace. " +
		"The p-value holds for the approximation."
	if a.traceError > largeTraceError {
		format += " More than 1%% is left out, so that the test may miss what the kernel would find: " +
			"a longer lengthscale, or fewer rows, keep more."
	}
	r.note(format, which, a.rank, 100*a.traceError)
}

// noteRanks is noteRank for the kernels of several views, in one sentence.
func (r *Result) noteRanks(all []approximation) {
	count, rank, worst := 0, 0, 0.0
	for _, a := range all {
		if a.traceError > largeTraceError {
			count, rank, worst = count+1, max(rank, a.rank), max(worst, a.traceError)
		}
		r.TraceError = max(r.TraceError, a.traceError)
	}
	if count > 0 {
		r.note("With so many rows %d of %d kernels are approximations of at most %s, which leave out up to %.2g%% of "+
			"the trace. The p-value holds; only very fine differences can be missed for it.",
			count, len(all), rows.Count(rank, "feature"), 100*worst)
	}
}

// A larger share of the trace that is lost than largeTraceError gets a warning.
const largeTraceError = 0.01

// commonest is the share of the most frequent row.
func commonest(t *tiles) float64 {
	sorted := rows.Sort(t.rows, t.dim)
	most, run := 1, 1
	for i := 1; i < t.n; i++ {
		if run++; !slices.Equal(sorted[(i-1)*t.dim:i*t.dim], sorted[i*t.dim:(i+1)*t.dim]) {
			run = 1
		}
		most = max(most, run)
	}
	return float64(most) / float64(t.n)
}

// An approximate null with a larger bound than largeLimitError gets a warning.
const largeLimitError = 0.1

// limitError bounds, by the theorem of Berry and Esseen, how far the distribution of the mean of n
// independent rows is from its limit, in the direction that tells the most frequent value, of share
// s, from all others: 0.4748 E|v|³/(sqrt n (E v²)^3/2) for an indicator v of share q = min(1/2,
// 1-s), less its mean. For the product of two independent variables the moments are products.
func limitError(n int, shares ...float64) float64 {
	e := 0.4748 / math.Sqrt(float64(n))
	for _, s := range shares {
		q := min(0.5, 1-s)
		e *= (1 - 2*q*(1-q)) / math.Sqrt(q*(1-q))
	}
	return e
}

// noteFew warns of a null that is a limit for large samples where they are not. N is the number of
// rows of the smaller sample, which what names.
func (r *Result) noteFew(n int, what string, of ...*tiles) {
	var shares []float64
	for _, t := range of {
		shares = append(shares, commonest(t))
	}
	e := limitError(n, shares...)
	if !(e > largeLimitError) || math.IsInf(e, 1) { // all rows equal: p is 1
		return
	}
	r.note("Null %v is a limit for large samples, and %s%s: by the rule of Berry and Esseen its "+
		"p-values may be off by %.2g. Use permutations.", r.Null, rows.Count(n, "row"), what, min(1, e))
}

// twoValued reports whether there are two distinct rows. A kernel can only tell which value is
// which, so its lengthscale does not matter.
func twoValued(data []float64, dim int) bool {
	first := data[:dim]
	var second []float64
	for i := dim; i < len(data); i += dim {
		switch row := data[i : i+dim]; {
		case slices.Equal(row, first):
		case second == nil:
			second = row
		case !slices.Equal(row, second):
			return false
		}
	}
	return second != nil
}

// testOfCounts is the advice for data with two distinct values.
func (o Options) testOfCounts() string {
	if o.Blocks != nil {
		return "use the Cochran-Mantel-Haenszel test"
	}
	return "use a chi-square test"
}

// blockSizes counts the rows from one number up to another by label, all of one if there are none.
func blockSizes(blocks []int, from, to int) map[int]int {
	if blocks == nil {
		return map[int]int{0: to - from}
	}
	sizes := make(map[int]int)
	for _, label := range blocks[from:to] {
		sizes[label]++
	}
	return sizes
}

// inBlocks is what to say of the rows where there are blocks.
func (o Options) inBlocks() string {
	if o.Blocks == nil {
		return ""
	}
	return " in these blocks"
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n + 1))
	return v
}

// number counts kernels from 1, "1 of 2".
func number(k int, all []kernels.Kernel) string { return fmt.Sprintf("%d of %d", k+1, len(all)) }
