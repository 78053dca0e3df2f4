package work

import (
	"context"
	"fmt"
	"math"
)

// dearPass is the work nmD² of a pass over n rows, m pseudo-inputs and D columns from which chains
// take a table in its place: about a millisecond.
const dearPass = 1e6

// tabulate lets the chains interpolate the sums over the rows in theta where a pass over the rows
// is dear: around the modes, by ten posterior standard deviations, and if that is to be had by half
// of theta and more. A run needs thousands of passes and a table some dozens.
func (s *Study) tabulate(ctx context.Context) error {
	dim := s.Model.Dim()
	if float64(s.Model.N())*float64(s.Model.M())*float64(dim*dim) < dearPass || s.Flags.Ard {
		return nil
	}
	line := s.con.Working("table of sums over the rows")
	defer line.End()
	for _, least := range []float64{math.Log(4), math.Log(1.5), 0} {
		from, to := s.around(least)
		if !(from < to) {
			return nil
		}
		ok, err := s.Model.Tabulate(ctx, from, to)
		if err != nil {
			return err
		}
		if ok {
			s.Notes = append(s.Notes, fmt.Sprintf("To save time the chains interpolate sums over the rows "+
				"in theta, between %.3g and %.3g: the log density is off by less than 1e-7.", from, to))
			return nil
		}
	}
	return nil
}

// around are bounds of theta ten posterior standard deviations from the modes, and at least so far on
// the log scale.
func (s *Study) around(least float64) (from, to float64) {
	from, to = math.Inf(1), 0.0
	for _, m := range s.Fit.Modes {
		width := least
		if h := -m.Hessian[0][0]; h > 0 {
			width = min(max(width, 10/math.Sqrt(h)), math.Log(100))
		}
		from = min(from, m.Params.Theta[0]*math.Exp(-width))
		to = max(to, m.Params.Theta[0]*math.Exp(width))
	}
	return from, to
}
