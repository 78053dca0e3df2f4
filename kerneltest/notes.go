package kerneltest

import (
	"math"
	"slices"
)

// nearlyAlike is the variation of a kernel over the rows, in units of its size, below which a test
// with it has few digits to go by.
const nearlyAlike = 1e-9

// noteAlike warns of a kernel to which rows that differ are nearly alike. The diagonal is that of
// the centred Gram matrix, diagMean the mean of the other's.
func (r *Result) noteAlike(name string, rows []float64, dim int, diagonal []float64,
	diagMean float64) {
	variation := total(diagonal) / (float64(len(diagonal)) * diagMean)
	if !(variation < nearlyAlike) || slices.Equal(rows[dim:], rows[:len(rows)-dim]) {
		return
	}
	r.note("The rows of %s differ, but the kernel varies by %.0e of its size: what it tells of them "+
		"is lost in rounding. Its lengthscale is too long.", name, max(0, variation))
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
