package sample

import (
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/internal/onepass"
)

// passFlag says how the likelihood is computed.
type passFlag struct{ way string }

// define defines the flag.
func (f *passFlag) define(s *cli.FlagSet) {
	s.Choice(&f.way, "pass", "auto", []string{"auto", "rows", "one"}, "`how` the rows are used: all "+
		"of them for each evaluation and for the test (rows), or one pass that leaves a summary (one), "+
		"about ten times as fast; auto is one above 40000 rows in all, in three and more columns above "+
		"200000, of which a summary cannot say where samples differ")
}

// forced reports whether one pass was asked for.
func (f *passFlag) forced() bool { return f.way == "one" }

// suits reports whether the data can be summarised in one pass, and if not, why.
func (f *passFlag) suits(m *study.ModelFlags, w *witnessFlags, compare *compareFlags, v *verdictFlags,
	data *input.Dataset) (bool, error) {
	p, q := data.Rows()
	if f.way == "rows" || f.way == "auto" && p+q <= onepass.Rows(len(data.Columns)) {
		return false, nil
	}
	why := ""
	switch {
	case len(m.Kernel.List) != 1 || m.Kernel.List[0].String() != "se":
		why = "the kernel is not se"
	case m.Ard:
		why = "-ard wants a grid in several lengthscales"
	case m.InputsFrom == "heldout":
		why = "held-out rows are not left out of one pass"
	case m.ThetaMin > 0 || m.ThetaMax > 0:
		why = "theta is bounded"
	case data.Weights != nil || v.Blocks != "":
		why = "rows have weights or blocks"
	case w.noise != "clt":
		why = "-noise iid needs all rows"
	case compare.Sensitivity:
		why = "-sensitivity needs all rows"
	}
	if why != "" && f.way == "one" {
		return false, cli.Usagef("-pass one is not possible: %s", why)
	}
	return why == "", nil
}
