package tests

import (
	"fmt"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/compare"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"
)

// pValue writes p with its Monte Carlo error.
func (r *Tested) pValue() string {
	p := strconv.FormatFloat(r.Result.P, 'g', 4, 64)
	if t := r.Result; t.Permutations > 0 && t.AtLeast == 0 {
		return fmt.Sprintf("%s, the smallest that %d permutations can give", p, t.Permutations)
	}
	if r.Result.PError > 0 {
		p += fmt.Sprintf(" ± %.2g (Monte Carlo error)", r.Result.PError)
	}
	return p
}

// Finding is the first sentence of the report.
func (r *Tested) Finding() string {
	if r.Two != nil {
		return r.Two.Verdict()
	}
	t, pair := r.Result, r.Names[0]+" and "+r.Names[1]
	kind := "exact test"
	if t.Null != statistic.Permutation {
		kind = fmt.Sprintf("approximate test, null %v", t.Null)
	}
	if t.Reject {
		text := fmt.Sprintf("%s are dependent (%s, %s).", pair, kind, compare.PWords(t))
		if by := t.DependenceWords(); by != "" {
			text += " " + by
		}
		return text
	}
	return fmt.Sprintf("Independence of %s is not rejected at level %g (%s, %s). This does not show "+
		"that they are independent.", pair, t.Alpha, kind, compare.PWords(t))
}

// Title is the finding in a few words.
func (r *Tested) Title() string {
	if r.Two != nil {
		return r.Two.Headline()
	}
	t, pair, p := r.Result, r.Names[0]+" and "+r.Names[1], "p = "+report.Short(r.Result.P)
	if t.Reject {
		return pair + " are dependent, " + p
	}
	return "Independence of " + pair + " is not rejected (" + p + ")"
}

// Columns says which columns differ on their own.
func (r *Tested) Columns() []string {
	if r.Two == nil {
		return nil
	}
	return ColumnSentences(r.Two)
}

// Sure says how certain the strongest difference is.
func (r *Tested) Sure() []string {
	if r.Two == nil {
		return nil
	}
	var out []string
	if s := r.Two.AtStrongest(); s != "" {
		out = append(out, s)
	}
	return append(out, ColumnSentences(r.Two)...)
}

// Basis says what the finding is based on.
func (r *Tested) Basis() []string {
	t := r.Result
	out := []string{NullSentence(t, r.Flags.Seed)}
	if t.Permutations > r.Flags.Permutations {
		out[0] = "-choose " + r.Flags.Choose + " needs more permutations. " + out[0]
	}
	switch {
	case r.Data.Blocks != nil || len(t.Draws) == 0:
	case r.Data.Units != "":
		out[0] += fmt.Sprintf(" It would be exact if no row depended on another, but those of one %s do.", r.Data.Units)
	default:
		out[0] += " It is exact if no row depends on another."
	}
	if t.KernelY == nil {
		out = append(out, KernelSentence("", t.Kernel))
		if t.Combined == kerneltest.Evidence {
			return append(out, ViewSentence(t))
		}
		if t.Candidates[len(t.Candidates)-1].Within {
			out = append(out, "The kernel of the energy distance is used too, and each kernel also with the rows "+
				"less the mean of those among which they are exchanged.")
		}
		return out
	}
	out = append(out, KernelSentence(r.Names[0], t.Kernel), KernelSentence(r.Names[1], t.KernelY))
	if t.Combined == kerneltest.Evidence {
		out = append(out, ViewSentence(t))
	}
	return out
}

// ViewSentence lists the statistics of the default test, each with its p-value if it were the only one.
func ViewSentence(t *kerneltest.Result) string {
	words := map[kerneltest.View]string{kerneltest.Rows: "these kernels", kerneltest.Scores: "kernels of the ranks",
		kerneltest.Distances: "distances", kerneltest.ScoreDistances: "distances of the ranks",
		kerneltest.Products: "products of the columns' Laplace kernels", kerneltest.Columns: "the clearest single column",
		kerneltest.Pairs: "the clearest pair of columns", kerneltest.Quadratic: "all spreads and pairs",
		kerneltest.Smooth: "these kernels as they are", kerneltest.Curves: "the narrowest and the widest kernels"}
	if t.KernelY != nil {
		words[kerneltest.Rows] = "these kernels, shrunk"
	}
	var list []string
	for _, c := range t.Candidates {
		list = append(list, fmt.Sprintf("%s %s", words[c.View], report.Short(c.P)))
	}
	return "The test joins several statistics under the same permutations; their p-values, each if it were the only one: " +
		strings.Join(list, ", ") + "."
}

// NullSentence says how the null distribution was found.
func NullSentence(t *kerneltest.Result, seed uint64) string {
	switch {
	case t.Null != statistic.Permutation:
		return fmt.Sprintf("The p-value comes from the %v approximation of the null distribution.", t.Null)
	case t.Stopped:
		return fmt.Sprintf("The test stopped after %d permutations, when %d of them had a statistic at "+
			"least as extreme as that of the data (-stop).", t.Permutations, t.AtLeast)
	}
	return fmt.Sprintf("In %d of %d permutations the statistic was at least as extreme as in the data "+
		"(seed %d).", t.AtLeast, t.Permutations, seed)
}

// KernelSentence says which kernel was used and how it was chosen; of names the variable, if not
// "".
func KernelSentence(of string, c *kerneltest.Chosen) string {
	mixed, _ := c.Kernels[0].(kernels.Mixed)
	if mixed.Columns != nil && mixed.Of == nil {
		if of != "" {
			of = " of " + of
		}
		return fmt.Sprintf("The kernel%s is the indicator kernel of categories: 1 for equal ones, 1/2 for others.", of)
	}
	var list []string
	for i, t := range c.Theta {
		if i == 12 {
			list = append(list, "…")
			break
		}
		list = append(list, strconv.FormatFloat(t, 'g', 4, 64))
	}
	theta, name := strings.Join(list, ", "), kernelWords(radialOf(c.Kernels[0]))
	if of != "" {
		of = " of " + of
	}
	s := fmt.Sprintf("The kernel%s is %s with theta = %s", of, name, theta)
	if mean, ok := ofNumbers(c.Kernels[0]).(kernels.Mean); ok {
		s = fmt.Sprintf("The kernel%s is the mean of %d %s kernels over the posterior of theta, whose "+
			"mode is %s", of, len(mean), name, theta)
	}
	if len(c.Theta) > 1 {
		s = fmt.Sprintf("%s %s kernels%s, theta = %s", capital(countWord(len(c.Theta))), name, of,
			theta)
	}
	if c.Model != nil {
		s += fmt.Sprintf(", learned (rule %s, %d pseudo-inputs: %s)",
			ruleWords(c.Rule), c.Model.M(), study.KindWords(c.Inputs.Kind))
	} else {
		s += fmt.Sprintf(" (%s)", ruleWords(c.Rule))
	}
	if c.Scaling != nil {
		s += ", for columns divided by their standard deviations"
	}
	if mixed.Columns != nil {
		s += ", times the indicator kernels of the categories"
	}
	return s + "."
}

// kernelWords is the usual name of a radial kernel.
func kernelWords(name string) string {
	switch name {
	case "se":
		return "squared-exponential"
	case "matern32":
		return "Matern 3/2"
	case "matern52":
		return "Matern 5/2"
	}
	return name
}

// ruleWords names a rule as in the flags.
func ruleWords(r kerneltest.Rule) string {
	if r == kerneltest.Given {
		return "-theta"
	}
	if recipe, ok := r.Recipe(); ok {
		return recipe.Name
	}
	return r.String()
}

// countWord writes a small number in words.
func countWord(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
		"ten"}
	if n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// ColumnSentences say which columns differ on their own.
func ColumnSentences(r *compare.Result) []string {
	if r == nil || len(r.ByColumn) == 0 {
		return nil
	}
	var names []string
	for _, c := range r.ByColumn {
		if c.Corrected <= r.Test.Alpha {
			names = append(names, fmt.Sprintf("%s (p = %s)", c.Name, report.Short(c.Corrected)))
		}
	}
	all := fmt.Sprintf("tested one at a time, with Holm's correction for %s", cli.Plural(len(r.ByColumn), "column"))
	if len(names) == 0 {
		return []string{fmt.Sprintf("No single column differs at level %g, %s.", r.Test.Alpha, all)}
	}
	return []string{fmt.Sprintf("These columns differ on their own, %s: %s.", all,
		cli.AndList(cli.Fewer(names)))}
}

// FigureTitle is the title of a picture of the samples.
func FigureTitle(d *input.Dataset) string {
	n, k := d.Rows()
	if d.Q == nil {
		return fmt.Sprintf("Mean embedding of %s, n = %d", d.PName, n)
	}
	if n == k {
		return fmt.Sprintf("%s and %s, n = %d each", d.PName, d.QName, n)
	}
	return fmt.Sprintf("%s (n = %d) and %s (n = %d)", d.PName, n, d.QName, k)
}

// ScaleWords says at which scale the witness is drawn.
func ScaleWords(two *compare.Result, w *compare.Witness) string {
	theta := report.Short(w.Theta[0])
	for _, t := range w.Theta[1:] {
		theta += ", " + report.Short(t)
	}
	switch {
	case w.Scale.Sampled:
		return fmt.Sprintf("theta and tau2 as sampled (theta about %s)", theta)
	case w.Scale.Rung == 0:
		return fmt.Sprintf("the kernel of the test, theta = %s", theta)
	case two != nil && w.Scale.Rung == two.Test.Scales[0].Rung:
		return fmt.Sprintf("the scale at which the samples differ most, %s (about %s)",
			times(w.Scale.Rung), theta)
	}
	return fmt.Sprintf("%s (about %s)", times(w.Scale.Rung), theta)
}

// times writes a multiple of theta.
func times(rung float64) string {
	if rung == 1 {
		return "theta as sampled"
	}
	return strconv.FormatFloat(rung, 'g', 4, 64) + " times the sampled theta"
}
