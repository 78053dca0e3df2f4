package tell

import (
	"fmt"
	"math"
)

// integrationWords says how a value was integrated.
var integrationWords = map[string]string{"quadrature": "by quadrature",
	"laplace": "by Laplace's approximation"}

// KernelTable compares kernels, and says what the comparison is worth. Of one kernel there is a sentence
// and no table.
func (r *LearnReport) KernelTable() (t Table, text string) {
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
	t = Table{Intro: "Kernels by their log pseudolikelihood, the best first:", Head: []string{"", "theta",
		"theta/sqrt(kappa(0))", "maximised", "difference", "integrated", "difference"}}
	for _, r := range rows {
		t.Rows = append(t.Rows, []string{r.Kernel, thetas(r.Theta), thetas(r.ThetaCurvature),
			decimals(r.LogLik), decimals(r.Difference), decimals(r.Integrated),
			decimals(r.IntegratedDiff)})
	}
	if how != "" {
		text = fmt.Sprintf("\"Integrated\" means over the priors, %s. ", how)
	}
	return t, text + "Compare lengthscales by theta/sqrt(kappa(0)), the lengthscale of the squared " +
		"exponential with the same curvature at 0. These are pseudolikelihoods, in which rows count " +
		"for more than they are worth: the differences rank the kernels, but they are not log odds."
}

// thetas writes lengthscales with four digits.
func thetas(list []number) string {
	text := ""
	for i, t := range list {
		if i > 0 {
			text += " "
		}
		text += Figures(float64(t))
	}
	return text
}

// decimals writes a log likelihood.
func decimals(v number) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(v))
}
