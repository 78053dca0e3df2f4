package tell

import (
	"fmt"
	"io"
	"math"

	"bayeskernel/cmd/bkesample/internal/work"
)

// integrationWords says how a value was integrated.
var integrationWords = map[string]string{"quadrature": "by quadrature",
	"laplace": "by Laplace's approximation"}

// kernelTable prints the comparison, or for one kernel its two values.
func kernelTable(w io.Writer, rows []work.KernelRow) error {
	first := rows[0]
	if len(rows) == 1 {
		text := fmt.Sprintf("Log pseudolikelihood of kernel %s: %.2f maximised", first.Kernel,
			float64(first.LogLik))
		if first.Integration != "" {
			text += fmt.Sprintf(", %.2f integrated over the priors (%s)", float64(first.Integrated),
				integrationWords[first.Integration])
		}
		paragraph(w, text+".")
		return nil
	}
	body := make([][]string, len(rows))
	for i, r := range rows {
		body[i] = []string{r.Kernel, thetas(r.Theta), thetas(r.ThetaCurvature),
			decimals(r.LogLik), decimals(r.Difference), decimals(r.Integrated),
			decimals(r.IntegratedDiff)}
	}
	fmt.Fprintf(w, "Kernels by their log pseudolikelihood, the best first:\n\n")
	err := writeTable(w, []string{"", "theta", "theta/sqrt(kappa(0))", "maximised", "difference",
		"integrated", "difference"}, body)
	if err != nil {
		return err
	}
	fmt.Fprintln(w)
	how := ""
	if first.Integration != "" {
		how = fmt.Sprintf("\"Integrated\" means over the priors, %s. ",
			integrationWords[first.Integration])
	}
	paragraph(w, how+"Compare lengthscales by theta/sqrt(kappa(0)), the lengthscale of the squared "+
		"exponential with the same curvature at 0. These are pseudolikelihoods, in which rows count "+
		"for more than they are worth: the differences rank the kernels, but they are not log odds.")
	fmt.Fprintln(w)
	return nil
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
