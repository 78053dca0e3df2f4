package study

import (
	"bayeskernel/cmd/internal/cli"
	"context"
	"fmt"
	"math"
)

// dearPass is the smallest work nmD² of a pass, with n rows, m pseudo-inputs and D columns, at which chains use a
// table instead: some ten microseconds, about as long as the table takes to be read.
const dearPass = 1e4

// DearStart is the smallest work of a pass at which chains start near the modes already found.
// There they are inside the table and need no pass. Reaching the table from elsewhere takes some
// hundred passes.
const DearStart = 1e7

// PassWork is the work of a pass over the rows.
func (s *Study) PassWork() float64 {
	dim := s.Model.Dim()
	return float64(s.Model.N()) * float64(s.Model.M()) * float64(dim*dim)
}

// Tabulate builds a table of sums over the rows as functions of theta, if a pass over the rows is
// expensive. The chains interpolate in it. The table extends from the best mode by 12 posterior sds
// of log theta and a factor of at least 4, or at least 1.25 if that is too much. A run needs
// thousands of passes, a table a few dozen. Chains that start outside the table pass over the rows
// until they reach it (see DearStart).
func (s *Study) Tabulate(ctx context.Context, con *cli.Console) error {
	if s.PassWork() < dearPass || s.Flags.Ard {
		return nil
	}
	line := con.Working("table of sums over the rows")
	defer line.End()
	best := s.Fit.Modes[0]
	for _, factor := range []float64{4, 1.25} {
		width := math.Log(factor)
		if h := -best.Hessian[0][0]; h > 0 {
			width = min(max(width, 12/math.Sqrt(h)), math.Log(100))
		}
		from, to := best.Params.Theta[0]*math.Exp(-width), best.Params.Theta[0]*math.Exp(width)
		ok, err := s.Model.Tabulate(ctx, from, to)
		if ok {
			s.Tabulated = true
			s.Notes = append(s.Notes, fmt.Sprintf("To save time the chains interpolate sums over the "+
				"rows in theta, between %.3g and %.3g: the log density is off by less than 1e-7.", from,
				to))
		}
		if ok || err != nil {
			return err
		}
	}
	return nil
}
