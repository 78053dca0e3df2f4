package learn

import (
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/report"
	"fmt"
	"strings"
)

// finding is the first sentence: the best lengthscale and its uncertainty.
func (r *learning) finding() string {
	text := "Theta = "
	if len(r.Study.ModeRecords()[0].Theta) > 1 {
		text = "Theta of the columns = "
	}
	for k, t := range r.Study.ModeRecords()[0].Theta {
		if k > 0 {
			text += ", "
		}
		text += report.Figures(float64(t))
	}
	if v := r.Study.Interval; v != nil {
		text += fmt.Sprintf(", with a %.6g%% interval of %s%s", 100*v.Level, r.Study.IntervalEnds(),
			r.Study.IntervalCaveat())
	}
	if r.Study.Scaling != nil {
		text += ", for columns divided by their standard deviations"
	}
	if len(r.Kernels) > 1 {
		text += "; the best kernel is " + r.Study.Radial.String()
	}
	return text + "."
}

// modes has a row for each mode.
func (r *learning) modes() report.Table {
	modes, eta := r.Study.ModeRecords(), r.Study.Flags.Nu == "gaussian"
	of := ""
	if len(r.Kernels) > 1 {
		of = " of kernel " + r.Study.Radial.String()
	}
	t := report.Table{Intro: fmt.Sprintf("Modes of the %s%s, the highest first:", r.Objective, of),
		Head: []string{"", "theta"}}
	if k := len(modes[0].Theta); k > 1 {
		t.Head = t.Head[:1]
		for a := range k {
			t.Head = append(t.Head, fmt.Sprintf("theta[%d]", a+1))
		}
	}
	t.Head = append(t.Head, "tau2")
	if eta {
		t.Head = append(t.Head, "eta")
	}
	t.Head = append(t.Head, "log lik.", "log mass")
	for i, m := range modes {
		row := []string{fmt.Sprintf("mode %d", i+1)}
		for _, v := range append(m.Theta, m.Tau2) {
			row = append(row, report.Figures(float64(v)))
		}
		if eta {
			row = append(row, report.Figures(float64(m.Eta)))
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprintf("%.2f", float64(m.LogLik)),
			fmt.Sprintf("%.2f", float64(m.LogMass))))
	}
	return t
}

// sure says how certain theta is, and what other rules would choose.
func (r *learning) sure() []string {
	s := r.Study
	var out, rules []string
	if v := s.Interval; v != nil && v.Temper <= 0.9 {
		out = append(out, fmt.Sprintf("The %s by itself gives log theta a variance about %s times smaller than "+
			"the interval stands for, because a pseudolikelihood counts rows for more than they are worth.",
			r.Objective, report.Roundly(1/v.Temper)))
	}
	for _, m := range r.Medians {
		rules = append(rules, fmt.Sprintf("%s = %.4g", m.Rule, float64(m.Theta)))
	}
	out = append(out, "The median heuristic, in its three conventions: "+strings.Join(rules, ", ")+".")
	if s.Scaling != nil {
		out = append(out, fmt.Sprintf("All of these are for columns divided by their sd; theta of the "+
			"first mode in the units of each column: %s.", listOf(s.Data.Columns,
			s.Scaling.Theta(s.Fit.Modes[0].Params.Theta))))
	}
	return out
}

// listOf writes name = value, …
func listOf(names []string, values []float64) string {
	var parts []string
	for i, n := range names {
		if i < len(values) {
			parts = append(parts, fmt.Sprintf("%s = %s", n, report.Short(values[i])))
		}
	}
	return strings.Join(parts, ", ")
}

// integrationWords says how a value was integrated.
var integrationWords = map[string]string{"quadrature": "by quadrature",
	"laplace": "by Laplace's approximation"}

// kernelTable compares kernels, and says how reliable the comparison is. For a single kernel it
// returns a sentence and no table.
func (r *learning) kernelTable() (t report.Table, text string) {
	rows := r.Kernels
	first := rows[0]
	how := integrationWords[first.Integration]
	if len(rows) == 1 {
		text = fmt.Sprintf("Log pseudolikelihood of kernel %s: %.2f maximised", first.Kernel,
			float64(first.LogLik))
		if how != "" {
			text += fmt.Sprintf(", %.2f integrated over the priors (%s)", float64(first.Integrated), how)
		}
		return t, text + "."
	}
	t = report.Table{Intro: "Kernels by their log pseudolikelihood, the best first:", Head: []string{"", "theta",
		"theta/sqrt(kappa(0))", "maximised", "difference", "integrated", "difference"}}
	for _, r := range rows {
		t.Rows = append(t.Rows, []string{r.Kernel, study.Thetas(r.Theta), study.Thetas(r.ThetaCurvature),
			report.Decimals(float64(r.LogLik)), report.Decimals(float64(r.Difference)), report.Decimals(float64(r.Integrated)),
			report.Decimals(float64(r.IntegratedDiff))})
	}
	if how != "" {
		text = fmt.Sprintf("\"Integrated\" means over the priors, %s. ", how)
	}
	return t, text + "Compare lengthscales by theta/sqrt(kappa(0)), the lengthscale of the squared " +
		"exponential with the same curvature at 0. These are pseudolikelihoods, which overstate the " +
		"information in each row: the differences rank the kernels, but they are not log odds."
}
