package input

import (
	"fmt"
	"slices"

	"bayeskernel/frame"
)

// rowWeights are the row weights of one sample or two.
type rowWeights struct {
	Column string
	// Given are the weights divided by the largest in either sample. A test moves weights between
	// samples along with their rows, so all keep one scale.
	Given [2][]float64
	// OfSample are the weights of each sample divided by their sum.
	OfSample  [2][]float64
	Effective [2]float64 // numbers of rows, 1/sum w² of ofSample
}

const (
	// Weights below this share of the largest are too small for the arithmetic of the tests.
	leastWeight = 1e-40
	// If 1 minus the sum of squared weights is smaller, one row has all the weight.
	leastBeside = 1e-12
)

// newRowWeights normalises the weights; from names the source of each sample.
func newRowWeights(column string, samples [][]float64, from [2]string) (*rowWeights, error) {
	w := &rowWeights{Column: column}
	largest := 0.0
	for _, s := range samples {
		largest = max(largest, slices.Max(s))
	}
	for k, s := range samples {
		sum := 0.0
		w.Given[k], w.OfSample[k] = make([]float64, len(s)), make([]float64, len(s))
		for i, v := range s {
			w.Given[k][i] = v / largest
			if v/largest < leastWeight {
				return nil, fmt.Errorf("%s: row %d, column %q: the weight is %g, want at least %g of "+
					"the largest, which is %g", from[k], i+1, column, v, leastWeight, largest)
			}
			sum += v / largest
		}
		square, heaviest := 0.0, 0
		for i, v := range w.Given[k] {
			w.OfSample[k][i] = v / sum
			square += v / sum * (v / sum)
			if v > w.Given[k][heaviest] {
				heaviest = i
			}
		}
		if len(s) > 1 && 1-square < leastBeside {
			return nil, fmt.Errorf("%s: row %d, column %q: the weight %g is all the weight of the "+
				"sample, want weight on at least 2 rows", from[k], heaviest+1, column, s[heaviest])
		}
		w.Effective[k] = 1 / square
	}
	return w, nil
}

// weightsOf collects the weights of the samples.
func (d *Dataset) weightsOf(tables []*frame.Frame) error {
	first := tables[0]
	if first.Weights == nil {
		return nil
	}
	samples := [][]float64{first.Weights}
	if len(tables) == 2 {
		samples = append(samples, tables[1].Weights)
	}
	var err error
	d.Weights, err = newRowWeights(first.Weight, samples, d.from)
	return err
}
