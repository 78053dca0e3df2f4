package calibration

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// String returns a table of the quantities, a verdict on each, and the notes.
func (r *Report) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "quantity\tp\tshift (sd)\tsd / right sd\t\n")
	for _, q := range r.Quantities {
		fmt.Fprintf(w, "%s\t%.3g\t%.2f\t%.2f\t\n", q.Name, q.P, q.Shift, q.Scale)
	}
	w.Flush() // to a builder, which cannot fail
	for _, q := range r.Quantities {
		if q.Leaves {
			fmt.Fprintln(&b, q.Sentence)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "Note: %s\n", n)
	}
	return strings.TrimRight(b.String(), "\n")
}
