package bags

import (
	"fmt"
	"math"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
)

var nan = math.NaN()

// percent writes a share in percent.
func percent(v float64) string { return fmt.Sprintf("%.0f%%", 100*v) }

// finding is the answer, in sentences.
func (r *result) finding(m skill) []string {
	y, k := r.data.Target, cli.Plural(len(r.bags), "bag")
	range90 := fmt.Sprintf("90%% interval %s to %s", percent(m.lower), percent(m.upper))
	if r.data.Classes != nil {
		first := fmt.Sprintf("The rows of a bag predict %s: %s of %s are classified rightly without their own class. "+
			"The log loss is %s, beside %s without the rows: %s less (%s).", y, percent(m.right), k,
			report.Short(m.error), report.Short(m.without), percent(m.share), range90)
		if m.uncertain() {
			first = fmt.Sprintf("It is not certain that the rows of a bag say anything about %s: the log loss of %s is %s, "+
				"beside %s without the rows (%s of the difference).", y, k, report.Short(m.error),
				report.Short(m.without), range90)
		}
		return []string{first}
	}
	first := fmt.Sprintf("The rows of a bag explain %s of the variance of %s (%s): predictions of %s, each without its "+
		"own value, are off by %s, beside %s without the rows (root mean squares).", percent(m.share), y, range90, k,
		report.Short(m.error), report.Short(m.without))
	if m.uncertain() {
		if percent(m.upper) == "0%" {
			range90 = "about 0%"
		}
		first = fmt.Sprintf("It is not certain that the rows of a bag say anything about %s: predictions of %s, each "+
			"without its own value, are off by %s, beside %s without the rows (root mean squares; share of the "+
			"variance explained: %s).", y, k, report.Short(m.error), report.Short(m.without), range90)
	}
	if r.wider > 0 {
		return []string{first, fmt.Sprintf("The model's own %s intervals hold %s of these values: %s does not follow the rows as the model "+
			"has it. So all intervals are %.2g times as wide as its own here, and %s of the values lie in them.", percent(r.flags.level),
			percent(r.held), y, r.wider, percent(m.right))}
	}
	return []string{first, fmt.Sprintf("Of these values %s lie in their %s intervals.", percent(m.right),
		percent(r.flags.level))}
}

// title is the finding in a few words.
func (r *result) title(m skill) string {
	switch {
	case m.uncertain():
		return fmt.Sprintf("It is not certain that the rows of a bag say anything about %s", r.data.Target)
	case r.data.Classes != nil:
		return fmt.Sprintf("%s of the bags are classified rightly by their rows", percent(m.right))
	}
	return fmt.Sprintf("The rows of a bag explain %s of the variance of %s", percent(m.share), r.data.Target)
}

// notes say what the predictions rest on.
func (r *result) notes() []string {
	out := []string{"Each bag counts as independent rows of one distribution. Rows that depend on each other, such as " +
		"repeated measurements, say less than their number, and intervals come out too narrow."}
	if r.data.Classes != nil {
		out = append(out, fmt.Sprintf("Probabilities are those of %s.", r.data.Classes[1]))
	} else {
		out = append(out, "Intervals are normal. They are as wide as a bag's rows, the weights and the noise of values make "+
			"them, but do not know how certain the lengthscale and the noise are.")
	}
	return out
}

// warned says what may be wrong.
func (r *result) warned() []string {
	out := append([]string{}, r.warnings...)
	if r.chains != nil {
		for _, w := range r.chains.Warnings { // without advice to change what no flag does
			out = append(out, "In the chains: "+w.Finding)
		}
	}
	if k := len(r.bags); k < 40 {
		out = append(out, fmt.Sprintf("With %d bags intervals may be off: of 40 bags 90%% intervals held .87 to .96 of new "+
			"values in a study of synthetic data.", k))
	}
	return out
}
