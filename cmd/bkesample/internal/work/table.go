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
// is dear: around the modes, by a factor of at least 4 and 8 posterior sds. A run needs thousands
// of passes and a table some dozens.
func (s *Study) tabulate(ctx context.Context) error {
	dim := s.Model.Dim()
	if float64(s.Model.N())*float64(s.Model.M())*float64(dim*dim) < dearPass || s.Flags.Ard {
		return nil
	}
	from, to := math.Inf(1), 0.0
	for _, m := range s.Fit.Modes {
		width := math.Log(4)
		if h := -m.Hessian[0][0]; h > 0 {
			width = min(max(width, 8/math.Sqrt(h)), math.Log(100))
		}
		from = min(from, m.Params.Theta[0]*math.Exp(-width))
		to = max(to, m.Params.Theta[0]*math.Exp(width))
	}
	line := s.con.Working("table of sums over the rows")
	defer line.End()
	ok, err := s.Model.Tabulate(ctx, from, to)
	if err == nil && ok {
		s.Notes = append(s.Notes, fmt.Sprintf("To save time the chains interpolate sums over the rows in "+
			"theta, between %.3g and %.3g: the log density is off by less than 1e-7.", from, to))
	}
	return err
}
