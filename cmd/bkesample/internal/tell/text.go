package tell

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
)

// Text writes the results as a person reads them, the finding first.
func (r *Report) Text(out io.Writer) error {
	var b strings.Builder
	if r.Study.Data.Synthetic {
		n, _ := r.Study.Data.P.Dims()
		paragraph(&b, fmt.Sprintf("The data are %s, n = %d of each.", r.Study.Data.Source, n))
	}
	first := 1
	if r.Partial {
		first = 2
	}
	for _, s := range r.Verdict[:first] {
		paragraph(&b, s)
	}
	if s := r.Outliers(); s != "" {
		paragraph(&b, "Warning: "+s)
	}
	fmt.Fprintln(&b)
	if s := IntervalSentence(r.Study, PosteriorIs); s != "" {
		paragraph(&b, s)
		fmt.Fprintln(&b)
	}
	if err := r.Parameters().write(&b); err != nil {
		return err
	}
	fmt.Fprintln(&b)
	for _, s := range slices.Concat(BayesSentences(r.Bayes), r.Verdict[first:]) {
		paragraph(&b, s)
	}
	fmt.Fprintln(&b)
	for _, s := range r.Basis() {
		paragraph(&b, s)
	}
	for _, t := range r.Comparisons() {
		fmt.Fprintln(&b)
		if err := t.write(&b); err != nil {
			return err
		}
	}
	fmt.Fprintf(&b, "\nOpen %s.\n", filepath.Join(r.dir, "report.html"))
	_, err := io.WriteString(out, b.String())
	return err
}

// Basis says what a finding rests on: the test, and the model of the chains.
func (r *Report) Basis() []string {
	var out []string
	if two := r.Shown.Two; two != nil {
		out = append(out, nullSentence(two.Test, r.Study.Flags.Seed), kernelSentence("", two.Test.Kernel))
	}
	if w := r.Shown.Witness(); w != nil {
		out = append(out, "The witness is drawn at "+ScaleWords(r.Shown, w)+".")
		if r.Shown.One != nil {
			out[len(out)-1] = "The embedding is drawn at " + ScaleWords(r.Shown, w) + "."
		}
	}
	return append(out, r.Study.Data.Source+": "+r.Study.Describe()+".")
}

// paragraph wraps a text at the width of a terminal; later lines are indented.
func paragraph(w io.Writer, s string) {
	for i, line := range cli.Wrap(s, 96) {
		if i > 0 {
			line = "  " + line
		}
		fmt.Fprintln(w, line)
	}
}
