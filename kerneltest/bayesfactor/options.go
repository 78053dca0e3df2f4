package bayesfactor

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Options of Density and Paired. The zero value has the default priors and no permutations.
type Options struct {
	// Theta is the prior of the lengthscale; the zero value is log-uniform from 0.05 to 6 times the
	// pooled standard deviation times the root of the number of columns.
	Theta Prior
	// Amplitude is the scale of the half-normal prior of s; 0 means 1.
	Amplitude float64
	// WeightsX and WeightsY are weights of the rows, positive numbers; nil means equal ones. Not
	// for Paired.
	WeightsX, WeightsY []float64
	// Permutations is the number of exchanges of rows (for Paired, of signs) with which the Bayes
	// factor is compared; 0 means none, and then there is no p-value.
	Permutations int
	// Blocks has a label for each row, first those of x and then those of y: only rows of one label
	// are exchanged. The Bayes factor itself knows no blocks. Not for Paired.
	Blocks []int
	Seed   uint64 // of the permutations
	// Points, if not nil, are where Result.Witness is wanted.
	Points mat.Matrix
	// Nodes is the largest number of lengthscales; 0 means 129, and 33 from 2049 rows on. There are
	// 17, 33, 65, ... of them, until the change of the log Bayes factor is below Tolerance; 0 means
	// 1e-6 up to 200 rows, and then 1e-3. The error that is left is far below the last change.
	Nodes     int
	Tolerance float64
	Parallel  int // at most so many at once; 0 means GOMAXPROCS; changes no result
	// Progress, if not nil, is called from time to time, by one goroutine at a time: done parts of
	// total of the step under way. It must not block.
	Progress func(step string, done, total int)
}

const (
	fewRows          = 200 // up to this many nothing is spared
	leastNodes       = 17
	mostPermutations = 10_000_000
)

// complete fills in defaults and says what is wrong.
func (o Options) complete(rows int) (Options, error) {
	var err error
	if o.Theta, err = o.Theta.complete(); err != nil {
		return o, err
	}
	if o.Amplitude == 0 {
		o.Amplitude = 1
	}
	many := rows > wholeRows
	if o.Nodes == 0 {
		o.Nodes = 129
		if many {
			o.Nodes = 33
		}
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-6
		if rows > fewRows {
			o.Tolerance = 1e-3
		}
	}
	switch {
	case !(o.Amplitude > 0) || math.IsInf(o.Amplitude, 1):
		return o, fmt.Errorf("bayesfactor: scale of the amplitude is %v, want a positive number",
			o.Amplitude)
	case o.Nodes < leastNodes:
		return o, fmt.Errorf("bayesfactor: nodes are %d, want at least %d", o.Nodes, leastNodes)
	case !(o.Tolerance > 0):
		return o, fmt.Errorf("bayesfactor: tolerance is %v, want a positive number", o.Tolerance)
	case o.Parallel < 0:
		return o, fmt.Errorf("bayesfactor: Parallel is %d, want 0 for GOMAXPROCS, or more", o.Parallel)
	case o.Permutations < 0 || o.Permutations > mostPermutations:
		return o, fmt.Errorf("bayesfactor: permutations are %d, want 0 to %d", o.Permutations,
			mostPermutations)
	}
	return o, nil
}
