// Ozone repeats the setting of the last experiment of Flaxman et al. (2016), their Fig. 4: the PC
// algorithm with kernel tests on the Los Angeles ozone data, the season taken out before. It says
// how much of the graph, and of the edge between temperature and ozone, depends on the test, on its
// lengthscale, on how the season is taken out, on the level, and on the rows.
package main

import (
	"context"
	"flag"
	"io"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	picture := ""
	return report.RunStudy(ctx, "ozone", args, stdout, stderr, func(f *flag.FlagSet) {
		f.StringVar(&picture, "figure", "", "file to draw the graph of the first setting into, as PNG")
	}, func(ctx context.Context, s report.Study, out io.Writer) error {
		return measureAll(ctx, s, picture, out)
	})
}
