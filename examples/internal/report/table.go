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
	row := func(name string, digits int, mean, sd, q05, q50, q95 float64) {
		fmt.Fprintf(w, "%-*s\t", width, name)
		for _, v := range []float64{mean, sd, q05, q50, q95} {
			fmt.Fprintf(w, "%.*f\t", digits, v)
		}
	}
	fmt.Fprintf(w, "%-*s\tmean\tsd\t5%%\t50%%\t95%%\tR-hat\tbulk ESS\ttail ESS\t\n", width, "")
	for _, p := range s.Parameters {
		digits := decimals(p.SD)
		row(p.Name, digits, p.Mean, p.SD, p.Q05, p.Q50, p.Q95)
		fmt.Fprintf(w, "%.3f\t%.0f\t%.0f\t\n", p.RHat, p.ESSBulk, p.ESSTail)
		if m, ok := reference[p.Name]; ok {
			row("reference", digits, m.Mean, m.SD, m.Q05, m.Q50, m.Q95)
			fmt.Fprint(w, "\t\t\t\n")
		}
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
