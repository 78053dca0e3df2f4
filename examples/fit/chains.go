package main

import (
	"context"
	"fmt"
	"io"

	"bayeskernel/draws"
	"bayeskernel/examples/internal/report"
)

// remembered are sound runs whose check must not be stricter than it says.
var remembered = []constructed{
	{"keep .9, 2 columns", sound, 200, of(func(s uint64) *draws.Run { return remembering(s, 2, .9, 1) }, normals(2))},
	{"keep .9, 10 columns", sound, 200, of(func(s uint64) *draws.Run { return remembering(s, 10, .9, 1) }, normals(10))},
	{"keep .97, 2 columns", sound, 200, of(func(s uint64) *draws.Run { return remembering(s, 2, .97, 1) }, normals(2))},
	{"keep .97, 10 columns", sound, 200, of(func(s uint64) *draws.Run { return remembering(s, 10, .97, 1) }, normals(10))},
	{"NUTS, 2 columns", sound, 200, by(correlated(2), correlated(2))},
	{"NUTS, 10 columns", sound, 200, by(correlated(10), correlated(10))},
}

func chains(ctx context.Context, s report.Study, out io.Writer) error {
	done, err := inspections(ctx, s, remembered)
	if len(done) == 0 {
		return err
	}
	fmt.Fprintf(out, "Sound runs of 4 chains of 1000 draws, seeds from %d: how often p is at most .05, and how often a run is suspect (.005 each).\n\n"+
		"| run | runs | identities | discrepancy | of how many | suspect |\n| --- | --: | --: | --: | --: | --: |\n", s.Seed)
	for _, c := range remembered {
		var identities, discrepancies, checked, suspect int
		for _, r := range done[c.name] {
			if r.P <= .05 {
				identities++
			}
			if r.Discrepancy >= 0 {
				checked++
				if r.Discrepancy <= .05 {
					discrepancies++
				}
			}
			if r.Suspect {
				suspect++
			}
		}
		if n := float64(len(done[c.name])); n > 0 {
			fmt.Fprintf(out, "| %s | %.0f | %.3f | %.3f | %d | %d |\n", c.name, n, float64(identities)/n, float64(discrepancies)/float64(max(1, checked)),
				checked, suspect)
		}
	}
	return err
}
