package chains

import (
	"context"

	"bayeskernel/draws"
	"bayeskernel/stein/runs"
)

// seen bounds the number of coordinates of all draws that Inspect looks at, for time.
const seen = 2_000_000

// Inspect compares the draws of a run with the gradients of its target; names are those of the coordinates. The run is
// the one that is told of, with the values that the target knows. Where draws and target cannot be compared
// nothing is told of it.
func (t *Told) Inspect(ctx context.Context, run *draws.Run, target runs.Target, names []string) {
	most := max(100, min(1000, seen/max(1, target.Dim()*len(run.Chains))))
	points, err := runs.Read(ctx, run, target, names, most)
	if err != nil {
		return
	}
	found, err := runs.Inspect(points, runs.Options{Seed: run.Seed})
	if err != nil {
		return
	}
	if !found.Suspect() {
		t.fits = found.Sentence()
		return
	}
	t.Summary.Warnings = append(t.Summary.Warnings, draws.Warning{Kind: "gradient", Parameters: []string{}, Chains: []int{},
		Value: found.Least(), Threshold: runs.Level, Finding: found.Sentence(),
		Meaning: "Either the chains are too short, or the gradient is not that of the density.",
		Advice:  "Run longer chains; if this stays, look for a jump, a corner, or a function whose derivative is wrong."})
}
