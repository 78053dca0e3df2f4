package kerneltest

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"
)

// String is a short table: the p-value and the decision, the statistic, and the kernels, with the
// strongest named.
func (r *Result) String() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	decision := "not rejected"
	if r.Reject {
		decision = "rejected"
	}
	fmt.Fprintf(t, "p\t%.3g, %s at level %g\n", r.P, decision, r.Alpha)
	null := fmt.Sprintf("null %v", r.Null)
	if r.Null == statistic.Permutation {
		null = fmt.Sprintf("%d permutations", r.Permutations)
	}
	fmt.Fprintf(t, "statistic\t%.4g, %s\n", r.Statistic, null)
	for k, c := range r.Candidates {
		if c.View != NoView {
			name := fmt.Sprintf("p = %.3g alone", c.P)
			if k == r.Best {
				name += ", the strongest"
			}
			fmt.Fprintf(t, "%s\t%s\n", c.View, name)
			continue
		}
		name := kernelName(c.Kernel)
		if c.KernelY != nil {
			name += " and " + kernelName(c.KernelY)
		}
		if c.Within {
			name += ", of rows less the mean of their block"
		}
		if k == r.Best && len(r.Candidates) > 1 {
			name += ", the strongest"
		}
		fmt.Fprintf(t, "kernel\t%s\n", name)
	}
	t.Flush() // to a builder, which cannot fail
	for _, n := range r.Notes {
		b.WriteString("Note: " + n + "\n")
	}
	return b.String()
}

// kernelName is a kernel with its lengthscales, few of them.
func kernelName(k kernels.Kernel) string {
	if m, ok := k.(kernels.Mean); ok {
		return fmt.Sprintf("mean of %d kernels", len(m))
	}
	if _, ok := k.(kernels.Distance); ok {
		return "energy distance"
	}
	if m, ok := k.(kernels.Mixed); ok {
		what := "indicator kernel of a category"
		if len(m.Columns) > 1 {
			what = fmt.Sprintf("indicator kernels of %d categories", len(m.Columns))
		}
		if m.Of == nil {
			return what
		}
		return kernelName(m.Of) + ", times the " + what
	}
	s, ok := kernels.AsStationary(k)
	if !ok {
		return fmt.Sprintf("%T", k)
	}
	if len(s.Theta) > 1 {
		return fmt.Sprintf("%v, theta %.3g (geometric mean of %d)", s.Radial, geometric(s.Theta),
			len(s.Theta))
	}
	return fmt.Sprintf("%v, theta %.3g", s.Radial, s.Theta[0])
}
