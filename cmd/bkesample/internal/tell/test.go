package tell

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/compare"
	"bayeskernel/draws"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"
)

// TestReport is what is told of a test.
type TestReport struct {
	*work.Tested
	Dir     string
	Again   string // how to make it again
	Summary *testSummary
}

// NewTestReport puts a test into words.
func NewTestReport(t *work.Tested, dir, again string) *TestReport {
	r := &TestReport{Tested: t, Dir: dir, Again: again}
	r.Summary = r.summarise()
	return r
}

// testSummary is summary.json of a test.
type testSummary struct {
	SchemaVersion int      `json:"schema_version"`
	Command       string   `json:"command"`
	Source        string   `json:"source"`
	Columns       []string `json:"columns"`
	Samples       []sample `json:"samples"`
	Verdict       []string `json:"verdict"`
	*verdictRecord
	Weights      *WeightsSummary `json:"weights,omitempty"`
	Label        string          `json:"statistic_name"`
	Statistic    number          `json:"statistic"`
	P            number          `json:"p"`
	PError       number          `json:"p_error"` // Monte Carlo standard error
	Alpha        number          `json:"alpha"`
	Reject       bool            `json:"reject"`
	Null         string          `json:"null"`
	Permutations int             `json:"permutations"`
	AtLeast      int             `json:"at_least"`
	Stopped      bool            `json:"stopped_early"`
	Biased       number          `json:"biased"`
	Unbiased     number          `json:"unbiased"`
	EffectSize   number          `json:"effect_size"`
	Kernel       kernelRecord    `json:"kernel"`
	KernelY      *kernelRecord   `json:"kernel_y,omitempty"`
	Candidates   []candidateRow  `json:"candidates"`
	Bayes        *bayesRecord    `json:"bayes,omitempty"`
	Seed         uint64          `json:"seed"`
	Notes        []string        `json:"notes"`
}

// kernelRecord says how a kernel was chosen.
type kernelRecord struct {
	Rule         string   `json:"rule"`
	Kernel       string   `json:"kernel"` // the radial kernel
	Theta        []number `json:"theta"`  // in the units in which the kernel works
	Standardized bool     `json:"standardized"`
	ColumnScales []number `json:"column_scales"`
	M            int      `json:"m"` // pseudo-inputs; 0 if nothing was learned
	Inputs       string   `json:"inputs"`
	Weight       number   `json:"weight"`
}

type candidateRow struct {
	Theta     []number `json:"theta"`
	Statistic number   `json:"statistic"`
	P         number   `json:"p_alone"`
	Weight    number   `json:"weight"`
}

func (r *TestReport) summarise() *testSummary {
	t := r.Result
	s := &testSummary{SchemaVersion: draws.SchemaVersion, Command: r.Command, Source: r.Data.Source,
		Columns: r.Data.Columns, Label: r.Result.Label(), Statistic: number(t.Statistic), P: number(t.P),
		PError: number(t.PError), Alpha: number(t.Alpha), Reject: t.Reject, Null: t.Null.String(),
		Permutations: t.Permutations, AtLeast: t.AtLeast, Stopped: t.Stopped,
		Biased: number(t.Biased), Unbiased: number(t.Unbiased), EffectSize: number(t.EffectSize),
		Weights: weightsRecord(r.Data), Kernel: recordOf(t.Kernel), Seed: r.Flags.Seed,
		Bayes: newBayesRecord(r.Bayes),
		Notes: append([]string{}, r.Data.Notes...)}
	notes := t.Notes
	if r.Two != nil {
		v := newVerdictRecord(r.Two)
		s.verdictRecord, notes = &v, r.Two.Notes
	}
	for _, n := range notes {
		s.Notes = append(s.Notes, cli.WithoutPackages(n))
	}
	s.Verdict = append([]string{r.Finding()}, r.Sure()...)
	s.Samples = []sample{{r.Names[0], t.RowsX}, {r.Names[1], t.RowsY}}
	if t.KernelY != nil {
		k := recordOf(t.KernelY)
		s.KernelY = &k
	}
	for _, c := range t.Candidates {
		s.Candidates = append(s.Candidates, candidateRow{Theta: append(thetaOf(c.Kernel),
			thetaOf(c.KernelY)...), Statistic: number(c.Statistic), P: number(c.P),
			Weight: number(c.Weight)})
	}
	return s
}

// thetaOf reads the lengthscales of a kernel that has them.
func thetaOf(k kernels.Kernel) []number {
	s, _ := kernels.AsStationary(k)
	return numbers(s.Theta)
}

// radialOf names the radial kernel of a kernel, or of those that it is the mean of.
func radialOf(k kernels.Kernel) string {
	if mean, ok := k.(kernels.Mean); ok {
		k = mean[0]
	}
	if s, ok := kernels.AsStationary(k); ok {
		return s.Radial.String()
	}
	return ""
}

func recordOf(c *kerneltest.Chosen) kernelRecord {
	k := kernelRecord{Rule: c.Rule.String(), Kernel: radialOf(c.Kernels[0]), Theta: numbers(c.Theta),
		Standardized: c.Scaling != nil, ColumnScales: []number{}}
	if c.Scaling != nil {
		k.ColumnScales = numbers(c.Scaling.SD)
	}
	if c.Model != nil {
		k.M, k.Inputs, k.Weight = c.Model.M(), c.Inputs.Kind.String(), number(c.Model.Weight())
	}
	return k
}

// Text prints the outcome as a person reads it.
func (r *TestReport) Text(out io.Writer) error {
	t, s := r.Result, r.Summary
	var b strings.Builder
	question := fmt.Sprintf("%s (n = %d) against %s (n = %d)", r.Names[0], t.RowsX, r.Names[1],
		t.RowsY)
	if r.Command == "independence" {
		question = fmt.Sprintf("%s against %s, n = %d", r.Names[0], r.Names[1], t.RowsX)
	}
	paragraph(&b, r.Finding())
	fmt.Fprintf(&b, "\n%s\n\n", question)
	body := [][]string{{s.Label, Figures(t.Statistic)}, {"p-value", r.pValue()},
		{"effect size", Figures(t.EffectSize)}}
	if len(t.Candidates) > 1 {
		name := "unbiased MMD² (strongest kernel)"
		if r.Command == "independence" {
			name = "unbiased HSIC (kernels with the largest statistic)"
		}
		body = append(body, []string{name, Figures(t.Unbiased)})
	}
	width := 38
	for _, row := range body {
		width = max(width, len(row[0]))
	}
	for _, row := range body {
		fmt.Fprintf(&b, "  %-*s %s\n", width, row[0], row[1])
	}
	fmt.Fprintln(&b)
	for _, text := range slices.Concat(r.Sure(), BayesSentences(r.Bayes), r.Basis(), s.Notes) {
		paragraph(&b, text)
	}
	fmt.Fprintf(&b, "\nOpen %s.\n", filepath.Join(r.Dir, "report.html"))
	_, err := io.WriteString(out, b.String())
	return err
}

// pValue writes p with its Monte Carlo error.
func (r *TestReport) pValue() string {
	p := strconv.FormatFloat(r.Result.P, 'g', 4, 64)
	if t := r.Result; t.Permutations > 0 && t.AtLeast == 0 {
		return fmt.Sprintf("%s, the smallest that %d permutations can give", p, t.Permutations)
	}
	if r.Result.PError > 0 {
		p += fmt.Sprintf(" ± %.2g (Monte Carlo error)", r.Result.PError)
	}
	return p
}

// Finding is the first sentence.
func (r *TestReport) Finding() string {
	if r.Two != nil {
		return r.Two.Verdict()
	}
	t, pair := r.Result, r.Names[0]+" and "+r.Names[1]
	kind := "exact test"
	if t.Null != statistic.Permutation {
		kind = fmt.Sprintf("approximate test, null %v", t.Null)
	}
	if t.Reject {
		return fmt.Sprintf("%s are dependent (%s, %s).", pair, kind, compare.PWords(t))
	}
	return fmt.Sprintf("Independence of %s is not rejected at level %g (%s, %s). This does not show "+
		"that they are independent.", pair, t.Alpha, kind, compare.PWords(t))
}

// Title is the finding in few words.
func (r *TestReport) Title() string {
	if r.Two != nil {
		return r.Two.Headline()
	}
	t, pair, p := r.Result, r.Names[0]+" and "+r.Names[1], "p = "+short(r.Result.P)
	if t.Reject {
		return pair + " are dependent, " + p
	}
	return "Independence of " + pair + " is not rejected (" + p + ")"
}

// Sure says what is known of the difference at its strongest.
func (r *TestReport) Sure() []string {
	if r.Two == nil {
		return nil
	}
	var out []string
	if s := r.Two.AtStrongest(); s != "" {
		out = append(out, s)
	}
	return append(out, columnSentences(r.Two)...)
}

// Basis says what the finding rests on.
func (r *TestReport) Basis() []string {
	t := r.Result
	out := []string{nullSentence(t, r.Flags.Seed)}
	if t.Permutations > r.Flags.Permutations {
		out[0] = "-choose " + r.Flags.Choose + " needs more permutations. " + out[0]
	}
	if t.KernelY == nil {
		return append(out, kernelSentence("", t.Kernel))
	}
	return append(out, kernelSentence(r.Names[0], t.Kernel), kernelSentence(r.Names[1], t.KernelY))
}

// nullSentence says what the statistic was compared with.
func nullSentence(t *kerneltest.Result, seed uint64) string {
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

// kernelSentence says which kernel it was and how it was chosen; of is "" or names the variable.
func kernelSentence(of string, c *kerneltest.Chosen) string {
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
	if mean, ok := c.Kernels[0].(kernels.Mean); ok {
		s = fmt.Sprintf("The kernel%s is the mean of %d %s kernels over the posterior of theta, whose "+
			"mode is %s", of, len(mean), name, theta)
	}
	if len(c.Theta) > 1 {
		s = fmt.Sprintf("%s %s kernels%s, theta = %s", capital(countWord(len(c.Theta))), name, of,
			theta)
	}
	s += fmt.Sprintf(" (%s", ruleWords(c.Rule))
	if c.Model != nil {
		s += fmt.Sprintf(": m = %d %s, weight %.3g", c.Model.M(), work.KindWords(c.Inputs.Kind),
			c.Model.Weight())
	}
	s += ")"
	if c.Scaling != nil {
		s += ", for columns divided by their standard deviations"
	}
	return s + "."
}

// kernelWords names a radial kernel as one says it.
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

// ruleWords names a rule as the flags do.
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
