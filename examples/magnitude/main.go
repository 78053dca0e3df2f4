// Magnitude measures how often the intervals of package magnitude cover the truth: over many data
// sets of known laws, for two independent samples, for pairs, and for the dependence of two variables.
package main

import (
	"context"
	"flag"
	"io"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var part string
	define := func(f *flag.FlagSet) {
		report.Part(f, &part, "all", "means", "quantiles", "probabilities", "overlaps", "overall")
	}
	return report.RunStudy(ctx, "magnitude", args, stdout, stderr, define,
		func(ctx context.Context, s report.Study, out io.Writer) error { return measureAll(ctx, s, part, out) })
}
