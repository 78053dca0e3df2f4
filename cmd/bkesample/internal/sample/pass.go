package sample

import (
	"cmp"

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
		"about ten times as fast; auto is one above 40000 rows in all. Files of one column, or with -columns, "+
		"of more than 2e7 numbers are read twice, so that no rows are kept")
}

// forced reports whether one pass was asked for.
func (f *passFlag) forced() bool { return f.way == "one" }

// suits reports whether the data can be summarised in one pass, and if not, why.
func (f *passFlag) suits(m *study.ModelFlags, w *witnessFlags, compare *compareFlags, v *verdictFlags,
	data *input.Dataset) (bool, error) {
	p, q := data.Rows()
	if f.way == "rows" || f.way == "auto" && p+q <= onepass.Rows {
		return false, nil
	}
	why := f.obstacle(m, w, compare)
	if data.Weights != nil || v.Blocks != "" {
		why = cmp.Or(why, "rows have weights or blocks")
	}
	if why != "" && f.way == "one" {
		return false, cli.Usagef("-pass one is not possible: %s", why)
	}
	return why == "", nil
}

// obstacle says why one pass is not possible, whatever the data are; "" if it is.
func (f *passFlag) obstacle(m *study.ModelFlags, w *witnessFlags, compare *compareFlags) string {
	switch {
	case len(m.Kernel.List) != 1 || m.Kernel.List[0].String() != "se":
		return "the kernel is not se"
	case m.Ard:
		return "-ard wants a grid in several lengthscales"
	case m.InputsFrom == "heldout":
		return "held-out rows are not left out of one pass"
	case m.ThetaMin > 0 || m.ThetaMax > 0:
		return "theta is bounded"
	case w.noise != "clt":
		return "-noise iid needs all rows"
	case compare.Sensitivity:
		return "-sensitivity needs all rows"
	}
	return ""
}
