package novelty

import (
	"fmt"
	"slices"

	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/studentt"

	"gonum.org/v1/gonum/mat"
)

// flags say how novelty is measured.
type flags struct {
	kernel              tests.OneKernel
	alpha, beta, scale2 float64
	calibrate           string
}

const (
	mostFull    = 8000  // for which there is memory
	mostFitted  = 1000  // of split
	mostRanked  = 20000 // of split
	mostPart    = 2000  // from which the kernel is learned
	leastTrain  = 8
	leastRanked = 40 // of split, if that leaves a third to be fitted
)

func (f *flags) define(s *cli.FlagSet) {
	s.Group("Novelty")
	s.Number(&f.alpha, "alpha", 0.05, "`level` of the list of novel rows: the share of its rows that are "+
		"not novel, expected")
	s.Choice(&f.calibrate, "calibrate", "split", []string{"split", "full"}, "`how` p-values are made: "+
		"split (part of the first sample is fitted, and new rows are ranked among the rest) or full (each "+
		"new row is ranked among most rows of the first sample, all scored beside it; that the list keeps "+
		"its level is then not proven)")
	s.Number(&f.scale2, "scale2", 0.01, "`scale` s² of the Student-t's prior in the space of features")
	s.Number(&f.beta, "beta", 0.01, "`how` many rows the prior mean is worth")
	f.kernel.Define(s, "part of the first sample", "which rows of the first sample are set aside, and of")
}

// check returns an error if the flags are wrong.
func (f *flags) check(s *cli.FlagSet) error {
	switch {
	case !(f.alpha > 0 && f.alpha < 1):
		return cli.Usagef("-alpha is %v, want it between 0 and 1", f.alpha)
	case !(f.scale2 > 0):
		return cli.Usagef("-scale2 is %v, want a positive number", f.scale2)
	case !(f.beta > 0):
		return cli.Usagef("-beta is %v, want a positive number", f.beta)
	}
	return f.kernel.Check(s)
}

// admit returns an error if the data cannot be fitted.
func (f *flags) admit(data *input.Dataset) error {
	n, dim := data.P.Dims()
	switch {
	case n < leastTrain:
		return fmt.Errorf("%s: found %s, want at least %d to rank new rows among", data.PName,
			cli.Plural(n, "row"), leastTrain)
	case f.calibrate == "full" && n > mostFull:
		return cli.Usagef("-calibrate full is for at most %d rows, and %s has %d", mostFull, data.PName, n)
	case equal(data.P):
		return fmt.Errorf("%s: all %d rows are equal, want at least 2 distinct ones", data.PName, n)
	}
	return f.kernel.Admit(f.part(n), dim)
}

func equal(rows *mat.Dense) bool {
	n, _ := rows.Dims()
	for i := range n {
		if !slices.Equal(rows.RawRowView(i), rows.RawRowView(0)) {
			return false
		}
	}
	return true
}

// params are the parameters of the Student-t. No ranking depends on its Alpha.
func (f *flags) params() studentt.Params {
	return studentt.Params{Alpha: 1, Beta: f.beta, Scale2: f.scale2}
}

// full reports whether p-values are full conformal p-values.
func (f *flags) full() bool { return f.calibrate == "full" }

// part is the number of rows that choose the kernel and its tails: a quarter, or those that split fits.
// Split fits half of the rows, or fewer if less than 40 would be left to rank new rows among, but at
// least a third.
func (f *flags) part(n int) int {
	if f.full() {
		return min(max(n/4, 2), mostPart)
	}
	return min(max(min(n/2, n-leastRanked), n/3), mostFitted)
}
