package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"bayeskernel/draws"
	"bayeskernel/examples/models"
)

// Print writes a table of the parameters of run, each above its reference moments if there are any;
// what the run cost; and its warnings.
func Print(out io.Writer, run *draws.Run, reference map[string]models.Moments) error {
	s := run.Summary()
	var b bytes.Buffer
	table(&b, s, reference)
	var gradients, warmup, divergences int
	for _, c := range s.Chains {
		gradients += c.Gradients
		warmup += c.WarmupGradients
		divergences += c.Divergences
	}
	fmt.Fprintf(&b, "\nGradients: %d, and %d in warm-up. Divergent transitions: %d.\n",
		gradients, warmup, divergences)
	for _, w := range s.Warnings {
		fmt.Fprintf(&b, "Warning: %v\n", w)
	}
	for line := range bytes.Lines(b.Bytes()) {
		if _, err := fmt.Fprintf(out, "%s\n", bytes.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

func table(b *bytes.Buffer, s *draws.Summary, reference map[string]models.Moments) {
	width := len("reference")
	for _, p := range s.Parameters {
		width = max(width, len(p.Name))
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	var columns []draws.Column
	fmt.Fprintf(w, "%-*s\t", width, "")
	for _, c := range draws.Columns() {
		if c.Head != "" {
			columns = append(columns, c)
			fmt.Fprintf(w, "%s\t", c.Head)
		}
	}
	fmt.Fprintln(w)
	for _, p := range s.Parameters {
		digits := decimals(p.SD)
		fmt.Fprintf(w, "%-*s\t", width, p.Name)
		for _, c := range columns {
			if c.Verb == "" {
				fmt.Fprintf(w, "%.*f\t", digits, c.Value(&p))
			} else {
				fmt.Fprintf(w, c.Verb+"\t", c.Value(&p))
			}
		}
		fmt.Fprintln(w)
		m, ok := reference[p.Name]
		if !ok {
			continue
		}
		known := map[string]float64{"mean": m.Mean, "sd": m.SD, "q05": m.Q05, "q50": m.Q50, "q95": m.Q95}
		fmt.Fprintf(w, "%-*s\t", width, "reference")
		for _, c := range columns {
			if v, ok := known[c.Key]; ok {
				fmt.Fprintf(w, "%.*f", digits, v)
			}
			fmt.Fprint(w, "\t")
		}
		fmt.Fprintln(w)
	}
	w.Flush() // to a buffer, which cannot fail
}

// decimals is the number of decimals that show three digits of the standard deviation.
func decimals(sd float64) int {
	if !(sd > 0) || math.IsInf(sd, 1) {
		return 3
	}
	return min(max(2-int(math.Floor(math.Log10(sd))), 0), 9)
}
