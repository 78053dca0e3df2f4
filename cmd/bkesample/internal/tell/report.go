// Package tell puts results into words, tables, and the records of summary.json. It opens no file.
package tell

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/draws"
)

// Report is what is told of a run.
type Report struct {
	*work.Sampled
	dir     string
	Again   string // how to make the run again
	Summary *Summary
	Verdict []string
}

// NewReport puts a run into words.
func NewReport(s *work.Sampled, dir, again string) *Report {
	r := &Report{Sampled: s, dir: dir, Again: again}
	r.Summary = r.summarise()
	r.Verdict = r.sentences()
	r.Summary.Verdict = r.Verdict
	return r
}

// summarise makes summary.json, but for what takes longer.
func (r *Report) summarise() *Summary {
	s := &Summary{SchemaVersion: draws.SchemaVersion, Command: "sample", Partial: r.Partial,
		Given: given, Parameters: r.Draws.Parameters, Interval: IntervalRecord(r.Study),
		Model: modelRecord(r.Study), Sampler: r.Draws.Sampler,
		Seed: r.Draws.Seed, Stopped: cmp.Or(r.Draws.Interrupted, r.Draws.Stopped),
		Draws: r.Draws.Draws, Chains: r.Draws.Chains,
		Modes: modeSummaries(r.Study.Fit), Influence: r.Influence, Witness: witnessRecord(r.Shown), verdictRecord: newVerdictRecord(r.Shown.Two),
		Weights: weightsRecord(r.Study.Data),
		Verify:  r.Verified, Sensitivity: r.Sensitivity, Bayes: newBayesRecord(r.Bayes)}
	s.Model.ThetaColumns = r.thetaColumns()
	hint := "-sensitivity shows by how much here, and for other pseudo-inputs"
	if r.Compare.Sensitivity {
		hint = "the table of other choices shows by how much here"
	}
	conditional := givenInputs(r.Study, "The chains sample the posterior given these", hint)
	ws, notes := modelWarnings(conditional,
		append(r.Study.Model.Warnings(), r.Study.Fit.Warnings...)...)
	s.Warnings = append(append([]draws.Warning{}, r.Draws.Warnings...), ws...)
	s.Notes = unlike(s.Warnings, r.Study.Notes, shownNotes(r.Shown), r.Draws.Notes, notes)
	if r.Interrupted != "" {
		s.Notes = append(s.Notes, "Interrupted before "+r.Interrupted+" ended.")
	}
	return s
}

// unlike puts notes together, each once, without what a warning says already.
func unlike(said []draws.Warning, lists ...[]string) []string {
	seen, out := map[string]bool{}, []string{}
	for _, w := range said {
		seen[w.Finding] = true
	}
	for _, n := range slices.Concat(lists...) {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// thetaColumns is the posterior mean of the lengthscale in the units of each column.
func (r *Report) thetaColumns() []number {
	var theta []float64
	for _, p := range r.Draws.Parameters {
		if p.Name == "theta" || strings.HasPrefix(p.Name, "theta[") {
			theta = append(theta, p.Mean)
		}
	}
	if r.Study.Scaling == nil {
		if len(theta) == 1 {
			_, dim := r.Study.Data.P.Dims()
			for len(theta) < dim {
				theta = append(theta, theta[0])
			}
		}
		return numbers(theta)
	}
	return numbers(r.Study.Scaling.Theta(theta))
}

// WriteWitness writes the witness at each point, as CSV.
func (r *Report) WriteWitness(w io.Writer) error {
	return witnessCSV(r.Shown.Witness(), w, r.Study.Data.Columns)
}
